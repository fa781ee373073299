import { Fragment, type VNode } from 'preact';
import { CATEGORIES } from '../../../templates/rules/table';
import { t } from '../../languages/t';
import { ChoiceField, Form, SelectField, Submit, TextField } from '../../ui/form';
import { Card, Notice, PageHead, type Tone } from '../../ui/parts';
import { categoryWord } from '../../ui/words/kind-words';
import { languageWord } from '../../ui/words/template-words';
import { boardPath, draftPath } from '../drafts/draft-route';
import { DraftPreview } from './draft-preview';
import { EditedContext, Part, useEdited, useNotes, valueOf, type Edited } from './edited';
import { type DraftForm } from './draft-form';
import { fieldWord } from './field-words';
import { languageChoices, LanguageFields } from './language-fields';
import { Samples } from './message-fields';
import { type Finding } from './findings';

export const editorHead = ({ draft }: Edited, back: string) => (
  <PageHead
    title={draft.name || t('New template')}
    back={{ href: back, label: t('Templates') }}
    actions={
      <a class="button plain" href={boardPath(draft)}>
        {t('Submit for review')}
      </a>
    }
  >
    {t(
      'A template is a message that WhatsApp reviews once. You can send it to a contact at any time. Write it here, save it, then submit it.',
    )}
  </PageHead>
);

interface EditorProps {
  edited: Edited;
  /** Why the draft was not saved, in sentences; null if it was saved, or not submitted. */
  refused: string | null;
  /** Whether the refusal is of another save, which the next save overwrites. */
  isStale: boolean;
}

/** The form of a draft. Every button saves what was typed. */
export function Editor({ edited, refused, isStale }: EditorProps): VNode {
  const { draft, isChecked, state } = edited;
  return (
    <EditedContext.Provider value={edited}>
      <Form
        action={`${draftPath(draft)}${isChecked ? '?check=1' : ''}`}
        class="form wide editor"
        files
        fields={{ revision: String(draft.revision) }}
        preview={`${draftPath(draft)}/preview`}
        values={state}
      >
        {/* Enter in a field presses the first button. */}
        <button class="sr-only" name="do" value="save" tabIndex={-1}>
          {t('Save')}
        </button>
        <HiddenFields form={edited.form.form} />
        {refused !== null && (
          <Notice tone="bad">
            <p>
              <strong>{t('Not saved.')}</strong> {refused}
            </p>
            {isStale && (
              <div class="cluster">
                <Submit tone="danger" name="do" value="save">
                  {t('Save anyway')}
                </Submit>
                <a href={draftPath(draft)} target="_blank">
                  {t('Show the saved draft in a new tab')}
                </a>
              </div>
            )}
          </Notice>
        )}
        <Findings />
        <General />
        <div class="editor-languages">
          {draft.content.languages.map((_, index) => (
            <LanguageFields key={index} index={index} />
          ))}
        </div>
        <NewLanguage />
        <div class="actions editor-actions">
          <Submit name="do" value="save">
            {t('Save draft')}
          </Submit>
          <Submit tone="plain" name="do" value="preview">
            {t('Show preview')}
          </Submit>
        </div>
      </Form>
    </EditedContext.Provider>
  );
}

/** What has no visible field, such as the kinds of buttons. */
const HIDDEN = /^(?!.*-sample-).*(?:rest|-x\d+|-handle|-card|-type|-app|-has-offer)$/;

const HiddenFields = ({ form }: Pick<DraftForm, 'form'>): VNode => (
  <>
    {[...form.keys()]
      .filter((name) => HIDDEN.test(name))
      .map((name) => (
        <input key={name} type="hidden" name={name} value={valueOf(form, name)} />
      ))}
  </>
);

/** A new draft is incomplete, which is no fault. */
function toneOf(isRefused: boolean, isChecked: boolean): Tone {
  if (!isChecked) return 'idle';
  return isRefused ? 'bad' : 'warn';
}

/** What keeps the draft from being accepted, with links to the fields. */
function Findings(): VNode {
  const { findings, isChecked } = useEdited();
  const refused = findings.filter(({ level }) => level === 'refused');
  const likely = findings.filter(({ level }) => level === 'likely');
  return (
    <Part id="findings">
      {findings.length === 0 ? (
        <p class="quiet">{t('Nothing to correct: this draft follows the rules of WhatsApp.')}</p>
      ) : (
        <details
          class="notice editor-findings"
          data-tone={toneOf(refused.length > 0, isChecked)}
          open={isChecked}
        >
          <summary>
            {refused.length > 0
              ? t('{count, plural, one {One thing} other {# things}} to correct before you can submit it', {
                  count: refused.length,
                })
              : t('{count, plural, one {One thing} other {# things}} that the review may refuse', {
                  count: likely.length,
                })}
          </summary>
          <FindingList findings={[...refused, ...likely]} />
        </details>
      )}
    </Part>
  );
}

