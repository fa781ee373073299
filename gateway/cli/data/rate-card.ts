import { readFile } from 'node:fs/promises';
import { SettingError } from '../../errors';
import { type RateCardHead } from '../../store/tables/rate-cards';
import { type Difference } from '../../usage/rate-cards/differences';
import { importRateCard, previewRateCard, removeRateCard } from '../../usage/rate-cards/manage-rate-cards';
import { say } from '../../wording/say';
import { customerId } from '../customer';
import { commandActor, offline } from '../offline';
import { byOptions, optionsOf, wordsAndOptions } from '../options';
import { print } from '../print';

/** The fields of a rate card, by the options that give them. */
const OPTIONS = { name: '--name', effective_from: '--effective-from', customer: '--customer', csv: 'FILE' };

export async function rateCardImport(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, {
    text: ['name', 'effective-from', 'customer'],
    flags: ['dry-run', 'json'],
  });
  const [file, ...more] = words;
  if (file === undefined || more.length)
    throw new SettingError('Which file? Give the CSV file of one rate card.');
  const { name = '', customer, json } = values;
  const given = {
    ...{ name, effectiveFrom: values['effective-from'] ?? '' },
    customerId: customer === undefined ? null : customerId(customer),
    csv: await textOf(file),
  };
  await offline(env, async (deps) => {
    if (values['dry-run']) {
      const { faults, replaces, currency, differences } = await previewRateCard(deps, given).catch(
        byOptions(OPTIONS),
      );
      if (json)
        return print(
          JSON.stringify({
            ...{ currency, replaces: replaces && shown(replaces), differences },
            faults: faults.map(({ line, fault }) => ({ line, message: say('en', fault) })),
          }),
        );
      faults.forEach(({ line, fault }) => print(`Line ${line}`, say('en', fault)));
      if (faults.length) return print('Nothing would be imported. Correct these lines first.');
      differences.forEach((one) => print(...cellsOf(one)));
      print(
        replaces
          ? `It would replace ${replaces.name} (from ${replaces.effective_from}, ${replaces.currency}). Nothing was stored.`
          : 'It would replace no other card. Nothing was stored.',
      );
      return;
    }
    const card = await importRateCard(deps, commandActor(), null, given).catch(byOptions(OPTIONS));
    if (json) return print(JSON.stringify({ rate_card: shown(card) }));
    print(`Rate card ${card.id} "${card.name}" is imported. It applies from ${card.effective_from} on.`);
  });
}

export async function rateCardList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json'] });
  await offline(env, async ({ store }) => {
    const cards = await store.rateCards.all();
    if (values.json) return print(JSON.stringify({ rate_cards: cards.map(shown) }));
    if (!cards.length)
      return print('There is no rate card yet. Import one with "messaging-gateway rate-card import FILE".');
    cards.forEach((card) =>
      print(
        card.id,
        card.effective_from,
        card.currency,
        card.customer_id === null ? 'all customers' : `customer ${card.customer_id}`,
        card.name,
      ),
    );
  });
}

export async function rateCardRemove(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [id = '', ...more] = wordsAndOptions(args).words;
  if (more.length || !/^\d{1,9}$/.test(id))
    throw new SettingError('Which rate card? Give an id that "rate-card list" shows.');
  await offline(env, async (deps) => {
    const card = await removeRateCard(deps, commandActor(), null, Number(id));
    print(`Rate card ${card.id} "${card.name}" is removed.`);
  });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new SettingError(`FILE cannot be read: ${(error as Error).message}`);
  }
}

const cellsOf = ({ change, market, category, before, after, countries }: Difference): string[] => [
  change,
  market,
  category,
  `${price(before)} -> ${price(after)}`,
  countries.length === 1 ? '1 country' : `${countries.length} countries`,
];

const price = (micros: number | null): string => (micros === null ? 'no price' : String(micros / 1_000_000));

const shown = ({ id, name, currency, customer_id, effective_from, imported_at }: RateCardHead) => ({
  id,
  name,
  currency,
  customer_id,
  effective_from,
  imported_at,
});
