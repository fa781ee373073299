import type * as MessageFormatModule from 'intl-messageformat';
import { type ComponentChild, type ComponentChildren, type VNode } from 'preact';
import { once } from '../../primitives/once';
import { WRITTEN, languageNow, type Language } from '../../wording/language';
import { textsIn } from './texts';

type Values = Record<string, string | number>;
/** Renders a tag from the parts inside it. */
type Tag = (parts: ComponentChildren) => VNode;
type RichValues = Record<string, ComponentChild | Tag>;

/** Tags for every rich text, unless the text has its own. */
const TAGS: Record<string, Tag> = {
  strong: (parts) => <strong>{parts}</strong>,
  code: (parts) => <code>{parts}</code>,
};

/** Parsed messages by language and text. Bounded by the number of texts in the sources. */
const formats = new Map<string, Pick<MessageFormatModule.IntlMessageFormat, 'format'>>();

/**
 * A text in the language of the page. The English text in the source is the key of its translations, in ICU
 * message syntax: `t('{count, plural, one {# event is waiting} other {# events are waiting}}', { count })`.
 * It must be a literal and a whole sentence, so that a test can find it and a translator can order its words.
 */
export const t = (english: string, values: Values = {}): string => written(english, english, values);

/** A word that other languages inflect by its noun: `t.of('destination', 'paused')`. */
t.of = (subject: string, english: string, values: Values = {}): string =>
  written(`${english} [${subject}]`, english, values);

/**
 * A text with elements: `t.rich('See the <link>events</link>.', { link: (parts) => <a href=…>{parts}</a> })`.
 */
t.rich = (english: string, values: RichValues = {}): ComponentChildren => {
  const language = languageNow();
  const message = messageOf(language, english, english);
  return formatOf(language, message).format<ComponentChild>({ ...TAGS, ...values } as never);
};

/**
 * A fixed text from outside the panel, such as the label of an alert channel. Its translation is in
 * `known.json`.
 */
t.known = (english: string): string => messageOf(languageNow(), english, english);

function written(key: string, english: string, values: Values): string {
  const language = languageNow();
  const message = messageOf(language, key, english);
  return /[{<]/.test(message) ? String(formatOf(language, message).format(values)) : message;
}

const messageOf = (language: Language, key: string, english: string): string =>
  language === 'en' ? english : (textsIn(language).get(key) ?? english);

function formatOf(language: Language, message: string) {
  const key = `${language} ${message}`;
  const known = formats.get(key);
  if (known) return known;
  const { MessageFormat, formatters } = library();
  const made = new MessageFormat(message, WRITTEN[language].tag, undefined, { formatters });
  formats.set(key, made);
  return made;
}

/** Loaded with the first text that needs it, so that a start doesn't wait. */
const library = once(() => {
  const { IntlMessageFormat } = require('intl-messageformat') as typeof MessageFormatModule;
  const numbers = new Map<string, Intl.NumberFormat>();
  const plurals = new Map<string, Intl.PluralRules>();
  return {
    MessageFormat: IntlMessageFormat,
    // Shared by all texts, instead of new formatters for each.
    formatters: {
      getNumberFormat: kept(numbers, (tags, options) => new Intl.NumberFormat(tags, options as never)),
      getPluralRules: kept(plurals, (tags, options) => new Intl.PluralRules(tags, options as never)),
      getDateTimeFormat: (...given: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
        new Intl.DateTimeFormat(...given),
    },
  };
});

const kept =
  <T,>(made: Map<string, T>, make: (tags?: string | string[], options?: object) => T) =>
  (tags?: string | string[], options?: object): T => {
    const key = JSON.stringify([tags, options]);
    const one = made.get(key) ?? make(tags, options);
    made.set(key, one);
    return one;
  };
