import { customerUnknown, invalidPayload, issueOf, notPermitted, rateCardNotFound } from '../../errors';
import { mayIn, type By } from '../../rights/grants';
import { type Store } from '../../store/store';
import { type Actor } from '../../store/tables/audit';
import { type RateCardHead, type RateCardRow } from '../../store/tables/rate-cards';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { fact } from '../../wording/facts';
import { cardInForce, type Rates } from '../prices';
import { differencesBetween, type Difference } from './differences';
import { type ReadCard } from './read-card';
import { rateCardInput, type RateCardInput } from './rate-card-input';

/** What an import would change. */
export interface RateCardPreview extends Pick<ReadCard, 'currency' | 'markets' | 'faults'> {
  /** The card that it replaces; null if there is none. */
  replaces: RateCardHead | null;
  /** Between the two cards; all prices are new if the other one is in another currency. */
  differences: Difference[];
}

function mayManageRateCards(by: By): void {
  if (by && !mayIn(by, 'gateway', null)) throw notPermitted();
}

/** @throws Refusal with all issues, by field, but not for faults in the lines of the file */
export async function previewRateCard(
  { store: { rateCards } }: { store: Pick<Store, 'rateCards'> },
  input: RateCardInput,
): Promise<RateCardPreview> {
  const { customerId, effectiveFrom, currency, markets, rates, faults } = rateCardInput(input);
  const replaces = cardInForce(await rateCards.all(), customerId, effectiveFrom);
  const stored = replaces?.currency === currency ? await rateCards.find(replaces.id) : null;
  const before = stored ? (JSON.parse(stored.rates) as Rates) : {};
  return { currency, markets, faults, replaces, differences: differencesBetween(before, rates, markets) };
}

/** @throws Refusal with all issues, by field, also for faults in the lines of the file */
export async function importRateCard(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  input: RateCardInput,
): Promise<RateCardRow> {
  mayManageRateCards(by);
  const { name, effectiveFrom, customerId, currency, rates, markets, faults } = rateCardInput(input);
  if (faults.length)
    throw invalidPayload(
      faults.map(({ line, fault }) =>
        issueOf(`csv[${line}]`, 'line', fact('rate_card.line', { line, because: fault })),
      ),
    );
  return audited(
    deps,
    actor,
    {
      action: 'rate_card.imported',
      details: { name, currency, 'effective from': effectiveFrom, markets: markets.length },
      customers: customerId === null ? [] : [{ id: customerId }],
    },
    async ({ store }) => {
      if (customerId !== null && !(await store.customers.lock([customerId])).length) throw customerUnknown();
      return store.rateCards.insert({
        ...{ name, currency, customer_id: customerId, effective_from: effectiveFrom },
        ...{ rates: JSON.stringify(rates), imported_at: isoTime(deps.clock()) },
      });
    },
  );
}

/** Days for which the card applied are priced by the card before it. */
export async function removeRateCard(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  id: number,
): Promise<RateCardRow> {
  mayManageRateCards(by);
  return audited<RateCardRow>(
    deps,
    actor,
    ({ name, currency, effective_from: effectiveFrom, customer_id: customerId }) => ({
      action: 'rate_card.removed',
      details: { name, currency, 'effective from': effectiveFrom },
      customers: customerId === null ? [] : [{ id: customerId }],
    }),
    async ({ store }) => {
      const card = await store.rateCards.find(id);
      if (!card || !(await store.rateCards.remove(id))) throw rateCardNotFound();
      return card;
    },
  );
}
