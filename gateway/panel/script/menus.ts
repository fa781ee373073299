import { all, isDialogOpen, on } from './page';

/** Closes menus on Escape and on a click outside. */

// Scrolls an opened menu into view, wherever it is in a chat.
on(
  'toggle',
  (target) =>
    target.matches('.doings[open]') &&
    (target.lastElementChild as Element).scrollIntoView({ block: 'nearest' }),
  { capture: true },
);
on('click', (target) => {
  for (const one of all<HTMLDetailsElement>('.doings[open]')) if (!one.contains(target)) one.open = false;
});
on('keydown', (_target, { key }) => {
  if (key !== 'Escape' || isDialogOpen()) return;
  const held = document.activeElement as HTMLElement;
  for (const one of all<HTMLDetailsElement>(':is(.doings, .attach)[open]')) {
    if (one.contains(held)) (one.firstElementChild as HTMLElement).focus();
    one.open = false;
  }
  // Leaves the text field, so that the shortcuts for lists work.
  if (held.matches('[data-type-here]')) held.blur();
});
