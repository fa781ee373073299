import { createContext, type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { FormState, WHOLE } from '../form-state';
import { formatted } from './formatted-text';
import { t } from '../languages/t';
import { PageRequest } from './page-request';

interface FormProps {
  /** The path to submit to, including `/panel`. */
  action: string;
  /** The values of the fields. Its issues are listed above them. */
  state?: FormState;
  /** Whether the form uploads files. */
  files?: boolean;
  /** Hidden fields by name. */
  fields?: Record<string, string>;
  class?: string;
  /** The form's id, for fields elsewhere on the page. */
  id?: string;
  /** The values of the fields, if the page lists the issues itself. */
  values?: FormState;
  /** Where the script posts the form after each change, for the parts of the page to replace. */
  preview?: string;
  children: ComponentChildren;
}

const EMPTY = new FormState();
/** The state of the surrounding form. */
const Filled = createContext<FormState | null>(null);

/**
 * The state of a field.
 * @param given overrides the state of the surrounding form
 * @throws Error if there is neither
 */
export function useFormState(given?: FormState): FormState {
  const around = useContext(Filled);
  const state = given ?? around;
  if (!state) throw new Error('A field outside a Form needs its value as a property');
  return state;
}

/** A POST form with the token that proves its origin. */
export function Form(props: FormProps): VNode {
  const { action, state, values = state, files, fields = {}, class: name, id, preview, children } = props;
  return (
    <form
      id={id}
      method="post"
      action={action}
      class={name ?? 'form'}
      encType={files ? 'multipart/form-data' : undefined}
      novalidate
      data-preview={preview}
    >
      <input type="hidden" name="form_token" value={useContext(PageRequest)?.formToken} />
      {Object.entries(fields).map(([field, value]) => (
        <input key={field} type="hidden" name={field} value={value} />
      ))}
      {state && <Issues state={state} />}
      <Filled.Provider value={values ?? EMPTY}>{children}</Filled.Provider>
    </form>
  );
}

function titleOf(state: FormState): string {
  if (state.retryAfter !== undefined) return t('Please wait a moment.');
  return state.issues.length === 1 ? t('One field needs another look.') : t('Some fields need another look.');
}

/** Whether the field is the only invalid one, which gets the focus. */
function useIsSought(state: FormState, name: string): boolean {
  const isOfForm = useContext(Filled) === state;
  return isOfForm && isOfOneField(state) && state.issueOf(name) !== null;
}

const isOfOneField = (state: FormState): boolean =>
  state.issues.length === 1 && state.issueOf(WHOLE) === null && state.retryAfter === undefined;

/** Issues with links to their fields. A single issue is not repeated if its field shows it. */
function Issues({ state }: { state: FormState }): VNode | null {
  if (state.isValid) return null;
  const fault = state.issueOf(WHOLE);
  if (fault)
    return (
      <div class="notice" data-tone="bad" role="alert" tabIndex={-1} data-focus="">
        <p>{fault}</p>
      </div>
    );
  return (
    <div
      class={isOfOneField(state) ? 'notice of-one' : 'notice'}
      data-tone="bad"
      role="alert"
      tabIndex={-1}
      data-focus=""
    >
      <p>
        <strong>{titleOf(state)}</strong>
      </p>
      <ul>
        {state.issues.map(({ name, sentence }) => (
          <li key={name}>
            <a href={`#field-${name}`}>{sentence}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface FieldProps {
  /** The state, outside a `Form`, as in a filter. */
  state?: FormState;
  name: string;
  label: string;
  /** The purpose of the field, or where to find the value. */
  hint?: ComponentChildren;
  optional?: boolean;
}

/** Attributes that connect the input to its hint and issue. */
function described({ state: given, name, hint }: FieldProps) {
  const state = useFormState(given);
  const issue = state.issueOf(name);
  const isSought = useIsSought(state, name);
  return {
    id: `field-${name}`,
    name,
    'aria-describedby':
      [hint && `hint-${name}`, issue && `fault-${name}`].filter(Boolean).join(' ') || undefined,
    'aria-invalid': issue ? ('true' as const) : undefined,
    ...(isSought && { autofocus: true, 'data-focus': '' }),
  };
}

function Around({ state, name, label, hint, optional, children }: FieldProps & { children: VNode }): VNode {
  const issue = useFormState(state).issueOf(name);
  return (
    <div class="field">
      <label for={`field-${name}`}>
        {label}
        {optional && <span class="optional"> {t('(optional)')}</span>}
      </label>
      {hint && (
        <p class="hint" id={`hint-${name}`}>
          {hint}
        </p>
      )}
      {children}
      {issue && (
        <p class="fault" id={`fault-${name}`}>
          {issue}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = FieldProps & {
  type?: 'text' | 'url' | 'tel' | 'email' | 'number' | 'search' | 'datetime-local' | 'date' | 'time';
  autocomplete?: string;
  inputmode?: 'numeric' | 'decimal' | 'tel' | 'url';
  placeholder?: string;
  maxLength?: number;
  autofocus?: boolean;
  /** Overrides the submitted value. */
  value?: string;
  /** The id of a `datalist`. */
  list?: string;
  /** Whether the script fills in the browser's time zone if the user has chosen none. */
  ownZone?: boolean;
};

export function TextField(props: TextFieldProps): VNode {
  const { name, type = 'text', autocomplete = 'off', inputmode, placeholder, maxLength } = props;
  return (
    <Around {...props}>
      <input
        autofocus={props.autofocus}
        {...described(props)}
        // Preact's types need a literal.
        type={type as 'text'}
        value={props.value ?? useFormState(props.state).text(name)}
        list={props.list}
        data-zone={props.ownZone ? '' : undefined}
        autocomplete={autocomplete}
        inputMode={inputmode}
        placeholder={placeholder}
        maxLength={maxLength}
        spellcheck={false}
        autocapitalize="none"
      />
    </Around>
  );
}

/** The value is never sent back to the browser, even if the form has issues. */
export function SecretField(props: FieldProps & { autocomplete?: string; autofocus?: boolean }): VNode {
  return (
    <Around {...props}>
      <input
        autofocus={props.autofocus}
        {...described(props)}
        type="password"
        autocomplete={props.autocomplete ?? 'off'}
      />
    </Around>
  );
}

type LongFieldProps = FieldProps & { rows?: number; maxLength?: number; placeholder?: string };

export function LongField(props: LongFieldProps): VNode {
  const { rows = 4, maxLength, placeholder } = props;
  return (
    <Around {...props}>
      <textarea {...described(props)} rows={rows} maxLength={maxLength} placeholder={placeholder}>
        {useFormState(props.state).text(props.name)}
      </textarea>
    </Around>
  );
}

interface Choice {
  value: string;
  label: string;
  hint?: string;
}

export function SelectField(props: FieldProps & { choices: Choice[] }): VNode {
  const chosen = useFormState(props.state).text(props.name);
  return (
    <Around {...props}>
      <select {...described(props)}>
        {props.choices.map(({ value, label }) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </Around>
  );
}

/** A choice of one option or, with `many`, of several. */
export function ChoiceField({
  name,
  label,
  hint,
  choices,
  many,
}: FieldProps & { choices: Choice[]; many?: boolean }): VNode {
  const state = useFormState();
  const chosen = state.all(name);
  const issue = state.issueOf(name);
  const isSought = useIsSought(state, name);
  return (
    <fieldset
      class="field choices"
      id={`field-${name}`}
      aria-describedby={issue ? `fault-${name}` : undefined}
    >
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      {choices.map((choice, index) => (
        <label class="choice" key={choice.value}>
          <input
            {...(isSought && index === 0 && { autofocus: true, 'data-focus': '' })}
            type={many ? 'checkbox' : 'radio'}
            name={name}
            value={choice.value}
            checked={chosen.includes(choice.value)}
          />
          <span>
            {choice.label}
            {choice.hint && <span class="hint">{choice.hint}</span>}
          </span>
        </label>
      ))}
      {issue && (
        <p class="fault" id={`fault-${name}`}>
          {issue}
        </p>
      )}
    </fieldset>
  );
}

export function CheckField(props: FieldProps): VNode {
  const { name, label, hint } = props;
  return (
    <div class="field">
      <label class="choice">
        <input
          {...described(props)}
          type="checkbox"
          value="yes"
          checked={useFormState(props.state).has(name)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p class="hint" id={`hint-${name}`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export function FileField(props: FieldProps & { accept?: string }): VNode {
  return (
    <Around {...props}>
      <input {...described(props)} type="file" accept={props.accept} />
    </Around>
  );
}

/** Repeats a field's value elsewhere on the page. With script, it changes while typing. */
export function Shown({ state, name, empty, isMarked }: ShownProps): VNode {
  const text = useFormState(state).text(name) || empty;
  return (
    <span data-shows={`field-${name}`} data-empty={empty} data-marked={isMarked}>
      {isMarked ? formatted(text, (one) => [one]) : text}
    </span>
  );
}

interface ShownProps {
  state?: FormState;
  name: string;
  empty: string;
  /** Whether to apply WhatsApp formatting: *bold*, _italic_, ~struck through~. */
  isMarked?: boolean;
}

interface SubmitProps {
  children: ComponentChildren;
  tone?: 'primary' | 'danger' | 'quiet' | 'plain';
  name?: string;
  value?: string;
}

export function Submit({ children, tone = 'primary', name, value }: SubmitProps): VNode {
  return (
    <button type="submit" class={`button ${tone}`} name={name} value={value}>
      {children}
    </button>
  );
}

/** A button that submits its own form. */
export const ActionButton = ({ action, fields, tone, id, children }: ActionButtonProps): VNode => (
  <Form action={action} fields={fields} class="inline" id={id}>
    <Submit tone={tone}>{children}</Submit>
  </Form>
);

type ActionButtonProps = Pick<FormProps, 'action' | 'fields' | 'children' | 'id'> & Pick<SubmitProps, 'tone'>;

/** The submit button of a form, and a link to cancel. */
export const SubmitOrCancel = ({
  submit,
  tone,
  back,
}: Pick<SubmitProps, 'tone'> & { submit: string; back: string }): VNode => (
  <div class="actions">
    <Submit tone={tone}>{submit}</Submit>
    <a class="button plain" href={back}>
      {t('Cancel')}
    </a>
  </div>
);

interface ConfirmProps {
  /** The id of the dialog, unique on the page. */
  id: string;
  action: string;
  /** The label of the button that opens the dialog. */
  button: ComponentChildren;
  tone?: 'primary' | 'danger' | 'quiet' | 'plain';
  /** For buttons in every row of a list, so that red appears only in the dialog. */
  isQuiet?: boolean;
  title: string;
  /** What happens, and whether it can be undone. */
  children: ComponentChildren;
  /** The label of the confirming button. */
  confirm: string;
  /** Hidden fields by name. */
  fields?: Record<string, string>;
  /** The id of the dialog's form, for `QuestionBox`. */
  formId?: string;
}

/** A button with a confirmation dialog. Works without script. */
export function Confirm(props: ConfirmProps): VNode {
  const { id, button, tone = 'plain', isQuiet } = props;
  return (
    <>
      <button type="button" class={`button ${isQuiet ? 'quiet' : tone}`} {...opens(id)}>
        {button}
      </button>
      <Question {...props} />
    </>
  );
}

/** The confirmation dialog. Place it outside other forms, because forms cannot be nested. */
export function Question(props: Omit<ConfirmProps, 'button' | 'isQuiet'>): VNode {
  const { id, action, tone, title, children, confirm, fields, formId } = props;
  return (
    <dialog id={id} class="dialog" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <div class="stack">{children}</div>
      <div class="dialog-actions">
        <form method="dialog">
          <button class="button plain">{t('Cancel')}</button>
        </form>
        <ActionButton
          action={action}
          tone={tone === 'danger' ? 'danger' : 'primary'}
          fields={fields}
          id={formId}
        >
          {confirm}
        </ActionButton>
      </div>
    </dialog>
  );
}

/** A check box in a confirmation dialog, submitted as "yes". */
export const QuestionBox = ({ formId, name, label, checked }: QuestionBoxProps): VNode => (
  <label class="choice">
    <input type="checkbox" form={formId} name={name} value="yes" checked={checked} />
    <span>{label}</span>
  </label>
);

interface QuestionBoxProps {
  formId: string;
  name: string;
  label: string;
  checked: boolean;
}

/** Attributes of a button that opens a dialog. The script helps browsers without `command`. */
export const opens = (id: string): Record<string, string> => ({ command: 'show-modal', commandfor: id });
