import { type ComponentChildren, type VNode } from 'preact';
import { entries, isObject, objects, type Json } from '../../cloud-api/json/json-value';
import { PLACEHOLDER } from '../../cloud-api/template';
import { FILE_HEADERS } from '../../templates/rules/table';
import { kindOf } from '../../templates/rules/report';
import { samplesIn } from '../../templates/rules/texts';
import { type FormState } from '../form-state';
import { t } from '../languages/t';
import { Shown } from '../ui/form';
import { formatted } from '../ui/formatted-text';
import { buttonWord, directionOf, headerWord, languageWord, tagOf } from '../ui/words/template-words';
import { authenticationTexts, ENGLISH_TEXTS } from './authentication-texts';
import { nameOf } from './template-form';
import { samplesOf, variablesOf } from './template-samples';

interface PreviewedTemplate {
  name: string;
  language: string;
  components: readonly Json[];
}

interface TemplatePreviewProps {
  template: PreviewedTemplate;
  /**
   * What stands for variables: the values of a form, which the preview shows while they are typed, or the samples of
   * the template. Without it: the variables.
   */
  values?: FormState | 'samples';
  /** The address of the picture of a sample; null if it has none. */
  pictureOf?: (handle: unknown) => string | null;
}

type PartProps = Pick<TemplatePreviewProps, 'pictureOf' | 'values'> & { lang: string | undefined };

