import { type VNode } from 'preact';
import { KINDS, LANGUAGES, LENGTHS } from '../../../templates/rules/table';
import { t } from '../../languages/t';
import { CheckField, SelectField, Submit, TextField } from '../../ui/form';
import { categoryWord } from '../../ui/words/kind-words';
import { languageWord } from '../../ui/words/template-words';
import { ButtonFields } from './button-fields';
import { Cards } from './card-fields';
import { useEdited, useNotes, valueOf } from './edited';
import { fieldWord } from './field-words';
import { BodyFields, HeaderFields, ofCode, ordinary, Others } from './message-fields';
import { DraftPreview } from './draft-preview';

/** One language of the draft, with its preview. */
export function LanguageFields({ index }: { index: number }): VNode {
  const { form } = useEdited().form;
  const prefix = `l${index}-`;
  const language = valueOf(form, `${prefix}language`);
  const title = language === '' ? t('Choose a language') : languageWord(language);
  return (
    <section class="card editor-language" id={`part-l${index}`} aria-labelledby={`title-l${index}`}>
      <h2 id={`title-l${index}`} class="language-name">
        {title}
      </h2>
      <div class="editor-preview" tabIndex={0} role="group" aria-label={t('Preview')}>
        <p class="label">{t('Preview')}</p>
        <DraftPreview index={index} />
      </div>
      <div class="editor-fields">
        <SelectField
          name={`${prefix}language`}
          label={fieldWord('-language')}
          choices={languageChoices(language)}
          hint={useNotes(`${prefix}language`)}
        />
        <HeaderFields prefix={prefix} formats={KINDS.header} />
        <BodyFields prefix={prefix} most={LENGTHS.body} />
        <Offer prefix={prefix} />
        <FooterFields prefix={prefix} />
        <ButtonFields prefix={prefix} isCard={false} />
        <Cards prefix={prefix} />
        <Others prefix={prefix} />
        <details class="more">
          <summary>{t('Remove this language')}</summary>
          <p class="hint">{t('Its texts are deleted from the draft.')}</p>
          <Submit tone="danger" name="do" value={`remove-language l${index}`}>
            {t('Remove {language}', { language: title })}
          </Submit>
        </details>
      </div>
    </section>
  );
}

/** The languages of the platform by name, and the given one if the platform does not have it. */
export function languageChoices(given: string): { value: string; label: string }[] {
  const all = LANGUAGES.map((value) => ({ value, label: languageWord(value) }));
  const sorted = all.toSorted((one, other) => one.label.localeCompare(other.label));
  return LANGUAGES.includes(given)
    ? sorted
    : [{ value: given, label: given || t('Choose a language') }, ...sorted];
}

function FooterFields({ prefix }: { prefix: string }): VNode {
  const { form } = useEdited().form;
  const name = `${prefix}footer`;
  return (
    <>
      <div class={ordinary(valueOf(form, name) !== '')}>
        <TextField
          name={name}
          label={fieldWord(name)}
          optional
          placeholder={t('Reply STOP to unsubscribe')}
          hint={useNotes(name, t('Small text below, without variables.'), LENGTHS.footer)}
        />
      </div>
      <div class={ofCode(valueOf(form, `${name}-minutes`) !== '')}>
        <TextField
          name={`${name}-minutes`}
          label={fieldWord('-footer-minutes')}
          optional
          inputmode="numeric"
          placeholder="10"
          hint={useNotes(`${name}-minutes`, t('From 1 to 90. WhatsApp writes it below the text.'))}
        />
      </div>
    </>
  );
}

/** A limited-time offer. */
function Offer({ prefix }: { prefix: string }): VNode {
  const { form } = useEdited().form;
  const name = `${prefix}offer`;
  const at = prefix.slice(0, -1);
  const notes = useNotes(name, t('What ends soon, such as “Summer sale”.'), LENGTHS.offer);
  if (!form.has(`${prefix}has-offer`))
    return (
      <div class="editor-marketing">
        <Submit tone="plain" name="do" value={`add-offer ${at}`}>
          {t('Add limited-time offer')}
        </Submit>
      </div>
    );
  return (
    <fieldset class="editor-box">
      <legend>{t('Limited-time offer')}</legend>
      <p class="hint">{t('Only in the category {category}.', { category: categoryWord('MARKETING') })}</p>
      <TextField name={name} label={fieldWord(name)} hint={notes} />
      <CheckField name={`${name}-expires`} label={fieldWord('-offer-expires')} />
      <Submit tone="quiet" name="do" value={`remove-offer ${at}`}>
        {t('Remove the offer')}
      </Submit>
    </fieldset>
  );
}
