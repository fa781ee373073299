import { byId, find, on, type Field } from './page';
import { patch } from './patch';

/** Fields whose choice changes other parts of the page. */

// Whether free text is allowed depends on the contact.
on<'change', Field>('change', async (target) => {
  if (!target.matches('.compose [name=to]')) return;
  const page = await fetch(`${location.pathname}?to=${encodeURIComponent(target.value)}`);
  const there = new DOMParser().parseFromString(await page.text(), 'text/html').getElementById('window');
  if (there) patch(byId('window'), there.innerHTML);
});

/*
 * Another template has other fields, another line another page. Arrow keys pass choices that are not meant: the choice
 * counts when Enter is pressed or the list loses focus. An open list only reports the choice that was made, and on
 * Apple's systems arrow keys open the list.
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