/** A template as the recipient sees it, with marked values. */
export function TemplatePreview({ template, values, pictureOf }: TemplatePreviewProps): VNode {
  const { name, language, components } = template;
  const part = partsOf(components);
  const cards = objects(part('CAROUSEL')?.cards);
  const props = { values, pictureOf, lang: tagOf(language) };
  return (
    <div
      class="template-chat"
      role="group"
      aria-label={t('Preview of {name}', { name })}
      dir={directionOf(language)}
    >
      {part('BODY') && isWrittenByPlatform(components) ? (
        <CodeMessage values={values} language={language} components={components} />
      ) : (
        <Message {...props} components={components} isCard={false} />
      )}
      {cards.length > 0 && (
        <div class="template-cards" data-scroll="" tabIndex={0} role="group" aria-label={t('Cards')}>
          {cards.map((card, index) => (
            <div key={index}>
              <Message
                {...props}
                values={values === 'samples' ? values : undefined}
                components={objects(card.components)}
                isCard
              />
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

const partsOf =
  (components: readonly Json[]) =>
  (type: string): Json | undefined =>
    components.find((component) => kindOf(component.type) === type);

const textIn = (json: Json | undefined, field: string): string =>
  typeof json?.[field] === 'string' ? json[field] : '';

interface MessageProps extends PartProps {
  components: readonly Json[];
  isCard: boolean;
}

function Message({ components, isCard, values, pictureOf, lang }: MessageProps): VNode {
  const part = partsOf(components);
  const [header, body, footer] = ['HEADER', 'BODY', 'FOOTER'].map(part);
  const offer = part('LIMITED_TIME_OFFER')?.limited_time_offer;
  const text = textIn(body, 'text');
  const samples = samplesOf(body, 'body_text', text);
  const own = textIn(footer, 'text');
  return (
    <>
      <div class="template-bubble">
        {header && <Header {...{ header, values, pictureOf, lang }} />}
        {isObject(offer) && (
          <>
            <p class="template-header" lang={lang}>
              {textIn(offer, 'text') || '…'}
            </p>
            {offer.has_expiration === true && <p class="quiet small">{t('With a countdown')}</p>}
          </>
        )}
        {text ? (
          <p lang={lang}>
            {formatted(text, (one) =>
              filled({ text: one, nameOfField: (name) => nameOf('body', name), values, samples }),
            )}
          </p>
        ) : (
          !isCard && <p class="quiet">{t('No text.')}</p>
        )}
        {own && (
          <p class="quiet small" lang={lang}>
            {own}
          </p>
        )}
      </div>
      <Buttons buttons={entries(part('BUTTONS')?.buttons)} values={values} lang={lang} />
    </>
  );
}

function Header({ header, values, pictureOf, lang }: PartProps & { header: Json }): VNode {
  const format = kindOf(header.format) || 'TEXT';
  const text = textIn(header, 'text');
  if (format === 'TEXT')
    return (
      <p class="template-header" lang={lang}>
        {filled({
          text,
          nameOfField: (name) => nameOf('header', name),
          values,
          samples: samplesOf(header, 'header_text', text),
        })}
      </p>
    );
  const handle = isObject(header.example) ? entries(header.example.header_handle)[0] : undefined;
  const picture = FILE_HEADERS.includes(format) ? pictureOf?.(handle) : null;
  return picture ? (
    <img class="template-picture" src={picture} alt={headerWord(format)} />
  ) : (
    <div class="template-media">{headerWord(format)}</div>
  );
}

interface FilledProps {
  text: string;
  /** The name of a variable's field in the form. */
  nameOfField: (name: string) => string;
  values: FormState | 'samples' | undefined;
  samples: Map<string, string>;
}

/** A text with marked values in place of its variables. */
const filled = ({ text, ...props }: FilledProps): ComponentChildren[] =>
  text.split(PLACEHOLDER).map((piece, index) =>
    index % 2 ? (
      <span key={index} class="template-value">
        <Value {...props} place={piece} />
      </span>
    ) : (
      piece
    ),
  );

/** @param place the variable, as in the text */
function Value({
  nameOfField,
  values,
  samples,
  place,
}: Omit<FilledProps, 'text'> & { place: string }): VNode {
  const name = place.replace(/[{}\s]/g, '');
  if (values === 'samples') return <>{samples.get(name) || place}</>;
  return values ? <Shown state={values} name={nameOfField(name)} empty={place} /> : <>{place}</>;
}

/** The most buttons in a message. Of more, a message shows two and a button for all. */
const MOST_BUTTONS = 3;

type ButtonProps = Pick<PartProps, 'values' | 'lang'>;

function Buttons({ buttons, ...props }: ButtonProps & { buttons: unknown[] }): VNode | null {
  if (buttons.length === 0) return null;
  const shown = buttons.length > MOST_BUTTONS ? 2 : buttons.length;
  const all = buttons.map((each, index) => (
    <Button key={index} button={isObject(each) ? each : {}} index={index} {...props} />
  ));
  return (
    <>
      <ul class="template-buttons">{all.slice(0, shown)}</ul>
      {all.length > shown && (
        <details class="template-more">
          <summary>{t('See all options')}</summary>
          <ul class="template-buttons">{all.slice(shown)}</ul>
        </details>
      )}
    </>
  );
}

function Button({ button, index, values, lang }: ButtonProps & { button: Json; index: number }): VNode {
  const type = textIn(button, 'type') || 'unknown';
  const label = textIn(button, 'text');
  const target = textIn(button, 'url') || textIn(button, 'phone_number');
  const [sample = ''] = samplesIn(button.example);
  const samples = new Map(variablesOf(target).map((name) => [name, sample]));
  const nameOfField = () => nameOf('button', String(index));
  // The platform also takes the whole address as the sample.
  const isWhole = values === 'samples' && samples.size > 0 && /^https?:/i.test(sample);
  return (
    <li data-type={type.toLowerCase()}>
      {label ? <span lang={lang}>{label}</span> : buttonWord(type)}
      {target && (
        <div class="quiet small" dir="ltr">
          {isWhole ? sample : filled({ text: target, nameOfField, values, samples })}
        </div>
      )}
    </li>
  );
}

const hasCodeButton = (components: readonly Json[]): boolean =>
  objects(partsOf(components)('BUTTONS')?.buttons).some(({ type }) => kindOf(type) === 'OTP');

/** Whether the platform writes the text: it does for authentication templates, which have none in a creation. */
function isWrittenByPlatform(components: readonly Json[]): boolean {
  const body = partsOf(components)('BODY');
  const isOfCode = body?.add_security_recommendation !== undefined || hasCodeButton(components);
  return body !== undefined && textIn(body, 'text') === '' && isOfCode;
}

/** An authentication template, with the platform's texts. */
function CodeMessage({ components, language, values }: CodeMessageProps): VNode {
  const known = authenticationTexts(language);
  const texts = known ?? ENGLISH_TEXTS;
  const lang = known ? tagOf(language) : 'en';
  const part = partsOf(components);
  const minutes = part('FOOTER')?.code_expiration_minutes;
  const [button] = objects(part('BUTTONS')?.buttons);
  const isCopied = kindOf(button?.otp_type) !== 'ONE_TAP';
  const label = textIn(button, isCopied ? 'text' : 'autofill_text') || texts[isCopied ? 'copy' : 'autofill'];
  const advice = part('BODY')?.add_security_recommendation === true ? ` ${texts.advice}` : '';
  const samples = new Map([['1', '123456']]);
  return (
    <>
      <div class="template-bubble">
        <p lang={lang}>
          {formatted(`${texts.body}${advice}`, (text) =>
            filled({ text, nameOfField: (name) => nameOf('body', name), values, samples }),
          )}
        </p>
        {minutes !== undefined && (
          <p class="quiet small" lang={lang}>
            {texts.expiry.replace('{minutes}', String(minutes))}
          </p>
        )}
      </div>
      {/* A code of zero tap reaches the app without a button. */}
      {button && kindOf(button.otp_type) !== 'ZERO_TAP' && (
        <ul class="template-buttons">
          <li data-type="otp" lang={lang}>
            {label}
          </li>
        </ul>
      )}
      {!known && (
        <p class="hint">
          {t('WhatsApp writes this text in the language of the template: {language}.', {
            language: languageWord(language),
          })}
        </p>
      )}
    </>
  );
}

interface CodeMessageProps extends Pick<PartProps, 'values'> {
  language: string;
  components: readonly Json[];
}
