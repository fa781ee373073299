import { type VNode } from 'preact';
import { CARD, COUNTS, KINDS, LENGTHS, OTP_TYPES } from '../../../templates/rules/table';
import { t } from '../../languages/t';
import { CheckField, SelectField, Submit, TextField, useFormState } from '../../ui/form';
import { buttonWord } from '../../ui/words/template-words';
import { useEdited, useNotes, valueOf } from './edited';
import { fieldWord } from './field-words';

/** The fields of a kind of button, besides its text. */
const FIELDS: Record<string, string[]> = {
  URL: ['url', 'sample'],
  PHONE_NUMBER: ['phone'],
  COPY_CODE: ['sample'],
  FLOW: ['flow', 'screen'],
  OTP: ['otp', 'autofill', 'terms'],
};
const ALL = [...new Set(Object.values(FIELDS).flat())];

/** The buttons below a message or a card. */
export function ButtonFields({ prefix, isCard }: { prefix: string; isCard: boolean }): VNode {
  const { form } = useEdited().form;
  const issue = useFormState().issueOf(`${prefix}buttons`);
  const notes = useNotes(`${prefix}buttons`);
  const at = prefix.slice(0, -1);
  let count = 0;
  while (form.has(`${prefix}b${count}-type`)) count += 1;
  const most = isCard ? COUNTS.cardButtons : COUNTS.buttons;
  return (
    <fieldset class="editor-box" id={`field-${prefix}buttons`} tabIndex={-1}>
      <legend>{fieldWord('-buttons')}</legend>
      {notes && <p class="hint">{notes}</p>}
      {issue && <p class="fault">{issue}</p>}
      {Array.from({ length: count }, (_, index) => (
        <ButtonBox key={index} prefix={prefix} index={index} count={count} />
      ))}
      {count < most && (
        <div class="with-button">
          <SelectField
            name={`new-button-${at}`}
            label={t('Kind of button')}
            choices={kindsFor(valueOf(form, 'category'), isCard).map((value) => ({
              value,
              label: buttonWord(value),
            }))}
          />
          <Submit tone="plain" name="do" value={`add-button ${at}`}>
            {t('Add button')}
          </Submit>
        </div>
      )}
    </fieldset>
  );
}

/** The kinds of buttons, with the one for codes where it is needed. */
function kindsFor(category: string, isCard: boolean): readonly string[] {
  if (isCard) return CARD.buttons;
  const others = KINDS.button.filter((kind) => kind !== 'OTP');
  return category === 'AUTHENTICATION' ? ['OTP', ...others] : [...others, 'OTP'];
}

interface ButtonBoxProps {
  prefix: string;
  index: number;
  /** The number of buttons. */
  count: number;
}

function ButtonBox({ prefix, index, count }: ButtonBoxProps): VNode {
  const { form } = useEdited().form;
  const own = `${prefix}b${index}-`;
  const at = own.slice(0, -1);
  const type = valueOf(form, `${own}type`);
  // Also fields of other kinds that an imported template fills in, because each value must be submitted again.
  const fields = ALL.filter((name) => FIELDS[type]?.includes(name) || valueOf(form, `${own}${name}`) !== '');
  const title = t('Button {number}', { number: index + 1 });
  return (
    <fieldset class="editor-button" id={`part-${at}`}>
      <legend>
        {title}: {buttonWord(type)}
      </legend>
      <TextField
        name={`${own}text`}
        label={fieldWord('-text')}
        optional={['COPY_CODE', 'OTP'].includes(type)}
        placeholder={PLACEHOLDERS[type]?.()}
        hint={useNotes(`${own}text`, null, LENGTHS.label)}
      />
      {fields.map((name) => (
        <ButtonField key={name} name={`${own}${name}`} field={name} />
      ))}
      {(type === 'OTP' || form.has(`${own}a0-app`)) && <Apps prefix={own} />}
      <div class="cluster">
        {index > 0 && <Move change={`up-button ${at}`} label={t('Move up')} of={title} />}
        {index < count - 1 && <Move change={`down-button ${at}`} label={t('Move down')} of={title} />}
        <Move change={`remove-button ${at}`} label={t('Remove')} of={title} />
      </div>
    </fieldset>
  );
}

