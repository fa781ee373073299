import { byId, find, on, type Field } from './page';
import { patch } from './patch';

/** Fields that change other parts of the page. */

// The state of the 24-hour window depends on the contact.
on<'change', Field>('change', async (target) => {
  if (!target.matches('.compose [name=to]')) return;
  const page = await fetch(`${location.pathname}?to=${encodeURIComponent(target.value)}`);
  const there = new DOMParser().parseFromString(await page.text(), 'text/html').getElementById('window');
  if (there) patch(byId('window'), there.innerHTML);
});

/*
 * Choosing another line or template reloads the page. Arrow keys pass through other choices, so the page
 * reloads on Enter or when the list loses focus. On Apple systems arrow keys open the list, which reports
 * only the final choice.
 */
const OPENS = /^(Mac|iP)/.test(navigator.platform);
let walked: Field | null = null;
let isWalking = false;

function reload(field: Field): void {
  const around = field.closest<HTMLElement>('[data-reload]');
  if (around) (field.form as HTMLFormElement).requestSubmit(find('button', around));
}

on<'change', Field>('change', (target) => {
  if (isWalking) walked = target;
  else reload(target);
});
on('pointerdown', () => (isWalking = false));
on('keydown', (target, event) => {
  const isStep = /^(Arrow|Home|End|Page|\S$)/.test(event.key) && !event.altKey;
  isWalking = isStep && !OPENS && target.matches('[data-reload] select');
  if (isWalking || event.key !== 'Enter' || target !== walked) return;
  event.preventDefault();
  target.blur();
});
on<'focusout', Field>('focusout', (target) => {
  if (target !== walked) return;
  walked = null;
  reload(target);
});
