import { CsvError, parse } from 'csv-parse/sync';
import { quoted } from '../../errors';
import { fact, type Fact } from '../../wording/facts';
import { microsIn } from '../micros';
import { type Rates } from '../prices';
import { countriesOf, plainName } from './markets';

/** A line of the file that was not understood. */
export interface LineFault {
  /** From 1. */
  line: number;
  fault: Fact;
}

/** A market as the file names it, with the countries that have its prices. */
export interface Market {
  name: string;
  countries: string[];
}

export interface ReadCard {
  /** ISO 4217; empty if there are faults. */
  currency: string;
  markets: Market[];
  rates: Rates;
  /** Nothing may be imported unless this is empty. */
  faults: LineFault[];
}

/** Lines above the header: a title, and notes. */
const MOST_ABOVE = 30;
const MOST_LINES = 1_000;

/** Marks of currencies in the platform's files. */
const CURRENCY_MARKS: Record<string, string> = { $US: 'USD', US$: 'USD', R$: 'BRL' };

const WITHOUT_PRICE = new Set(['', 'n/a', 'na', '-', '–']);

interface Row {
  line: number;
  cells: string[];
}

interface Header {
  market: number;
  currency: number;
  categories: { name: string; column: number }[];
}

/** A row whose cells were understood. */
interface Priced {
  line: number;
  name: string;
  countries: string[];
  isRegion: boolean;
  currency: string;
  prices: Map<string, number | null>;
}

/**
 * Reads a rate card as the platform publishes it: titles, a header (`Market`, `Currency`, and a column for each
 * category of messages), and a line for each market, which is a country or a region. Countries may also be ISO codes.
 * @param text CSV with commas, semicolons or tabs; prices have a decimal point or a decimal comma
 */
export function readCard(text: string): ReadCard {
  const { header, rows, fault } = tableIn(text);
  if (!header) return { currency: '', markets: [], rates: {}, faults: [fault] };
  const faults: LineFault[] = [];
  const reader = new RowReader(header, signIn(header, rows));
  const read: Priced[] = [];
  for (const row of rows) {
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    const found = reader.read(row);
    if ('fault' in found) faults.push(found);
    else read.push(found);
  }
  if (!read.length && !faults.length) faults.push({ line: 1, fault: fact('rate_card.empty', {}) });
  return { currency: read[0]?.currency ?? '', ...expanded(read, header), faults };
}

/** The header and the rows below it, with the separator that makes the header readable. */
function tableIn(
  text: string,
): { header: Header; rows: Row[]; fault?: never } | { header: null; rows: []; fault: LineFault } {
  let fault: LineFault = { line: 1, fault: fact('rate_card.header', {}) };
  for (const delimiter of [',', ';', '\t'])
    try {
      const rows = rowsOf(text, delimiter);
      for (const [place, { line, cells }] of rows.slice(0, MOST_ABOVE).entries()) {
        const header = headerIn(cells);
        if (!header) continue;
        const names = header.categories.map(({ name }) => name);
        const market = names.find((name, index) => names.indexOf(name) < index);
        if (market === undefined) return { header, rows: rows.slice(place + 1) };
        return { header: null, rows: [], fault: { line, fault: fact('rate_card.twice', { market }) } };
      }
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      fault = { line: Number(error.lines ?? 1), fault: fact('rate_card.quotes', {}) };
    }
  return { header: null, rows: [], fault };
}

const rowsOf = (text: string, delimiter: string): Row[] =>
  (
    parse(text, {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      to: MOST_LINES,
    }) as unknown as {
      record: string[];
      info: { lines: number };
    }[]
  ).map(({ record, info }) => ({ line: info.lines, cells: record }));

function headerIn(cells: string[]): Header | null {
  const names = cells.map(plainName);
  const market = names.findIndex((name) => ['market', 'country', 'country code'].includes(name));
  const currency = names.indexOf('currency');
  const categories = names
    .map((name, column) => ({ name: name.replaceAll(' ', '_'), column }))
    .filter(({ name, column }) => name !== '' && column !== market && column !== currency);
  return market < 0 || currency < 0 || !categories.length ? null : { market, currency, categories };
}

/** The sign before the decimals of the first price that has some; null if there is none. */
function signIn({ categories }: Header, rows: Row[]): string | null {
  const prices = rows.flatMap(({ cells }) => categories.map(({ column }) => (cells[column] ?? '').trim()));
  return prices.map((price) => microsIn(price)?.sign).find(Boolean) ?? null;
}

/** Reads rows, which must agree in their currency and in the sign before decimals, and name each country once. */
class RowReader {
  #currency: string | null = null;
  readonly #seen = new Set<string>();

  /** @param sign before decimals; null if the file has no decimals */
  constructor(
    private readonly header: Header,
    private readonly sign: string | null,
  ) {}

  read({ line, cells }: Row): Priced | LineFault {
    const { header } = this;
    const cell = (column: number) => (cells[column] ?? '').trim();
    const name = cell(header.market);
    const market = countriesOf(name);
    if (!market) return { line, fault: fact('rate_card.market', { given: quoted(name) }) };
    const { isRegion, countries } = market;
    const key = isRegion ? plainName(name) : (countries[0] ?? '');
    if (this.#seen.has(key)) return { line, fault: fact('rate_card.twice', { market: name }) };
    this.#seen.add(key);
    const currency = currencyIn(cell(header.currency));
    if (currency === null)
      return { line, fault: fact('rate_card.currency', { given: quoted(cell(header.currency)) }) };
    this.#currency ??= currency;
    if (currency !== this.#currency)
      return { line, fault: fact('rate_card.currencies', { currency, other: this.#currency }) };
    const prices = new Map<string, number | null>();
    for (const { name: category, column } of header.categories) {
      const price = this.#priceIn(cell(column));
      if (price === undefined)
        return { line, fault: fact('rate_card.price', { category, given: quoted(cell(column)) }) };
      prices.set(category, price);
    }
    return { line, name, countries, isRegion, currency, prices };
  }

  /** In millionths; null for no price, undefined for a text that is no price. */
  #priceIn(given: string): number | null | undefined {
    if (WITHOUT_PRICE.has(given.toLowerCase())) return null;
    const amount = microsIn(given, this.sign);
    return amount && (amount.sign === null || amount.sign === this.sign) ? amount.micros : undefined;
  }
}

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

function currencyIn(given: string): string | null {
  const code = (CURRENCY_MARKS[given] ?? given).toUpperCase();
  return CURRENCIES.has(code) ? code : null;
}

/** The countries of each row: those of a region are the ones that no other row names. */
function expanded(read: Priced[], { categories }: Header): Pick<ReadCard, 'markets' | 'rates'> {
  const named = new Set(read.flatMap(({ isRegion, countries }) => (isRegion ? [] : countries)));
  const markets = read.map((row) => ({
    ...row,
    countries: row.isRegion ? row.countries.filter((country) => !named.has(country)) : row.countries,
  }));
  const rates = Object.fromEntries(
    categories.map(({ name }) => [
      name,
      Object.fromEntries(
        markets.flatMap(({ countries, prices }) =>
          countries.map((country) => [country, prices.get(name) ?? null]),
        ),
      ),
    ]),
  );
  return { markets: markets.map(({ name, countries }) => ({ name, countries })), rates };
}
