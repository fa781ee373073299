import { all, isDialogOpen, on } from './page';

/** Menus close with a press beside them and with Escape. */

// An opened menu is scrolled into view, wherever in a chat it is.
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
  // Leaves the field of a chat, so that the keys for lists work.
  if (held.matches('[data-type-here]')) held.blur();
});
