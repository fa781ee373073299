import { LANGUAGES } from '../../../templates/rules/table';
import { languageNow, WRITTEN } from '../../../wording/language';
import { t } from '../../languages/t';
import { messageKind } from './kind-words';

/** Labels of the buttons of templates, by the platform's kinds. */
const buttons = (): Record<string, string> => ({
  QUICK_REPLY: t('Quick reply'),
  URL: t('Open website'),
  PHONE_NUMBER: t('Call phone number'),
  COPY_CODE: t('Copy offer code'),
  OTP: t('One-time code'),
  FLOW: t('Open form (flow)'),
  CATALOG: t('View catalog'),
  MPM: t('View several products'),
  SPM: t('View one product'),
  VOICE_CALL: t('Call on WhatsApp'),
  VIDEO_CALL: t('Video call on WhatsApp'),
  POSTBACK: t('Postback'),
  ORDER_DETAILS: t('Review and pay'),
  PAYMENT_REQUEST: t('Payment request'),
  BOOKING_STATUS: t('Booking status'),
  REQUEST_CONTACT_INFO: t('Share contact'),
  APP: t('Open app'),
});

/** The label of a kind of button. Unknown kinds are shown in the platform's spelling. */
export const buttonWord = (kind: string): string => {
  const word = kind.toUpperCase();
  const known = buttons();
  return (Object.hasOwn(known, word) && known[word]) || kind.replaceAll('_', ' ');
};

/** The label of a kind of header; empty: no header. */
export function headerWord(format: string): string {
  const kind = format.toLowerCase();
  if (kind === '') return t.of('template', 'No header');
  if (kind === 'product') return t.of('template', 'Product');
  return kind === 'gif' ? 'GIF' : messageKind(kind);
}

/** The BCP 47 tag of a language of templates; undefined if the platform has no such language. */
export const tagOf = (language: string): string | undefined =>
  LANGUAGES.includes(language) ? language.replaceAll('_', '-') : undefined;

/** The name of a language of templates in the language of the page: "Portuguese (Brazil)". */
export function languageWord(language: string): string {
  const tag = tagOf(language);
  if (tag === undefined) return language;
  const here = WRITTEN[languageNow()].tag;
  const name = new Intl.DisplayNames([here], { type: 'language', languageDisplay: 'standard' }).of(tag);
  return name === undefined ? language : name.charAt(0).toLocaleUpperCase(here) + name.slice(1);
}

const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'prs', 'ps', 'ur'];

export const directionOf = (language: string): 'rtl' | 'ltr' =>
  RIGHT_TO_LEFT.includes(language.split(/[_-]/)[0] ?? '') ? 'rtl' : 'ltr';