/** @param of what is changed, for screen readers */
export const Move = ({ change, label, of }: { change: string; label: string; of: string }): VNode => (
  <button class="button quiet small" name="do" value={change}>
    {label}
    <span class="sr-only"> {of}</span>
  </button>
);

const PLACEHOLDERS: Record<string, () => string> = {
  QUICK_REPLY: () => t('Yes, I will come'),
  URL: () => t('Track order'),
  PHONE_NUMBER: () => t('Call us'),
  FLOW: () => t('Book now'),
};

function ButtonField({ name, field }: { name: string; field: string }): VNode {
  const hints: Record<string, () => string> = {
    url: () =>
      t('A full address. It may end in {variable}, which each message fills in.', { variable: '{{1}}' }),
    sample: () => t('For the review: the end of the address, or the code.'),
    phone: () => t('With country code.'),
    screen: () => t('Empty: the first one.'),
    autofill: () => t('For one tap. Empty: WhatsApp writes it.'),
  };
  const notes = useNotes(name, hints[field]?.());
  const label = field === 'sample' ? t('Sample') : fieldWord(name);
  if (field === 'terms') return <CheckField name={name} label={label} hint={notes} />;
  if (field === 'otp') return <CodeTypes name={name} />;
  return (
    <TextField
      name={name}
      label={label}
      hint={notes}
      optional={['screen', 'autofill'].includes(field)}
      placeholder={EXAMPLES[field]}
    />
  );
}

const EXAMPLES: Record<string, string> = {
  url: 'https://www.example.com/orders/{{1}}',
  phone: '+5511987654321',
};

function CodeTypes({ name }: { name: string }): VNode {
  const { form } = useEdited().form;
  const given = valueOf(form, name);
  const words: Record<string, () => string> = {
    COPY_CODE: () => t('The contact copies it'),
    ONE_TAP: () => t('One tap fills it in (Android)'),
    ZERO_TAP: () => t('It is filled in by itself (Android)'),
  };
  const types = OTP_TYPES.includes(given.toUpperCase()) ? OTP_TYPES : [given, ...OTP_TYPES];
  return (
    <SelectField
      name={name}
      label={fieldWord(name)}
      hint={useNotes(name)}
      choices={types.map((value) => ({ value, label: words[value]?.() ?? value }))}
    />
  );
}

/** The Android apps that take a one-time code. */
function Apps({ prefix }: { prefix: string }): VNode {
  const { form } = useEdited().form;
  const at = prefix.slice(0, -1);
  let count = 1;
  while (form.has(`${prefix}a${count}-app`)) count += 1;
  return (
    <fieldset class="editor-apps">
      <legend>{t('Your Android apps')}</legend>
      <p class="hint">{t('Needed for one tap and for codes that fill in by themselves.')}</p>
      {Array.from({ length: count }, (_, index) => (
        <App key={index} prefix={`${prefix}a${index}-`} index={index} />
      ))}
      {count < COUNTS.apps && (
        <Submit tone="plain" name="do" value={`add-app ${at}`}>
          {t('Add app')}
        </Submit>
      )}
    </fieldset>
  );
}

function App({ prefix, index }: { prefix: string; index: number }): VNode {
  const { form } = useEdited().form;
  return (
    <>
      {/* A draft without apps has the fields of one. */}
      {!form.has(`${prefix}app`) && <input type="hidden" name={`${prefix}app`} value="yes" />}
      <TextField
        name={`${prefix}package`}
        label={fieldWord('-package')}
        placeholder="com.example.app"
        hint={useNotes(`${prefix}package`)}
      />
      <TextField
        name={`${prefix}hash`}
        label={fieldWord('-hash')}
        placeholder="K8a/AINcGX7"
        hint={useNotes(`${prefix}hash`)}
      />
      {index > 0 && (
        <Move
          change={`remove-app ${prefix.slice(0, -1)}`}
          label={t('Remove')}
          of={t('App {number}', { number: index + 1 })}
        />
      )}
    </>
  );
}
