import { t } from '../../languages/t';

/** The labels of fields, by the end of their names. */
const words = (): [RegExp, (match: RegExpExecArray) => string][] => [
  [/^name$/, () => t('Name')],
  [/^category$/, () => t('Category')],
  [/^format$/, () => t('Variables')],
  [/^ttl$/, () => t('Time to live, in seconds')],
  [/-language$/, () => t('Language')],
  [/-sample-(.+)$/, ([, name = '']) => t('Sample for {variable}', { variable: `{{${name}}}` })],
  [/-header$/, () => t('Header')],
  [/-header-text$/, () => t('Header text')],
  [/-header-file$/, () => t('Sample file')],
  [/-body$/, () => t('Text')],
  [/-body-advice$/, () => t('Add “For your security, do not share this code.”')],
  [/-footer$/, () => t('Footer')],
  [/-footer-minutes$/, () => t('The code expires after, in minutes')],
  [/-offer$/, () => t('Text of the offer')],
  [/-offer-expires$/, () => t('Show a countdown')],
  [/-buttons$/, () => t('Buttons')],
  [/-cards$/, () => t('Carousel')],
  [/-text$/, () => t('Button text')],
  [/-url$/, () => t('Address of the website')],
  [/-phone$/, () => t('Phone number')],
  [/-flow$/, () => t('ID or name of the flow')],
  [/-screen$/, () => t('First screen of the flow')],
  [/-otp$/, () => t('How the code reaches the app')],
  [/-autofill$/, () => t('Button text to fill in the code')],
  [/-terms$/, () => t('We accept the terms of WhatsApp for zero-tap codes.')],
  [/-b\d+-sample$/, () => t('Sample')],
  [/-package$/, () => t('Package name of the app')],
  [/-hash$/, () => t('Signature hash of the app')],
];

/** The label of a field; empty if it has none. */
export function fieldWord(name: string): string {
  for (const [end, word] of words()) {
    const match = end.exec(name);
    if (match) return word(match);
  }
  return '';
}
