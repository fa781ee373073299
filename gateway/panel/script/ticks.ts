import { all, find, on } from './page';

/** Lists with check boxes for actions on several rows. */

on<'change', HTMLInputElement>('change', (target) => {
  if (target.closest('[data-tick-all]'))
    for (const one of all<HTMLInputElement>('[name=one]', target.form ?? document))
      one.checked = target.checked;
  if (target.form) countTicks(target.form);
});

/** Updates the number of ticked rows on the form's buttons, and the box that ticks all. */
export function countTicks(form: HTMLElement): void {
  const buttons = all<HTMLButtonElement>('[data-ticked]', form);
  if (!buttons.length) return;
  const count = all('[name=one]:checked', form).length;
  const ofAll = find<HTMLInputElement>('[data-tick-all] input', form);
  ofAll.checked = count > 0 && count === all('[name=one]', form).length;
  ofAll.indeterminate = count > 0 && !ofAll.checked;
  for (const button of buttons) {
    button.disabled = !count;
    (button.lastElementChild as Element).textContent = count ? `(${count})` : '';
  }
}
