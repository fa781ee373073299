import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { emptyAnswers, emptyBodies } from '../tables/events';
import { forgottenKey, IS_FORGOTTEN, UNKNOWN_OUTCOME } from '../tables/idempotency-keys';
import { type Reach } from '../../rights/reach';
import { identitiesOf } from '../tables/windows';
import { isPostgres } from '../is-postgres';
import { byColumn, countDeleted } from '../rows';
import { inTransaction } from '../commit/retry-on-conflict';
import { type Schema } from '../schema';

/** The subject of an erasure: a person with all names on these lines, or a line with all its contacts. */
export type Whose = { identities: string[]; lines: Reach; countryOf: CountryOf } | { lineId: number };

/** The country of a contact, which stays for the usage of the line. */
type CountryOf = (contact: string | null) => string;

/** The result of one step. */
export interface TracePage {
  /** The id of the step's last event; null if there was none. */
  last: string | null;
}

/**
 * Erases personal data. Rows of messages, events, deliveries and attempts remain without any personal data, so that
 * counts still add up; retention deletes them later. If the platform repeats such an event, it counts as new.
 */
export const traceTable = (db: Kysely<Schema>) => ({
  identitiesOf: (names: string[], spellings: (name: string) => string[]): Promise<string[]> =>
    identitiesOf(db, names, spellings),

  /** Removes all personal data from some events, and cancels their pending deliveries. */
  async emptyEvents(
    whose: Whose,
    after: string,
    at: string,
    limit: number,
  ): Promise<TracePage & { events: number; canceled: number }> {
    const page = await db
      .selectFrom('events')
      .select(['id', 'contact'])
      .where('id', '>', after)
      .where((row) =>
        'lineId' in whose
          ? row('line_id', '=', whose.lineId)
          : row.and([row('contact', 'in', whose.identities), onLines(whose.lines)]),
      )
      .orderBy('id')
      .limit(limit)
      .execute();
    const ids = page.map(({ id }) => id);
    if (!ids.length) return { last: null, events: 0, canceled: 0 };
    const canceled = await inTransaction(db, async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('deliveries')
        .set({ state: 'canceled', finished_at: at })
        .where('event_id', 'in', ids)
        .where('state', '=', 'pending')
        .executeTakeFirst();
      await trx
        .updateTable('deliveries')
        .set((row) => ({ lane: row.ref('event_id') }))
        .where('event_id', 'in', ids)
        .execute();
      await emptyAnswers(trx, ids);
      if ('identities' in whose)
        for (const [contact, some] of byColumn(page, 'contact', 'id'))
          await trx
            .updateTable('events')
            .set({ country: whose.countryOf(contact) })
            .where('id', 'in', some)
            .execute();
      await trx
        .updateTable('events')
        .set((row) => ({
          contact: null,
          wamid: null,
          body: '',
          identity: sql<string>`'forgotten:' || ${row.ref('id')}`,
        }))
        .where('id', 'in', ids)
        .execute();
      return Number(numUpdatedRows);
    });
    return { last: ids.at(-1) ?? null, events: ids.length, canceled };
  },

  /**
   * Empties the bodies of other contacts' events that mention a person: whole notifications, calls, forwarded contact
   * cards. Their pending deliveries remain, because other contacts wait for them.
   */
  async emptyMentions(
    identities: string[],
    lines: Reach,
    after: string,
    limit: number,
  ): Promise<TracePage & { emptied: number; owed: number }> {
    const page = await db
      .selectFrom('events')
      .select((row) => [
        'id',
        row.or(identities.map((identity) => row('body', 'like', mentioning(identity)))).as('is_meant'),
      ])
      // A literal, so that the databases can use the partial index.
      .where('body', '<>', sql.lit(''))
      .where(onLines(lines))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    const meant = page.filter(({ is_meant: isMeant }) => isMeant).map(({ id }) => id);
    const emptied = meant.length ? await emptyBodies(db, meant) : 0;
    return { last: page.at(-1)?.id ?? null, emptied, owed: meant.length - emptied };
  },

  /**
   * Removes the windows, aliases, opt-outs, pauses, questions and waiting messages of a contact or a line,
   * the messages of a line, the personal data in those of a contact, and the line's name and opt-out words. The response stored for an Idempotency-Key names the recipient, so it is
   * removed. The key remains so that the send is never repeated, as a hash if it names the contact.
   * @returns the number of rows of each kind
   */
  async removeRest(
    whose: Whose,
  ): Promise<
    Record<'messages' | 'windows' | 'aliases' | 'opt_outs' | 'automation_pauses' | 'answers', number>
  > {
    if ('lineId' in whose) {
      await db
        .deleteFrom('gathering')
        .where('destination_id', 'in', (row) =>
          row.selectFrom('destinations').select('id').where('line_id', '=', whose.lineId),
        )
        .execute();
      await db.deleteFrom('sent_bodies').where('line_id', '=', whose.lineId).execute();
      for (const table of ['questions', 'question_contacts'] as const)
        await db.deleteFrom(table).where('line_id', '=', whose.lineId).execute();
      // The row of a removed line remains, because the audit and old events refer to it.
      await db
        .updateTable('lines')
        .set({ name: '', opt_out_words: null, credentials_refused_because: null })
        .where('id', '=', whose.lineId)
        .execute();
      const remove = (
        table: 'messages' | 'windows' | 'aliases' | 'opt_outs' | 'automation_pauses' | 'idempotency_keys',
      ) => countDeleted(db.deleteFrom(table).where('line_id', '=', whose.lineId));
      return {
        messages: await remove('messages'),
        windows: await remove('windows'),
        aliases: await remove('aliases'),
        opt_outs: await remove('opt_outs'),
        automation_pauses: await remove('automation_pauses'),
        answers: await remove('idempotency_keys'),
      };
    }
    const { identities } = whose;
    const ofLines = onLines(whose.lines);
    await db
      .deleteFrom('gathering')
      .where('contact', 'in', identities)
      .$if(whose.lines !== 'all', (query) =>
        query.where('destination_id', 'in', (row) =>
          row.selectFrom('destinations').select('id').where(ofLines),
        ),
      )
      .execute();
    await db
      .deleteFrom('questions')
      .where(ofLines)
      .where((row) =>
        row.or([
          row('contact', 'in', identities),
          row(
            'id',
            'in',
            row.selectFrom('question_contacts').select('question_id').where('name', 'in', identities),
          ),
        ]),
      )
      .execute();
    await db.deleteFrom('question_contacts').where('name', 'in', identities).where(ofLines).execute();
    await db
      .deleteFrom('sent_bodies')
      .where(ofLines)
      .where((row) =>
        row.exists(
          row
            .selectFrom('messages')
            .select('messages.wamid')
            .whereRef('messages.line_id', '=', 'sent_bodies.line_id')
            .whereRef('messages.wamid', '=', 'sent_bodies.wamid')
            .where('contact', 'in', identities),
        ),
      )
      .execute();
    // Messages to other contacts may mention this contact.
    await db
      .deleteFrom('sent_bodies')
      .where(ofLines)
      .where((row) => row.or(identities.map((identity) => row('body', 'like', `%${identity}%`))))
      .execute();
    const { numUpdatedRows } = await db
      .updateTable('idempotency_keys')
      .set({ answer: UNKNOWN_OUTCOME })
      .where(ofLines)
      .where((row) => row.or(identities.map((identity) => row('answer', 'like', mentioning(identity)))))
      .executeTakeFirst();
    await hashKeysOf(db, identities, whose.lines);
    const remove = (table: 'windows' | 'opt_outs' | 'automation_pauses') =>
      countDeleted(db.deleteFrom(table).where('contact', 'in', identities).where(ofLines));
    return {
      messages: await emptyMessages(db, whose),
      windows: await remove('windows'),
      aliases: await countDeleted(
        db
          .deleteFrom('aliases')
          .where((row) => row.or([row('contact', 'in', identities), row('identity', 'in', identities)]))
          .where(ofLines),
      ),
      opt_outs: await remove('opt_outs'),
      automation_pauses: await remove('automation_pauses'),
      answers: Number(numUpdatedRows),
    };
  },
});