function FindingList({ findings }: { findings: Finding[] }): VNode {
  const { content } = useEdited().draft;
  const isOne = content.languages.length === 1;
  const languageOf = ({ language, field }: Finding) =>
    !isOne && field.startsWith('l') && languageWord(content.languages[language]?.language ?? '');
  return (
    <ul>
      {findings.map((finding, index) => (
        <li key={index}>
          {finding.field !== '' && (
            <>
              <a href={`#field-${finding.field}`}>
                {languageOf(finding) && <span class="language-name">{languageOf(finding)} · </span>}
                {placeOf(finding.field)}
              </a>
              :{' '}
            </>
          )}
          {finding.level === 'likely'
            ? t('The review may refuse this: {reason}', { reason: finding.sentence })
            : finding.sentence}
        </li>
      ))}
    </ul>
  );
}

const indexIn = (field: string, letter: string): number | null => {
  const found = new RegExp(`^l\\d+-(?:.*-)?${letter}(\\d+)-`).exec(field)?.[1];
  return found === undefined ? null : Number(found) + 1;
};
const cardOf = (field: string): string | false => {
  const number = indexIn(field, 'c');
  return number !== null && t('Card {number}', { number });
};
const buttonOf = (field: string): string | false => {
  const number = indexIn(field, 'b');
  return number !== null && t('Button {number}', { number });
};

/** "Card 1 · Button 2 · Button text" */
const placeOf = (field: string): string =>
  [cardOf(field), buttonOf(field), fieldWord(field)].filter(Boolean).join(' · ');

function General(): VNode {
  const { form } = useEdited().form;
  const category = valueOf(form, 'category');
  const words: Record<string, () => string> = {
    UTILITY: () => t('About something the contact ordered or asked for: an order, a booking, an invoice.'),
    MARKETING: () => t('Offers, news and anything else that invites people to buy or to come back.'),
    AUTHENTICATION: () => t('A one-time code to log in or to confirm something. WhatsApp writes the text.'),
  };
  const known = CATEGORIES.find((one) => one === category);
  return (
    <Card>
      <div class="editor-general">
        <TextField
          name="name"
          label={fieldWord('name')}
          placeholder="order_shipped"
          hint={useNotes('name', t('Lowercase letters, digits and “_”. Contacts do not see it.'))}
        />
        <ChoiceField
          name="category"
          label={fieldWord('category')}
          hint={useNotes('category')}
          choices={[
            ...CATEGORIES.map((value) => ({ value, label: categoryWord(value), hint: words[value]?.() })),
            ...(known || category === '' ? [] : [{ value: category, label: categoryWord(category) }]),
          ]}
        />
        <div class="editor-group">
          <ChoiceField
            name="format"
            label={fieldWord('format')}
            hint={useNotes(
              'format',
              t(
                'A variable is a place in the text that each message fills in, such as the name of the contact.',
              ),
            )}
            choices={[
              { value: 'POSITIONAL', label: t('Numbered: {example}', { example: '{{1}}, {{2}}' }) },
              { value: 'NAMED', label: t('Named: {example}', { example: '{{name}}, {{order}}' }) },
            ]}
          />
          <details class="more" open={valueOf(form, 'ttl') !== ''}>
            <summary>{t('Time to live')}</summary>
            <TextField
              name="ttl"
              label={fieldWord('ttl')}
              optional
              inputmode="numeric"
              hint={useNotes(
                'ttl',
                t('WhatsApp tries to deliver a message for this long, for example while the phone is off.'),
              )}
            />
          </details>
        </div>
      </div>
    </Card>
  );
}

const NewLanguage = (): VNode => {
  const { content } = useEdited().draft;
  const taken = content.languages.map(({ language }) => language);
  return (
    <Card>
      <div class="with-button">
        <SelectField
          name="new-language"
          label={t('Another language')}
          hint={t('It starts as a copy of the first one. Then translate its texts.')}
          choices={languageChoices('').filter(({ value }) => !taken.includes(value))}
        />
        <Submit tone="plain" name="do" value="add-language">
          {t('Add language')}
        </Submit>
      </div>
    </Card>
  );
};

/** The parts that the script replaces while somebody types. */
export const LiveParts = ({ edited }: { edited: Edited }): VNode => (
  <EditedContext.Provider value={edited}>
    <Findings />
    {edited.draft.content.languages.map((_, index) => (
      <Fragment key={index}>
        <DraftPreview index={index} />
        <Samples of={`l${index}-header`} />
        <Samples of={`l${index}-body`} />
      </Fragment>
    ))}
  </EditedContext.Provider>
);

/** For readers who may not change the draft. */
export const Previews = ({ edited }: { edited: Edited }): VNode => (
  <EditedContext.Provider value={edited}>
    <div class="editor-languages">
      {edited.draft.content.languages.map(({ language }, index) => (
        <Card key={index} title={languageWord(language)}>
          <DraftPreview index={index} />
        </Card>
      ))}
    </div>
  </EditedContext.Provider>
);
