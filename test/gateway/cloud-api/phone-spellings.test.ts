import fc from 'fast-check';
import { contactsOf, spellingsOf } from '../../../gateway/cloud-api/phone-spellings';
import { isRecipient, normalizedRecipient } from '../../../gateway/cloud-api/validate/message-request';
import { isPhoneNumber } from '../../../gateway/lines/line-input';

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
const pattern = (text: string) => fc.stringMatching(new RegExp(`^${text}$`));

/** Pairs of what is dialled and what the platform may report for it. */
const brazil = fc
  .tuple(pattern('[1-9]\\d'), pattern('[6-9]\\d{7}'))
  .map(([area, number]) => [`55${area}9${number}`, `55${area}${number}`] as const);
const mexico = pattern('[2-9]\\d{9}').map((number) => [`52${number}`, `521${number}`] as const);
const argentina = pattern('[1-3]\\d{9}').map((number) => [`54${number}`, `549${number}`] as const);
const argentinaAtHome = fc
  .oneof(
    digits(8).map((number) => ['11', number]),
    fc.tuple(pattern('[23]\\d{2}'), digits(7)),
    fc.tuple(pattern('[23]\\d{3}'), digits(6)),
  )
  .map(([area, number]) => [`54${area}15${number}`, `549${area}${number}`] as const);

describe('the spellings of a number', () => {
  test.each([
    ['5511987654321', ['551187654321', '5511987654321']],
    ['551187654321', ['551187654321', '5511987654321']],
    ['525512345678', ['525512345678', '5215512345678']],
    ['5215512345678', ['525512345678', '5215512345678']],
    ['541158749895', ['541158749895', '5491158749895']],
    ['5491158749895', ['541158749895', '5491158749895']],
    ['54111558749895', ['541158749895', '5491158749895']],
    ['54221154567890', ['542214567890', '5492214567890']],
    ['54296615456789', ['542966456789', '5492966456789']],
  ])('%s may be reported as %j', (contact, spellings) => {
    expect(spellingsOf(contact)).toEqual(spellings);
  });

  test.each([
    ['a Brazilian landline', '551132345678'],
    ['a Brazilian mobile that only looks like a landline with a 9', '5511932345678'],
    ['a number of another country', '16505551234'],
    ['a number that only begins like one of Mexico', '5255123456'],
    ['a user id', 'US.13491208655302741918'],
    ['a parent user id', 'BR.ENT.5511987654321'],
    ['nothing', ''],
  ])('are one for %s', (_name, contact) => {
    expect(spellingsOf(contact)).toEqual([contact]);
  });

  test('are the same from whichever of them one starts', () => {
    fc.assert(
      fc.property(fc.oneof(brazil, mexico, argentina, argentinaAtHome), ([dialled, reported]) => {
        expect(spellingsOf(dialled)).toEqual(spellingsOf(reported));
        expect(spellingsOf(dialled)).toContain(reported);
        for (const spelling of spellingsOf(dialled))
          expect(spellingsOf(spelling)).toEqual(spellingsOf(dialled));
      }),
    );
  });

  test('of two different people never meet', () => {
    const number = fc.oneof(brazil, mexico, argentina).chain((pair) => fc.constantFrom(...pair));
    const people = fc.tuple(number, number).filter(([one, other]) => !spellingsOf(one).includes(other));
    fc.assert(
      fc.property(people, ([one, other]) => {
        expect(spellingsOf(one).filter((spelling) => spellingsOf(other).includes(spelling))).toEqual([]);
      }),
    );
  });

  test('keep country and the last six digits, whatever the text', () => {
    const contact = fc.oneof(
      fc.stringMatching(/^5[245]\d{0,13}$/),
      fc.stringMatching(/^\d{0,15}$/),
      fc.string(),
    );
    fc.assert(
      fc.property(contact, (text) => {
        const spellings = spellingsOf(text);
        expect(spellings.length).toBeLessThanOrEqual(2);
        expect(new Set(spellings).size).toBe(spellings.length);
        for (const spelling of spellings) {
          expect(spelling.slice(0, 2)).toBe(text.slice(0, 2));
          expect(spelling.slice(-6)).toBe(text.slice(-6));
        }
      }),
    );
  });
});

describe('a number as people copy it', () => {
  const INVISIBLE = [0xad, 0x200b, 0x200e, 0x200f, 0x202a, 0x202c, 0x202e, 0x2060, 0x2066, 0x2069, 0xfeff];
  const HYPHENS = [0x2010, 0x2011, 0x2013, 0x2014, 0x2015, 0x2212];
  const copied = (code: number) => {
    const mark = String.fromCodePoint(code);
    return `${mark}+1${mark} (202) 555${mark}0147${mark}`;
  };

  test.each([
    ...[...INVISIBLE, ...HYPHENS].map((code) => [`U+${code.toString(16)}`, copied(code), '12025550147']),
    ['a national zero', '+44 (0)7911 123456', '447911123456'],
    ['a national zero after 00', '0044 (0) 7911 123456', '447911123456'],
    ['a national zero after a code in brackets', '(+49) (0)30-123456', '4930123456'],
    ['a national zero after a code of three digits', '+353\u00a0(0\u200e)87 123 4567', '353871234567'],
    ['a zero that is no national one', '+1202 (0)555014', '12020555014'],
  ])('is the number without %s', (_name, text, digits) => {
    expect(isRecipient(text)).toBe(true);
    expect(normalizedRecipient(text)).toBe(digits);
    expect(contactsOf(text)).toContain(digits);
    expect(isPhoneNumber(text)).toBe(true);
  });

  test('is none where there are only marks', () => {
    expect(isRecipient('\u202a+\u202c')).toBe(false);
    expect(isPhoneNumber('\u2013\u2013\u2013\u2013\u2013')).toBe(false);
  });
});
