import { type Insertable, type Kysely, type Selectable } from 'kysely';
import { anyUpdated, COUNT, countOf, firstOf } from '../rows';
import { changeRegistry } from '../processes/registry';
import { inTransaction } from '../commit/retry-on-conflict';
import { type Schema, type Scope, type TokenTable, USUAL_SCOPES } from '../schema';

export type TokenRow = Selectable<TokenTable>;
export type NewTokenRow = Insertable<TokenTable>;

/** When and from which address a token was used, and the client's user agent. */
export interface TokenUse {
  id: number;
  at: string;
  from: string;
  by: string | null;
}

/** The column with the token that registered something: the first of a chain of line tokens, or an admin token. */
export type TokenColumn = 'token_id' | 'admin_token_id';

/** Line tokens, stored as hashes. */
export const tokenTable = (db: Kysely<Schema>) => ({
  /** Tokens that are neither revoked nor expired at this time. */
  active: (now: string): Promise<TokenRow[]> =>
    db
      .selectFrom('tokens')
      .selectAll()
      .where('revoked_at', 'is', null)
      .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
      .execute(),

  /** The existing tokens with these ids. */
  some: async (ids: number[]): Promise<TokenRow[]> =>
    ids.length ? await db.selectFrom('tokens').selectAll().where('id', 'in', ids).execute() : [],

  /** The latest token of each chain of replacements, by the id of the first. */
  async latestOf(firstIds: number[]): Promise<Map<number, TokenRow>> {
    if (!firstIds.length) return new Map();
    const rows = await db
      .selectFrom('tokens')
      .selectAll()
      .where((row) => row.or([row('id', 'in', firstIds), row('first_id', 'in', firstIds)]))
      .orderBy('id')
      .execute();
    return new Map(rows.map((row) => [row.first_id ?? row.id, row]));
  },

  ofLine: (lineId: number): Promise<TokenRow[]> =>
    db.selectFrom('tokens').selectAll().where('line_id', '=', lineId).orderBy('id').execute(),

  /** A page of tokens, by line, newest first within a line; and the total count. @param lineId null for all lines */
  async page(lineId: number | null, from: number, limit: number): Promise<{ rows: TokenRow[]; all: number }> {
    const tokens = db
      .selectFrom('tokens')
      .$if(lineId !== null, (query) => query.where('line_id', '=', lineId));
    const [rows, all] = await Promise.all([
      tokens.selectAll().orderBy('line_id').orderBy('id', 'desc').offset(from).limit(limit).execute(),
      countOf(tokens.select(COUNT)),
    ]);
    return { rows, all };
  },

  find: (id: number): Promise<TokenRow | null> =>
    firstOf(db.selectFrom('tokens').selectAll().where('id', '=', id)),

  insert: (token: Insertable<TokenTable>): Promise<TokenRow> =>
    changeRegistry(db, 'tokens', (trx) =>
      trx.insertInto('tokens').values(token).returningAll().executeTakeFirstOrThrow(),
    ),

  /** @returns whether the token existed and was not revoked */
  revoke: (id: number, at: string): Promise<boolean> =>
    changeRegistry(db, ['tokens', id], (trx) =>
      anyUpdated(
        trx
          .updateTable('tokens')
          .set({ revoked_at: at })
          .where('id', '=', id)
          .where('revoked_at', 'is', null),
      ),
    ),

  /** Sets when a token expires. @param at ISO time */
  expire: (id: number, at: string): Promise<void> =>
    changeRegistry(db, ['tokens', id], async (trx) => {
      await trx.updateTable('tokens').set({ expires_at: at }).where('id', '=', id).execute();
    }),

  markUsed: (uses: TokenUse[]): Promise<void> => markTokensUsed(db, 'tokens', uses),
});

/** Stores last uses, which other processes need not read. */
export const markTokensUsed = (
  db: Kysely<Schema>,
  table: 'tokens' | 'admin_tokens',
  uses: TokenUse[],
): Promise<void> =>
  inTransaction(db, async (trx) => {
    // In a fixed order, so that two processes cannot deadlock.
    for (const { id, at, from, by } of uses.toSorted((one, other) => one.id - other.id))
      await trx
        .updateTable(table)
        .set({ last_used_at: at, last_used_from: from, last_used_by: by })
        .where('id', '=', id)
        .execute();
  });

/** The scopes in a token's row. */
export const scopesOf = ({ scopes }: Pick<TokenRow, 'scopes'>): readonly Scope[] =>
  scopes === null ? USUAL_SCOPES : (JSON.parse(scopes) as Scope[]);
