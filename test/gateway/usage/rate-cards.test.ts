import { addCustomer, removeCustomer } from '../../../gateway/customers/manage-customers';
import { Refusal } from '../../../gateway/errors';
import { type Actor } from '../../../gateway/store/tables/audit';
import { createVault } from '../../../gateway/store/vault';
import { type AuditedDeps } from '../../../gateway/store/with-audit';
import { pricesOf, rateOf } from '../../../gateway/usage/prices';
import { differencesBetween } from '../../../gateway/usage/rate-cards/differences';
import {
  importRateCard,
  previewRateCard,
  removeRateCard,
} from '../../../gateway/usage/rate-cards/manage-rate-cards';
import { readCard } from '../../../gateway/usage/rate-cards/read-card';
import { say } from '../../../gateway/wording/say';
import { DATABASES } from '../../support/databases';
import { PLATFORM_CARD } from '../../support/rate-card';
import { openStores } from '../store/support';

const ACTOR: Actor = { who: 'a test', through: 'command', address: null };

const faultsOf = (text: string): string[] =>
  readCard(text).faults.map(({ line, fault }) => `${line}: ${say('en', fault)}`);

describe('a rate card as the platform publishes it', () => {
  const card = readCard(PLATFORM_CARD);

  test('has titles, a header with a line break, and n/a for what has no price', () => {
    expect(card).toMatchObject({ faults: [], currency: 'USD' });
    expect(Object.keys(card.rates)).toEqual([
      'marketing',
      'utility',
      'authentication',
      'authentication_international',
      'service',
    ]);
    expect(rateOf(card.rates, 'BR', 'marketing')).toBe(62_500);
    expect(rateOf(card.rates, 'TR', 'utility')).toBe(5_300);
    expect(rateOf(card.rates, 'IN', 'authentication_international')).toBe(28_000);
    expect(rateOf(card.rates, 'BR', 'authentication_international')).toBeNull();
  });

  test('gives a region’s prices to its countries, unless a line of their own names them', () => {
    const named = (name: string) => card.markets.find((one) => one.name === name)?.countries;
    expect(named('North America')).toEqual(['CA', 'US']);
    expect(named('Rest of Africa')).toContain('KE');
    expect(named('Rest of Africa')).not.toContain('MA');
    expect(rateOf(card.rates, 'KE', 'utility')).toBe(4_000);
    expect(rateOf(card.rates, 'MA', 'utility')).toBe(9_000);
  });

  test('has the price of "Other" for all countries that it does not name, and for unknown ones', () => {
    expect(rateOf(card.rates, 'IS', 'marketing')).toBe(60_400);
    expect(rateOf(card.rates, '??', 'marketing')).toBe(60_400);
    // A country with a line of its own has no other price.
    expect(rateOf(card.rates, 'MA', 'service')).toBeNull();
  });

  test('may have semicolons, decimal commas, a byte order mark, CRLF, and ISO codes', () => {
    const text = '\uFEFFCountry;Currency;Marketing\r\nbr;EUR;0,0518\r\n\r\nDE;EUR;1\r\n*;EUR;n/a\r\n';
    expect(readCard(text)).toEqual({
      currency: 'EUR',
      rates: { marketing: { BR: 51_800, DE: 1_000_000, '*': null } },
      markets: [
        { name: 'br', countries: ['BR'] },
        { name: 'DE', countries: ['DE'] },
        { name: '*', countries: ['*'] },
      ],
      faults: [],
    });
    expect(rateOf(readCard('Market,Currency,Utility\nBrasil,BRL,"0,05"').rates, 'BR', 'utility')).toBe(
      50_000,
    );
  });
});

test('a comma or a point before three digits is read only if other prices tell what it means', () => {
  const rupiah = (prices: string) => readCard(`Market;Currency;Marketing;Utility\nIndonesia;IDR;${prices}`);
  for (const prices of ['1,500;2,250', '1.500;5', '1,500;0.5', '1,500.25;2'])
    expect(rupiah(prices).faults).toHaveLength(1);
  expect(rupiah('1.500;0.5').rates).toEqual({ marketing: { ID: 1_500_000 }, utility: { ID: 500_000 } });
  expect(rupiah('0,500;1,500').rates).toEqual({ marketing: { ID: 500_000 }, utility: { ID: 1_500_000 } });
});

