import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Whose } from '../store/reports/traces';
import { type Actor } from '../store/tables/audit';
import { type LineRow } from '../store/tables/lines';
import { audited, type AuditedDeps, type Transaction } from '../store/with-audit';
import { isoTime } from '../time';

/** Events of one transaction: it holds up the writes beside it for milliseconds only. */
const A_BATCH = 200;
/** Bodies that are searched at once. */
const A_PAGE = 500;

/** What was removed, for the caller and for the audit. */
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

/** Bodies of other contacts that name this one: emptied, or pending deliveries. */
interface Mentions {
  mentions: number;
  still_owed: number;
}

/** Erases the data of a contact or line in the database, except what is left in the files (`store.scrub`). */
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

/**
 * The rows that are left after the events are empty. In one transaction, and last: they have the other names
 * of a contact.
 */
async function removeRest({ store }: Transaction, whose: Whose) {
  const { answers, ...rest } = await store.traces.removeRest(whose);
  await store.registry.forgot();
  return { ...rest, idempotency_answers: answers };
}

/** All names of a contact, in all spellings. */
export const namesOf = ({ store }: AuditedDeps, contact: string): Promise<string[]> =>
  store.traces.identitiesOf([contact], spellingsOf);

/**
 * Erases all data of a person, on all lines. May be repeated after an interruption.
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
    // A person with the number and the key can check who it was.
    (removed) => ({
      action: 'contact.forgotten',
      details: { contact: deps.vault.fingerprint(spellingsOf(contact)[0]), ...removed },
    }),
    async (transaction) => ({ ...events, ...(await removeRest(transaction, { identities })), ...mentions }),
  );
}

/**
 * Removes a line with its credentials, cancels its pending deliveries, and erases its contacts.
 * @param isRemoved the line was removed before, and the rest was interrupted
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
