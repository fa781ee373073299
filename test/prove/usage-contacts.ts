import { type StatusPathName } from '../../gateway/sandbox/contacts/status-paths';

/** Whom lines send to, and how the platform reports what happens to their messages. */
export interface Contact {
  /** A number in digits or a user id. */
  address: string;
  isUserId: boolean;
  /** ISO 3166 alpha-2, or `??`. */
  country: string;
  path: StatusPathName;
  /** Index of the only line that it writes to and hears from. */
  line: number;
}

/** The first digits of numbers, or the prefix of user ids, with the country that each of them tells. */
const BEGINNINGS: readonly [string, string][] = [
  ['1202555', 'US'],
  // The calling code 1 belongs to 25 countries, 7 to two.
  ['1416555', 'CA'],
  ['1876555', 'JM'],
  ['7701555', 'KZ'],
  ['7495555', 'RU'],
  ['5511955', 'BR'],
  ['3519155', 'PT'],
  ['US.', 'US'],
  ['MX.', 'MX'],
  // Belongs to no country.
  ['8835100', '??'],
];

const PATHS: readonly StatusPathName[] = [
  ...(['read', 'delivered', 'sent', 'read_without_delivered', 'failed', 'repeated'] as const),
  ...(['out_of_order', 'in_one_notification', 'before_the_answer', 'late'] as const),
];

/**
 * The country of the contacts whose statuses are lost. The platform delivered and charged their messages, but never
 * told so.
 */
export const LOST = 'NZ';

/** @param lines how many lines share the contacts */
export const contactsOf = (lines: number): Contact[] =>
  [
    ...BEGINNINGS.flatMap(([beginning, country]) =>
      PATHS.map((path, index) => contactAt(beginning, country, index, path)),
    ),
    ...[0, 1, 2].map((index) => contactAt('6421555', LOST, index, 'lost')),
  ].map((contact, index) => ({ ...contact, line: index % lines }));

const contactAt = (beginning: string, country: string, index: number, path: StatusPathName) => {
  const isUserId = beginning.endsWith('.');
  const end = isUserId ? `13491208655302741${100 + index}` : `0${100 + index}`;
  return { address: `${beginning}${end}`, isUserId, country, path };
};
