import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Whose } from '../store/reports/traces';
import { type Actor } from '../store/tables/audit';
import { type LineRow } from '../store/tables/lines';
import { audited, type AuditedDeps, type Transaction } from '../store/with-audit';
import { isoTime } from '../time';

/** Events of one transaction: it holds up the writes beside it for milliseconds only. */
const A_BATCH = 200;
/** Bodies that are looked through at once. */
const A_PAGE = 500;

/** What was removed, as it is told and as the audit keeps it. */
export interface Forgotten {
  messages: number;
  /** Emptied, with what is told of their deliveries. */
  events: number;
  deliveries_canceled: number;
  windows: number;
  aliases: number;
  opt_outs: number;
  automation_pauses: number;
  idempotency_answers: number;
}

/** Bodies that name the contact beside others: emptied, and still to be delivered to somebody. */
interface Mentions {
  mentions: number;
  still_owed: number;
}

/** Takes away what the database tells of somebody, but for what is left of it in the files (`store.scrub`). */
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

async function emptyMentionsOf({ store }: AuditedDeps, identities: string[]): Promise<Mentions> {
  const done = { mentions: 0, still_owed: 0 };
  for (let after: string | null = ''; after !== null;) {
    const page = await store.traces.emptyMentions(identities, after, A_PAGE);
    done.mentions += page.emptied;
    done.still_owed += page.owed;
    after = page.last;
  }
  return done;
}

/** What is left once the events are empty. In one transaction, and last: it holds the other names of a contact. */
async function removeRest({ store }: Transaction, whose: Whose) {
  const { answers, ...rest } = await store.traces.removeRest(whose);
  await store.registry.forgot();
  return { ...rest, idempotency_answers: answers };
}

/** All names of a contact, in all spellings. */
export const namesOf = ({ store }: AuditedDeps, contact: string): Promise<string[]> =>
  store.traces.identitiesOf([contact], spellingsOf);

/**
 * Removes all that is known of a person, on all lines. May be repeated where it was broken off.
 * @param identities from `namesOf`
 */
export async function forgetContact(
  deps: AuditedDeps,
  actor: Actor,
  contact: string,
  identities: string[],
): Promise<Forgotten & Mentions> {
  const events = await emptyEventsOf(deps, { identities });
  const mentions = await emptyMentionsOf(deps, identities);
  return audited<Forgotten & Mentions>(
    deps,
    actor,
    // Who it was can be checked by whoever knows the number, and has the key.
    (removed) => ({
      action: 'contact.forgotten',
      details: { contact: deps.vault.fingerprint(spellingsOf(contact)[0]), ...removed },
    }),
    async (transaction) => ({ ...events, ...(await removeRest(transaction, { identities })), ...mentions }),
  );
}

/**
 * Removes a line with all that opens it, cancels what it owes, and forgets who wrote there.
 * @param isRemoved it was before, and the rest was broken off
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
  // Counted before: a running gateway cancels them as well.
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
