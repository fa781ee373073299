import { sql, type Insertable, type Kysely, type Selectable } from 'kysely';
import { anyUpdated, countDeleted, firstOf } from '../rows';
import { inTransaction } from '../commit/retry-on-conflict';
import { isWaiting, LONGEST_ASKING } from '../commit/answering';
import { type AnsweredKey } from '../commit/writes';
import { type DeliveryState, type EventTable, type QuestionTable, type Schema } from '../schema';
import { type TokenColumn } from './tokens';

export type QuestionRow = Selectable<QuestionTable>;

/** A question with the content of the event that answers it. */
export type AnswerRow = QuestionRow &
  Pick<Selectable<EventTable>, 'kind' | 'body' | 'automation'> & { from: string | null };

/** Thrown inside a transaction: the contact already has another question. */
class IsAsked extends Error {
  override name = 'IsAsked';
}

/** Written as SQL, so that the databases can use the partial indexes. */
const WAITING = sql<boolean>`state in ('asking', 'open')`;
const ANSWER_OPEN = sql<boolean>`questions.state = 'answered' and questions.answer_over_at is null`;

/**
 * Questions and the names of their contacts. Group commit stores answers (`commit/answering.ts`). A question is
 * `asking` while its message is being sent, then `open`.
 */
export const questionTable = (db: Kysely<Schema>) => {
  const ended = (state: 'expired' | 'canceled' | 'replaced', at: string) => ({ state, ended_at: at });

  const freeContacts = (trx: Kysely<Schema>, ids: string[]) =>
    trx.deleteFrom('question_contacts').where('question_id', 'in', ids).execute();

  /** Ends expired and abandoned questions to these names. */
  async function endOld(trx: Kysely<Schema>, lineId: number, names: string[], now: string): Promise<void> {
    const rows = await trx
      .selectFrom('question_contacts')
      .innerJoin('questions', 'questions.id', 'question_contacts.question_id')
      .select(['questions.id', 'questions.state', 'questions.created_at', 'questions.expires_at'])
      .where('question_contacts.line_id', '=', lineId)
      .where('question_contacts.name', 'in', names)
      .execute();
    const old = rows.filter((row) => !isWaiting(row, now));
    if (!old.length) return;
    const ids = old.map(({ id }) => id);
    await trx
      .updateTable('questions')
      .set((row) => ({ state: 'expired', ended_at: row.ref('expires_at') }))
      .where('id', 'in', ids)
      .where('state', '=', 'open')
      .execute();
    await trx.deleteFrom('questions').where('id', 'in', ids).where('state', '=', 'asking').execute();
    await freeContacts(trx, ids);
  }

  return {
    /**
     * Starts asking.
     * @param names all names of the contact
     * @param replaces whether the contact may have an open question, which stays open until this one opens
     * @returns false if the contact has another question in the state `asking`, or an open one
     */
    begin: (
      row: Omit<Insertable<QuestionTable>, 'state'>,
      names: string[],
      replaces: boolean,
    ): Promise<boolean> =>
      inTransaction(db, async (trx) => {
        await endOld(trx, row.line_id, names, row.created_at);
        await trx
          .insertInto('questions')
          .values({ ...row, state: 'asking' })
          .execute();
        const taken = await trx
          .insertInto('question_contacts')
          .values(
            names
              .toSorted()
              .map((name) => ({ line_id: row.line_id, name, state: 'asking', question_id: row.id })),
          )
          .onConflict((conflict) => conflict.doNothing())
          .returning('name')
          .execute();
        if (taken.length < names.length) throw new IsAsked();
        if (replaces) return true;
        // Read after the insert: a question that was `asking` may have become open meanwhile.
        const open = await trx
          .selectFrom('question_contacts')
          .select('name')
          .where('line_id', '=', row.line_id)
          .where('name', 'in', names)
          .where('state', '=', 'open')
          .limit(1)
          .execute();
        if (open.length) throw new IsAsked();
        return true;
      }).catch((error: unknown) => {
        if (error instanceof IsAsked) return false;
        throw error;
      }),

    /**
     * Opens a question after its message was sent, unless it is already answered.
     * @param names of the contact, including those in the platform's response
     * @param answered the response stored under its Idempotency-Key
     * @returns false if the question no longer exists
     */
    open: (
      { id, line_id }: Pick<QuestionRow, 'id' | 'line_id'>,
      { messageId, names, at, replaces, answered }: Opening,
    ): Promise<boolean> =>
      inTransaction(db, async (trx) => {
        const row = await trx
          .updateTable('questions')
          .set({ message_id: messageId })
          .where('id', '=', id)
          .returning('state')
          .executeTakeFirst();
        if (!row) return false;
        if (replaces) {
          const before = await trx
            .selectFrom('question_contacts')
            .select('question_id')
            .distinct()
            .where('line_id', '=', line_id)
            .where('name', 'in', names)
            .where('state', '=', 'open')
            .execute();
          const ids = before.map(({ question_id: of }) => of).toSorted();
          if (ids.length) {
            await trx
              .updateTable('questions')
              .set(ended('replaced', at))
              .where('id', 'in', ids)
              .where('state', '=', 'open')
              .execute();
            await freeContacts(trx, ids);
          }
        }
        if (row.state === 'asking') {
          await trx.updateTable('questions').set({ state: 'open' }).where('id', '=', id).execute();
          await freeContacts(trx, [id]);
          await trx
            .insertInto('question_contacts')
            .values(names.toSorted().map((name) => ({ line_id, name, state: 'open', question_id: id })))
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
        if (answered)
          await trx
            .updateTable('idempotency_keys')
            .set({ answer: answered.answer })
            .where('line_id', '=', answered.line_id)
            .where('key', '=', answered.key)
            .execute();
        return true;
      }),

    /**
     * Removes a question whose message could not be sent.
     * @returns the event that answered it meanwhile, or null
     */
    drop: (id: string): Promise<string | null> =>
      inTransaction(db, async (trx) => {
        await trx.deleteFrom('questions').where('id', '=', id).where('state', '=', 'asking').execute();
        await freeContacts(trx, [id]);
        const left = await firstOf(
          trx.selectFrom('questions').select('answer_event_id').where('id', '=', id),
        );
        return left?.answer_event_id ?? null;
      }),

    /** Null for a question in the state `asking`. */
    find: (lineId: number, id: string): Promise<QuestionRow | null> =>
      firstOf(
        db
          .selectFrom('questions')
          .selectAll()
          .where('line_id', '=', lineId)
          .where('id', '=', id)
          .where('state', '<>', 'asking'),
      ),

    /** The question to the contact with these names. */
    openOf: (
      lineId: number,
      names: string[],
      now: string,
    ): Promise<Pick<QuestionRow, 'id' | 'expires_at'>[]> =>
      db
        .selectFrom('question_contacts')
        .innerJoin('questions', 'questions.id', 'question_contacts.question_id')
        .select(['questions.id', 'questions.expires_at'])
        .distinct()
        .where('question_contacts.line_id', '=', lineId)
        .where('question_contacts.name', 'in', names)
        .where('question_contacts.state', '=', 'open')
        .where('questions.expires_at', '>', now)
        .orderBy('questions.expires_at')
        .execute(),

    /** The question that an event answers, with the event's content. */
    ofAnswer: (eventId: string): Promise<AnswerRow | null> =>
      firstOf(
        db
          .selectFrom('questions')
          .innerJoin('events', 'events.id', 'questions.answer_event_id')
          .selectAll('questions')
          .select(['events.kind', 'events.contact as from', 'events.body', 'events.automation'])
          .where('questions.answer_event_id', '=', eventId),
      ),

    /** Open questions asked with these tokens. @param tokenIds values of the column */
    askedBy: async (column: TokenColumn, tokenIds: number[], now: string): Promise<QuestionRow[]> =>
      tokenIds.length
        ? await db
            .selectFrom('questions')
            .selectAll()
            .where(WAITING)
            .where('state', '=', 'open')
            .where('expires_at', '>', now)
            .where(column, 'in', tokenIds)
            .orderBy('id')
            .execute()
        : [],

    /** Ends an open question. @returns whether it was open */
    cancel: (lineId: number, id: string, at: string): Promise<boolean> =>
      inTransaction(db, async (trx) => {
        const isCanceled = await anyUpdated(
          trx
            .updateTable('questions')
            .set(ended('canceled', at))
            .where('line_id', '=', lineId)
            .where('id', '=', id)
            .where('state', '=', 'open')
            .where('expires_at', '>', at),
        );
        if (isCanceled) await freeContacts(trx, [id]);
        return isCanceled;
      }),

    /**
     * Ends some expired questions, and removes those that were never sent.
     * @returns the number of questions
     */
    endExpired: (now: string, limit: number): Promise<number> =>
      inTransaction(db, async (trx) => {
        const abandoned = new Date(Date.parse(now) - LONGEST_ASKING).toISOString();
        const rows = await trx
          .selectFrom('questions')
          .select('id')
          .where(WAITING)
          .where((row) =>
            row.or([
              row('expires_at', '<=', now),
              row.and([row('state', '=', 'asking'), row('created_at', '<=', abandoned)]),
            ]),
          )
          .orderBy('id')
          .limit(limit)
          .execute();
        if (!rows.length) return 0;
        const ids = rows.map(({ id }) => id);
        await trx
          .updateTable('questions')
          .set((row) => ({ state: 'expired', ended_at: row.ref('expires_at') }))
          .where('id', 'in', ids)
          .where('state', '=', 'open')
          .execute();
        await trx.deleteFrom('questions').where('id', 'in', ids).where('state', '=', 'asking').execute();
        await trx
          .deleteFrom('question_contacts')
          .where('question_id', 'in', ids)
          .where('question_id', 'not in', (row) =>
            row.selectFrom('questions').select('id').where('id', 'in', ids).where(WAITING),
          )
          .execute();
        return ids.length;
      }),

    /** Ends all answers whose delivery succeeded or was canceled. */
    async endDelivered(at: string): Promise<void> {
      await db
        .updateTable('questions')
        .set({ answer_over_at: at })
        .where(ANSWER_OPEN)
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('deliveries')
                .select('event_id')
                .whereRef('deliveries.destination_id', '=', 'questions.destination_id')
                .whereRef('deliveries.event_id', '=', 'questions.answer_event_id')
                .where('deliveries.state', 'in', ['pending', 'dead']),
            ),
          ),
        )
        .execute();
    },

    /** Some events whose answers were given up, or have waited since before this time. */
    async givenUp(before: string, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('questions')
        .innerJoin('deliveries', (join) =>
          join
            .onRef('deliveries.destination_id', '=', 'questions.destination_id')
            .onRef('deliveries.event_id', '=', 'questions.answer_event_id'),
        )
        .select('deliveries.event_id')
        .where(ANSWER_OPEN)
        .where((row) =>
          row.or([
            row('deliveries.state', '=', sql.lit<DeliveryState>('dead')),
            row('questions.ended_at', '<', before),
          ]),
        )
        .limit(limit)
        .execute();
      return rows.map(({ event_id: id }) => id);
    },

    /**
     * Removes some questions that ended before this time and whose answers have ended.
     * @returns the number removed
     */
    async removeBefore(at: string, limit: number): Promise<number> {
      const old = await db
        .selectFrom('questions')
        .select('id')
        .where('ended_at', '<', at)
        .where((row) => row.or([row('state', '<>', 'answered'), row('answer_over_at', 'is not', null)]))
        .limit(limit)
        .execute();
      const ids = old.map(({ id }) => id);
      return ids.length ? countDeleted(db.deleteFrom('questions').where('id', 'in', ids)) : 0;
    },
  };
};

export interface Opening {
  messageId: string;
  names: string[];
  at: string;
  replaces: boolean;
  answered: AnsweredKey | null;
}
