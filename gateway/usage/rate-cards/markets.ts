import { OTHERS } from '../prices';

/**
 * The countries of the markets that are regions, from "Country calling codes" at
 * developers.facebook.com/docs/whatsapp/pricing, as of July 2026. It includes countries that have become markets of
 * their own since 2025, such as Poland and Morocco: a card that names them has their price, older cards do not.
 */
const REGIONS: Record<string, string> = {
  'north america': 'CA US',
  'rest of africa':
    'AO BF BI BJ BW CG CI CM DZ ER ET GA GH GM GW KE LR LS LY MA MG ML MR MW MZ NA NE RW SD SL SN SO SS SZ TD TG TN TZ UG ZM ZW',
  'rest of asia pacific': 'AF AU BD CN HK JP KH LA LK MN NP NZ PG PH SG TH TJ TM TW UZ VN',
  'rest of central and eastern europe': 'AL AM AZ BG BY CZ GE GR HR HU LT LV MD MK PL RO RS SI SK UA',
  'rest of latin america': 'BO CR DO EC GT HN HT JM NI PA PR PY SV UY VE',
  'rest of middle east': 'BH IQ JO KW LB OM QA YE',
  'rest of western europe': 'AT BE CH DK FI IE NO PT SE',
};

/** Names of all other countries together. */
const NAMES_OF_OTHERS = new Set(['other', 'others', 'all other countries', OTHERS]);

/** Names that the platform uses and `Intl.DisplayNames` does not. */
const OTHER_NAMES: Record<string, string> = {
  'czech republic': 'CZ',
  'ivory coast': 'CI',
  'republic of the congo': 'CG',
  swaziland: 'SZ',
  turkey: 'TR',
};

/** The letters and digits of a name, without accents: `Türkiye` and `turkiye` are the same. */
export const plainName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}*]+/gu, ' ')
    .trim();

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const GROUPS_OF_COUNTRIES = ['EU', 'EZ', 'QO', 'UN', 'ZZ'];

/** Former codes, such as DD, have the name of their successor and are left out. */
const countryCodes = () =>
  LETTERS.flatMap((one) => LETTERS.map((other) => one + other)).filter(
    (code) => new Intl.Locale(`und-${code}`).region === code && !GROUPS_OF_COUNTRIES.includes(code),
  );

/** The code of each country (ISO 3166 alpha-2) by its names in the languages of the panel. */
function countriesByName(): Map<string, string> {
  const codes = new Map(Object.entries(OTHER_NAMES));
  const all = countryCodes();
  for (const language of ['en', 'pt', 'es'])
    for (const style of ['long', 'short'] as const) {
      const names = new Intl.DisplayNames(language, { type: 'region', style, fallback: 'none' });
      for (const code of all) {
        const name = names.of(code);
        if (name === undefined) continue;
        codes.set(code.toLowerCase(), code);
        if (!codes.has(plainName(name))) codes.set(plainName(name), code);
      }
    }
  return codes;
}

let byName: Map<string, string> | null = null;

/** The countries of a market, and whether it is a region; null if it is unknown. `*` is all other countries. */
export function countriesOf(market: string): { countries: string[]; isRegion: boolean } | null {
  const name = plainName(market);
  if (NAMES_OF_OTHERS.has(name)) return { countries: [OTHERS], isRegion: false };
  const region = Object.hasOwn(REGIONS, name) ? REGIONS[name] : undefined;
  if (region !== undefined) return { countries: region.split(' '), isRegion: true };
  byName ??= countriesByName();
  const country = byName.get(name);
  return country === undefined ? null : { countries: [country], isRegion: false };
}