test('a category must not have two columns', () => {
  expect(faultsOf('Prices,,,\nMarket,Currency,Marketing,marketing\nBrazil,USD,0.1,0.2')).toEqual([
    '2: marketing is in the file twice.',
  ]);
});

test('each line that is not understood is named with its number, and why', () => {
  const head = 'Cost per message,,\nMarket,Currency,Marketing\n';
  expect(
    faultsOf(
      `${head}Brazil,USD,0.1\nAtlantis,USD,0.1\nBrazil,USD,0.2\nChile,Pesos,0.1\nPeru,EUR,0.1\nIndia,USD,free\nItaly,USD,"0,1"\nSpain,USD,0.1234567\n`,
    ),
  ).toEqual([
    '4: "Atlantis" is not a known market. Enter a country, its ISO code, or a region of the platform, such as Rest of Africa.',
    '5: Brazil is in the file twice.',
    '6: "Pesos" is not a currency. Enter a code such as USD.',
    '7: The currency is EUR, but USD in the lines above. Import a file for each currency.',
    '8: "free" is not a price (marketing). Enter a number such as 1234.5, with up to 6 decimals, or n/a.',
    '9: "0,1" is not a price (marketing). Enter a number such as 1234.5, with up to 6 decimals, or n/a.',
    '10: "0.1234567" is not a price (marketing). Enter a number such as 1234.5, with up to 6 decimals, or n/a.',
  ]);
  const header = /^1: No header found\./;
  expect(faultsOf('Brazil,USD,0.1')).toEqual([expect.stringMatching(header)]);
  expect(faultsOf('')).toEqual([expect.stringMatching(header)]);
  expect(faultsOf(head)).toEqual(['1: The file has no prices below its header.']);
  expect(faultsOf(`${head}"Brazil,USD,0.1\n`)).toEqual([
    expect.stringMatching(/^\d: A quotation mark is missing or in the wrong place\.$/),
  ]);
});

test('the differences to another card are grouped by market, category and earlier price', () => {
  const before = readCard(
    'Market,Currency,Marketing,Utility\nRest of Western Europe,USD,0.05,0.02\nSweden,USD,0.06,n/a\nIceland,USD,0.07,0.01\nOther,USD,0.04,0.01',
  );
  const after = readCard(
    'Market,Currency,Marketing,Utility\nRest of Western Europe,USD,0.055,0.02\nOther,USD,0.04,n/a',
  );
  const western = ['AT', 'BE', 'CH', 'DK', 'FI', 'IE', 'NO', 'PT'];
  const of = (market: string, category: string) => ({ market, category });
  expect(differencesBetween(before.rates, after.rates, after.markets)).toEqual([
    {
      ...of('Rest of Western Europe', 'marketing'),
      ...{ change: 'dearer', countries: western, before: 50_000, after: 55_000 },
    },
    {
      ...of('Rest of Western Europe', 'marketing'),
      ...{ change: 'cheaper', countries: ['SE'], before: 60_000, after: 55_000 },
    },
    {
      ...of('Rest of Western Europe', 'utility'),
      ...{ change: 'added', countries: ['SE'], before: null, after: 20_000 },
    },
    { ...of('Other', 'utility'), change: 'removed', countries: ['*'], before: 10_000, after: null },
    { ...of('IS', 'marketing'), change: 'cheaper', countries: ['IS'], before: 70_000, after: 40_000 },
    { ...of('IS', 'utility'), change: 'removed', countries: ['IS'], before: 10_000, after: null },
  ]);
});

