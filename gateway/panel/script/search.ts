import { all, find } from './page';

/** Shows search results below the field while the user types. */
export function suggest(field: HTMLInputElement): void {
  const form = field.form as HTMLFormElement;
  let asked = 0;
  field.role = 'combobox';
  field.ariaAutoComplete = 'list';
  field.setAttribute('aria-controls', 'found');
  const marked = () => find('[aria-selected]', form);
  function mark(option?: HTMLElement | null): void {
    marked()?.removeAttribute('aria-selected');
    field.setAttribute('aria-activedescendant', option?.id ?? '');
    if (!option) return;
    option.ariaSelected = 'true';
    option.scrollIntoView({ block: 'nearest' });
  }
  function close(): void {
    clearTimeout(asked);
    asked = 0;
    mark();
    find('.found', form)?.remove();
    field.ariaExpanded = 'false';
  }
  async function ask(): Promise<void> {
    const own = asked;
    const address = `${form.action}/quick?q=${encodeURIComponent(field.value)}`;
    const answer = await fetch(address).catch(() => ({}) as Response);
    const html = answer.ok && !answer.redirected && (await answer.text());
    // Outdated: the text has changed, or the list was closed.
    if (own !== asked) return;
    close();
    if (!html) return;
    form.insertAdjacentHTML('beforeend', html);
    field.ariaExpanded = 'true';
  }
  field.addEventListener('input', () => {
    mark();
    clearTimeout(asked);
    if (field.value.trim().length < 2) close();
    else asked = setTimeout(() => void ask(), 150);
  });
  field.addEventListener('keydown', (event) => {
    const options = [...all('[role=option]', form)];
    const step = STEPS[event.key];
    if (!options.length || event.isComposing) return;
    if (step) mark([...options, null].at(options.indexOf(marked()) + step));
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && marked()) marked().click();
    else return;
    event.preventDefault();
  });
  // Pressing a result must not blur the field, which would close the list.
  form.addEventListener('mousedown', (event) => {
    if (event.target !== field) event.preventDefault();
  });
  field.addEventListener('blur', close);
  close();
  addEventListener('pagehide', close);
}

/** The arrow keys and their steps in a list. */
export const STEPS: Record<string, number | undefined> = { ArrowDown: 1, ArrowUp: -1 };
