import examples from 'libphonenumber-js/examples.mobile.json';
import { getCountryCallingCode, type CountryCode } from 'libphonenumber-js/max';
import { DECIDING, countryOf } from '../../../gateway/usage/country-of-number';

/** Their mobile numbers begin as those of a larger neighbour do. */
const SHARED: Record<string, string> = {
  AX: 'FI',
  BL: 'GP',
  CC: 'AU',
  CX: 'AU',
  EH: 'MA',
  MF: 'GP',
  SJ: 'NO',
  VA: 'IT',
};

const numbers = Object.entries(examples).map(([country, number]) => [
  country,
  `${getCountryCallingCode(country as CountryCode)}${number}`,
]);

describe('the country of a contact', () => {
  test('is right for an example number of every country', () => {
    const wrong = numbers.filter(
      ([country = '', number = '']) => countryOf(number) !== (SHARED[country] ?? country),
    );
    expect(wrong).toEqual([]);
    expect(numbers.length).toBeGreaterThan(230);
  });

  test.each([
    ['77012345678', 'KZ'],
    ['79161234567', 'RU'],
    ['14165550147', 'CA'],
    ['18765550147', 'JM'],
    ['12025550147', 'US'],
    ['US.13491208655302741918', 'US'],
    ['Y2FwaV9ncm91cDoxOTUwNTU1MDA3OToxMjAzNjMzOTQzMjAdOTY0MTUZD', '??'],
    ['0000', '??'],
    ['', '??'],
    [null, '??'],
  ])('%s: %s', (contact, country) => {
    expect(countryOf(contact)).toBe(country);
  });

  test('is decided by the first characters', () => {
    expect(
      numbers.filter(([, number = '']) => countryOf(number) !== countryOf(number.slice(0, DECIDING))),
    ).toEqual([]);
    expect(DECIDING).toBe(7);
  });
});