describe.each(DATABASES)('rate cards on $name', ({ createUrl }) => {
  const open = openStores();
  let deps: AuditedDeps;
  let customerId: number;

  beforeEach(async () => {
    const store = await open(await createUrl());
    deps = {
      ...{ store, vault: createVault('a key for tests, and for nothing else') },
      ...{ registry: { refresh: async () => {} }, clock: () => Date.parse('2026-10-05T12:00:00.000Z') },
    };
    const added = await addCustomer(deps, ACTOR, null, { name: 'Loja', externalId: null });
    customerId = added.id;
  });

  const given = (effectiveFrom: string, price: string, of: number | null = null, currency = 'USD') => ({
    ...{ name: `Card ${price}`, effectiveFrom, customerId: of },
    csv: `Market,Currency,Marketing\nOther,${currency},${price}`,
  });
  const add = (...card: Parameters<typeof given>) => importRateCard(deps, ACTOR, null, given(...card));
  const priceOn = async (day: string, of: number | null = null) => {
    const priceOf = await pricesOf(deps.store, '2026-01-01', '2026-12-31');
    const price = priceOf({ customerId: of, day, country: 'BR', category: 'marketing' });
    return price && [price.micros, price.currency, price.card.name];
  };

  test('apply from their date until a later one; a customer’s own replace those for all', async () => {
    await add('2026-07-01', '0.10');
    await add('2026-10-01', '0.12');
    await add('2026-08-01', '0.20', customerId, 'EUR');
    expect(await priceOn('2026-06-30')).toBeNull();
    expect(await priceOn('2026-07-01')).toEqual([100_000, 'USD', 'Card 0.10']);
    expect(await priceOn('2026-10-01')).toEqual([120_000, 'USD', 'Card 0.12']);
    expect(await priceOn('2026-07-31', customerId)).toEqual([100_000, 'USD', 'Card 0.10']);
    expect(await priceOn('2026-10-01', customerId)).toEqual([200_000, 'EUR', 'Card 0.20']);
    const priceOf = await pricesOf(deps.store, '2026-10-02', '2026-10-03');
    expect(priceOf({ customerId: null, day: '2026-10-02', country: 'BR', category: 'utility' })).toBeNull();
  });

  test('of the same date, the one imported last applies; removed, the one before it does again', async () => {
    await add('2026-07-01', '0.10');
    const corrected = await add('2026-07-01', '0.11');
    expect(await priceOn('2026-07-01')).toEqual([110_000, 'USD', 'Card 0.11']);
    await removeRateCard(deps, ACTOR, null, corrected.id);
    expect(await priceOn('2026-07-01')).toEqual([100_000, 'USD', 'Card 0.10']);
    await expect(removeRateCard(deps, ACTOR, null, corrected.id)).rejects.toMatchObject({
      errorCode: 'not_found',
    });
  });

  test('are compared with the card that they replace, without storing anything', async () => {
    await add('2026-07-01', '0.10');
    const preview = await previewRateCard(deps, given('2026-10-01', '0.12', customerId));
    expect(preview).toMatchObject({
      ...{ faults: [], replaces: { name: 'Card 0.10' } },
      differences: [{ change: 'dearer', before: 100_000, after: 120_000 }],
    });
    // Prices in two currencies are not comparable.
    expect(await previewRateCard(deps, given('2026-10-01', '0.12', null, 'EUR'))).toMatchObject({
      ...{ replaces: { name: 'Card 0.10' }, differences: [{ change: 'added' }] },
    });
    expect(await deps.store.rateCards.all()).toHaveLength(1);
  });

  test('are refused with every fault, and then nothing is stored', async () => {
    const wrong = { ...given('2026-02-30', '0.1'), name: '' };
    for (const check of [previewRateCard(deps, wrong), importRateCard(deps, ACTOR, null, wrong)])
      await expect(check).rejects.toMatchObject({
        issues: [{ path: 'name' }, { path: 'effective_from' }],
      });
    const csv = 'Market,Currency,Marketing\nAtlantis,USD,0.1\nChile,USD,cheap';
    const refused = await importRateCard(deps, ACTOR, null, { ...given('2026-07-01', '1'), csv }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(Refusal);
    expect((refused as Refusal).issues?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Line 2: "Atlantis" is not a known market/),
      expect.stringMatching(/^Line 3: "cheap" is not a price/),
    ]);
    await expect(add('2026-07-01', '0.1', 999)).rejects.toMatchObject({ issues: [{ path: 'customer' }] });
    expect(await deps.store.rateCards.all()).toEqual([]);
  });

  test('are audited, also for the customer that they apply to, and go with it', async () => {
    await add('2026-07-01', '0.10', customerId);
    const [entry] = await deps.store.audit.page({}, 1);
    expect(entry).toMatchObject({ action: 'rate_card.imported', who: 'a test' });
    const [own] = await deps.store.customerAudit.page(customerId, {}, 1);
    expect(own).toMatchObject({ action: 'rate_card.imported' });
    const customer = await deps.store.customers.find(customerId);
    if (customer) await removeCustomer(deps, ACTOR, null, customer);
    expect(await deps.store.rateCards.all()).toEqual([]);
  });
});