/** Removes the personal data from messages to a contact: the platform's id contains the number. @returns how many */
async function emptyMessages(
  db: Kysely<Schema>,
  { identities, lines, countryOf }: Extract<Whose, { identities: string[] }>,
): Promise<number> {
  let emptied = 0;
  for (const contact of identities) {
    const { numUpdatedRows } = await db
      .updateTable('messages')
      .set({
        wamid: sql<string>`'forgotten:' || ${isPostgres(db) ? sql`gen_random_uuid()` : sql`lower(hex(randomblob(16)))`}`,
        ...{ contact: null, client_ref: null, failure: null },
        country: countryOf(contact),
      })
      .where('contact', '=', contact)
      .where(onLines(lines))
      .executeTakeFirst();
    emptied += Number(numUpdatedRows);
  }
  return emptied;
}

/** Replaces Idempotency-Keys that name a contact with their hashes. */
async function hashKeysOf(db: Kysely<Schema>, identities: string[], lines: Reach): Promise<void> {
  const naming = await db
    .selectFrom('idempotency_keys')
    .select(['line_id', 'key'])
    .where((row) => row.or(identities.map((identity) => row('key', 'like', `%${identity}%`))))
    .where(onLines(lines))
    .execute();
  for (const { line_id: lineId, key } of naming.filter((one) => !IS_FORGOTTEN.test(one.key))) {
    const forgotten = forgottenKey(key);
    // An expired key that is not yet deleted.
    await db
      .deleteFrom('idempotency_keys')
      .where('line_id', '=', lineId)
      .where('key', '=', forgotten)
      .execute();
    await db
      .updateTable('idempotency_keys')
      .set({ key: forgotten, answer: UNKNOWN_OUTCOME })
      .where('line_id', '=', lineId)
      .where('key', '=', key)
      .execute();
  }
}

/** The condition that a row belongs to these lines. */
function onLines(lines: Reach): RawBuilder<SqlBool> {
  if (lines === 'all') return sql`1 = 1`;
  return lines.length ? sql`line_id in (${sql.join(lines)})` : sql`1 = 0`;
}

/** Matches the identity as a JSON string. Identities contain no special characters of LIKE. */
const mentioning = (identity: string): string => `%"${identity}"%`;
