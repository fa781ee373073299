import { spellingsOf } from '../cloud-api/phone-spellings';
import { notPermitted } from '../errors';
import { grantOf, rightsOf, type By } from '../rights/grants';
import { type Reach } from '../rights/reach';
import { type Whose } from '../store/reports/traces';
import { type Actor } from '../store/tables/audit';
import { ownedLine, type LineRow } from '../store/tables/lines';
import { audited, type AuditedDeps, type Transaction } from '../store/with-audit';
import { isoTime } from '../time';
import { countryOf } from '../usage/country-of-number';
import { finishUsage } from '../usage/rebuild';

/** Events per transaction, so that other writes are delayed only for milliseconds. */
const A_BATCH = 200;
/** Bodies that are searched at a time. */
const A_PAGE = 500;

/** The erased data, for the caller and for the audit entry. */
export interface Forgotten {
  messages: number;
  /** Emptied events, with their deliveries. */
  events: number;
  deliveries_canceled: number;
  windows: number;
  aliases: number;
  opt_outs: number;
  automation_pauses: number;
  idempotency_answers: number;
}

/** Other contacts' bodies that mention this contact: emptied, or with pending deliveries. */
interface Mentions {
  mentions: number;
  still_owed: number;
}

/** Empties the events of a contact or line in the database. `store.scrub` removes what is left in the files. */
async function emptyEventsOf(
  { store, clock }: AuditedDeps,
  whose: Whose,
): Promise<Pick<Forgotten, 'events' | 'deliveries_canceled'>> {
  const done = { events: 0, deliveries_canceled: 0 };
  for (let after: string | null = ''; after !== null;) {
    const page = await store.traces.emptyEvents(whose, after, isoTime(clock()), A_BATCH);
    done.events += page.events;
    done.deliveries_canceled += page.canceled;
    after = page.last;
  }
  return done;
}

async function emptyMentionsOf(
  { store }: AuditedDeps,
  { identities, lines }: { identities: string[]; lines: Reach },
): Promise<Mentions> {
  const done = { mentions: 0, still_owed: 0 };
  for (let after: string | null = ''; after !== null;) {
    const page = await store.traces.emptyMentions(identities, lines, after, A_PAGE);
    done.mentions += page.emptied;
    done.still_owed += page.owed;
    after = page.last;
  }
  return done;
}

/**
 * Removes the rows that remain after the events are emptied. In one transaction and last, because they contain the
 * other names of a contact.
 */
async function removeRest({ store }: Transaction, whose: Whose) {
  const { answers, ...rest } = await store.traces.removeRest(whose);
  await store.registry.forgot();
  return { ...rest, idempotency_answers: answers };
}

/** All names of a contact, in every spelling. */
export const namesOf = ({ store }: AuditedDeps, contact: string): Promise<string[]> =>
  store.traces.identitiesOf([contact], spellingsOf);

/**
 * Erases all data of a contact, on the lines of all customers for which `by` may do this. Can be repeated after an
 * interruption.
 * @param identities from `namesOf`
 */
export async function forgetContact(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  contact: string,
  identities: string[],
): Promise<Forgotten & Mentions> {
  const rows = await deps.store.lines.all();
  const { may, reach, customers } = rightsOf(by ?? [grantOf({ customerId: null, role: 'owner' })], () =>
    rows.map(ownedLine),
  );
  if (!may('contacts.erase')) throw notPermitted();
  const whose = { identities, lines: reach('contacts.erase'), countryOf };
  const events = await emptyEventsOf(deps, whose);
  const mentions = await emptyMentionsOf(deps, whose);
  const concerned = customers('contacts.erase');
  return audited<Forgotten & Mentions>(
    deps,
    actor,
    // A fingerprint, which can be verified with the number and the key.
    (removed) => ({
      action: 'contact.forgotten',
      details: { contact: deps.vault.fingerprint(spellingsOf(contact)[0]), ...removed },
      ...(concerned !== 'all' && { customers: [...concerned].map((id) => ({ id })) }),
    }),
    async (transaction) => ({ ...events, ...(await removeRest(transaction, whose)), ...mentions }),
  );
}

/**
 * Removes a line with its credentials, cancels its pending deliveries, and erases its contacts.
 * @param isRemoved whether the line was already removed and the rest was interrupted
 */
export async function removeLine(
  deps: AuditedDeps,
  actor: Actor,
  row: LineRow,
  isRemoved: boolean,
): Promise<Forgotten> {
  const { store, vault, clock } = deps;
  const details = { name: row.name, phone_number_id: row.phone_number_id };
  const destinations = (await store.destinations.all())
    .filter(({ line_id: lineId }) => lineId === row.id)
    .map(({ id }) => id);
  if (!isRemoved) await finishUsage({ store, clock }, row.id);
  // Counted first, because a running gateway cancels them too.
  const owed = await store.deliveries.waitingFor(destinations);
  if (!isRemoved)
    await audited(deps, actor, { action: 'line.removed', lineId: row.id, details }, (transaction) =>
      transaction.store.lines.remove(row.id, isoTime(clock()), vault.seal('destinations.secret', '')),
    );
  for (const id of destinations) await store.deliveries.cancelOfRemoved(id, isoTime(clock()));
  const events = await emptyEventsOf(deps, { lineId: row.id });
  return audited<Forgotten>(
    deps,
    actor,
    (done) => ({ action: 'line.forgotten', lineId: row.id, details: { ...done } }),
    async (transaction) => ({
      ...events,
      deliveries_canceled: owed + events.deliveries_canceled,
      ...(await removeRest(transaction, { lineId: row.id })),
    }),
  );
}
