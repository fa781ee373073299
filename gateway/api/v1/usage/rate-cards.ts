import * as Type from 'typebox';
import { customerUnknown, invalidField, notPermitted, rateCardNotFound } from '../../../errors';
import { type Tables } from '../../../store/store';
import { type RateCardHead, type RateCardRow } from '../../../store/tables/rate-cards';
import { type Rates } from '../../../usage/prices';
import { importRateCard, previewRateCard, removeRateCard } from '../../../usage/rate-cards/manage-rate-cards';
import { LONGEST_CARD } from '../../../usage/rate-cards/rate-card-input';
import { fact } from '../../../wording/facts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { create, get, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, made, type AdminContext } from '../operation';

const IntegerOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: 'integer', nullable: true, description });

export const RateCard = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  customer_id: IntegerOrNull(
    'The only customer for which it applies; null for all without one of their own.',
  ),
  currency: Type.String({ description: 'ISO 4217.' }),
  effective_from: Type.String({ format: 'date', description: 'The first day on which it applies.' }),
  imported_at: Type.String({ format: 'date-time' }),
});

const Prices = Type.Unsafe<Rates>({
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: { type: 'integer', nullable: true } },
  description:
    'By category and country: the price of a message in millionths of the currency, or null for no price. `*` is every country that is not named.',
});

export const RateCardPrices = Type.Object({ ...RateCard.properties, rates: Prices });

const Difference = Type.Object({
  change: Type.Enum(['added', 'removed', 'dearer', 'cheaper']),
  category: Type.String(),
  market: Type.String({ description: 'As the file names it.' }),
  countries: Type.Array(Type.String()),
  before: IntegerOrNull('In millionths of the currency; null for no price.'),
  after: IntegerOrNull('In millionths of the currency; null for no price.'),
});

export const RateCardImport = Type.Object({
  ...RateCardPrices.properties,
  replaces: IntegerOrNull('The id of the rate card that applied before; null if there was none.'),
  differences: Type.Array(Difference, {
    description: 'Between the two rate cards. If their currencies differ, every price is new.',
  }),
});

const NewRateCard = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 80 }),
    effective_from: Type.String({ description: 'The first day, such as `2026-10-01`.' }),
    customer_id: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: 'The only customer for which it applies. Omit it for all customers.',
      }),
    ),
    csv: Type.String({ maxLength: LONGEST_CARD, description: 'The file; docs/usage.md has an example.' }),
  },
  { additionalProperties: false },
);
const readNew = bodyOf(typesOf(NewRateCard));

const head = ({ id, name, customer_id, currency, effective_from, imported_at }: RateCardHead) => ({
  ...{ id, name, customer_id, currency, effective_from, imported_at },
});

const shown = (card: RateCardRow): Type.Static<typeof RateCardPrices> => ({
  ...head(card),
  rates: JSON.parse(card.rates) as Rates,
});

async function cardIn({ params }: AdminContext, { rateCards }: Pick<Tables, 'rateCards'>) {
  const card = await rateCards.find(Number(params.rate_card_id));
  if (!card) throw rateCardNotFound();
  return card;
}

const object = async (context: AdminContext, store: Tables) => shown(await cardIn(context, store));

const TAG = 'Usage';

export const listRateCards = list('/rate-cards', {
  tag: TAG,
  id: 'listRateCards',
  permission: 'gateway',
  summary: 'List rate cards',
  description: 'The imported rate cards, without their prices.',
  schema: 'RateCard',
  refusals: () => [],
  handler: async (context) => pageInMemory(context, await context.deps.store.rateCards.all(), head),
});

export const getRateCard = get('/rate-cards/{rate_card_id}', {
  tag: TAG,
  id: 'getRateCard',
  permission: 'gateway',
  summary: 'Get a rate card',
  description: 'One rate card with its prices.',
  schema: 'RateCardPrices',
  refusals: () => [rateCardNotFound()],
  object,
});

export const createRateCard = create('/rate-cards', {
  tag: TAG,
  id: 'createRateCard',
  permission: 'gateway',
  summary: 'Import a rate card',
  description:
    'The prices of messages, as CSV. With `dry_run`, the answer shows which prices would change. If a line of the file is not understood, nothing is imported, and every such line is named.',
  bodyLimit: 1024 * 1024,
  body: {
    schema: NewRateCard,
    examples: {
      all: {
        value: {
          name: 'October 2026',
          effective_from: '2026-10-01',
          csv: 'Market,Currency,Marketing,Utility\nBrazil,USD,0.05,0.01\nOther,USD,0.06,0.02\n',
        },
      },
    },
  },
  fields: { customer: 'customer_id' },
  schema: 'RateCardImport',
  refusals: () => [
    customerUnknown(),
    invalidField('csv[2]', 'line', fact('rate_card.line', { line: 2, because: fact('rate_card.empty', {}) })),
    notPermitted(),
  ],
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const { effective_from: effectiveFrom, customer_id: customerId = null, ...given } = readNew(request);
    const input = { ...given, effectiveFrom, customerId };
    const { replaces, differences } = await previewRateCard(deps, input);
    const card = await importRateCard(deps, actor, by, input);
    return made(`/rate-cards/${card.id}`, { ...shown(card), replaces: replaces?.id ?? null, differences });
  },
});

export const removeRateCardOperation = remove('/rate-cards/{rate_card_id}', {
  tag: TAG,
  id: 'removeRateCard',
  permission: 'gateway',
  summary: 'Remove a rate card',
  description: 'Its days then have the prices of the rate card before it, or no price.',
  refusals: () => [rateCardNotFound(), notPermitted()],
  object,
  handler: async (context) => {
    const { deps, actor, by } = context;
    await removeRateCard(deps, actor, by, (await cardIn(context, deps.store)).id);
    return done;
  },
});
