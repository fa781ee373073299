import { byId, on, words } from './page';

/** Copy buttons, and dialogs for browsers without `command`. */

on('click', async (target) => {
  const button = target.closest('button');
  if (!button) return;
  const { copy } = button.dataset;
  if (copy) {
    await navigator.clipboard.writeText(byId(copy).textContent);
    const label = button.innerHTML;
    button.textContent = words.copied;
    setTimeout(() => {
      button.innerHTML = label;
    }, 2000);
  }
  const opened = button.getAttribute('commandfor');
  if (!opened || 'commandForElement' in (button as object)) return;
  const dialog = byId(opened) as HTMLDialogElement;
  if (button.getAttribute('command') === 'close') dialog?.close();
  else dialog?.showModal();
});
