import { all, byId, isDialogOpen, on, type Field } from './page';
import { STEPS } from './search';

/** Keyboard shortcuts: Enter sends in a chat, `/` opens the search, `j` and `k` step through lists. */

// Shift+Enter starts a new line.
on<'keydown', Field>('keydown', (target, event) => {
  const { key, shiftKey, isComposing } = event;
  if (target.enterKeyHint !== 'send' || key !== 'Enter' || shiftKey || isComposing) return;
  event.preventDefault();
  target.form?.requestSubmit();
});
on('keydown', (target, event) => {
  const { key, altKey, ctrlKey, metaKey } = event;
  const step = { j: 1, k: -1 }[key] ?? (altKey && STEPS[key]);
  const isText = !altKey && target.closest('input, textarea, select');
  if (ctrlKey || metaKey || isText || isDialogOpen()) return;
  const field = key === '/' && (byId('find') as HTMLInputElement);
  if (step) stepBy(step);
  else if (field) field.select();
  else return;
  event.preventDefault();
});

/**
 * Opens the next entry of the list beside the page. Without such a list, focuses the next row on the page.
 */
function stepBy(step: number): void {
  const beside = [...all('.pane li > a')];
  const rows = [...all('main .row-link')];
  if (beside.length) beside[beside.findIndex((one) => one.ariaCurrent) + step]?.click();
  else rows[rows.indexOf(document.activeElement as HTMLElement) + step]?.focus();
}
