import { all, byId, find, on, type Field } from './page';

/**
 * Submits forms only once, restores focus to the pressed button, and removes the issue of an edited field.
 */

on<'submit', HTMLFormElement>('submit', (form, event) => {
  // A form that downloads a file can be submitted again.
  if (form.method !== 'post' || event.submitter?.dataset.file !== undefined) return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = 'yes';
  sessionStorage.pressed = JSON.stringify([location.pathname, form.action, event.submitter?.textContent]);
});
on('pageshow', () => {
  for (const form of all('form')) delete form.dataset.sent;
});

/** Focuses the pressed button, if the page is the same again. */
export function focusPressed(): void {
  const [path, action, label] = JSON.parse(
    (sessionStorage.pressed as string | undefined) ?? '[]',
  ) as string[];
  delete sessionStorage.pressed;
  if (path !== location.pathname || find('[data-type-here]')) return;
  const buttons = [...all<HTMLButtonElement>('button')];
  buttons.find((one) => one.form?.action === action && one.textContent === label)?.focus();
}

on<'input', Field>('input', (field) => {
  const { id, name, ariaInvalid } = field;
  if (!ariaInvalid) return;
  field.ariaInvalid = null;
  field.removeAttribute('aria-describedby');
  const issue = find(`.notice a[href="#${id}"]`)?.parentElement;
  const isOneOfSeveral = (issue?.parentElement?.children.length as number) > 1;
  (isOneOfSeveral ? issue : issue?.closest('.notice'))?.remove();
  const hint = byId(`hint-${name}`);
  if (hint) field.setAttribute('aria-describedby', hint.id);
  byId(`fault-${name}`)?.remove();
});
