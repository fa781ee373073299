import { createHmac, randomBytes } from 'node:crypto';
import { sql, type Kysely, type Selectable } from 'kysely';
import { SettingError } from '../../errors';
import { fact, type Fact } from '../../wording/facts';
import { say } from '../../wording/say';
import { type AuditHeadTable, type AuditTable, type Schema } from '../schema';
import { type Vault } from '../vault';

export type AuditRow = Selectable<AuditTable>;

/** Who does something, and from where. */
export type Actor = Pick<AuditRow, 'who' | 'through' | 'address'>;

/** What was done. Its details are shown to every user: they never hold a secret. */
export interface AuditEntry {
  /** The action, such as `line.edited`: the thing and what was done to it. */
  action: string;
  lineId?: number | null;
  details?: Record<string, unknown>;
}

/** What a look at the audit found. */
export interface AuditReport {
  /** The number of the last entry. */
  entries: number;
  /** The number of the last entry that was removed because of its age; 0 if none was. */
  cleared: number;
  /** The hash of the last one: kept elsewhere, it shows later whether the entries up to it still exist. */
  lastHash: string;
  /** Empty if all entries are unchanged. */
  faults: Fact[];
}

/** What of the audit is asked for; the newest come first. */
export interface AuditFilter {
  who?: string;
  action?: string;
  lineId?: number;
  /** Only entries with smaller numbers. */
  before?: number;
  /** ISO times: from then on, and before then. */
  from?: string;
  to?: string;
}

/**
 * An address as an entry stores it: without the query and without user information, which may be a password.
 */
export function addressInAudit(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname === '/' ? '' : url.pathname}${url.search && '?…'}` : '';
}

/** The same without its path, in which n8n, Slack and others keep the receiver's secret: for viewers. */
export function addressWithoutPath(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname === '/' ? '' : '/…'}` : '';
}

const PAGE_OF_CHAIN = 500;
/** Entries that one transaction removes: other audited changes wait for it. */
const MOST_CLEARED = 2_000;
/** The number of inserted entries that are named. */
const MOST_NAMED = 10;

/**
 * The audit: a chain of entries. Each entry's hash covers its own text and the previous hash (HMAC-SHA256).
 * So a changed, removed or inserted entry breaks the chain, and `audit_head` has its length. The key of the
 * hashes is in the database, encrypted with `GATEWAY_SECRET_KEY`: write access to the database alone is not
 * enough to make a hash. The entries have the numbers 1 to the length; any other number was inserted. Not
 * detected: setting back both the entries after some moment and the head, as restoring a backup does.
 * Comparing with a hash that was kept elsewhere detects that too.
 *
 * Old entries are removed from the front (`clearBefore`). The chain then starts after the last removed one,
 * whose number and hash the head keeps encrypted, so that nobody else can move the start.
 */
export const auditTable = (db: Kysely<Schema>) => {
  const headOf = () => db.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirst();
  const lengthOf = db.selectFrom('audit_head').select('entries').where('id', '=', 1);

  /** Checked in one statement, so that entries added meanwhile do not count. */
  async function putIn(start: number): Promise<Fact[]> {
    const rows = await db
      .selectFrom('audit')
      .select('number')
      .where((row) => row.or([row('number', '<=', start), row('number', '>', lengthOf)]))
      .orderBy('number')
      .limit(MOST_NAMED + 1)
      .execute();
    if (rows.length > MOST_NAMED) return [fact('entry.many_inserted', { most: MOST_NAMED })];
    return rows.map(({ number }) => fact('entry.inserted', { number }));
  }

  return {
    /**
     * Adds an entry. In the transaction of the change: both are there, or neither. The head is locked first, so that of
     * several processes one writes at a time.
     */
    async add(vault: Vault, at: string, actor: Actor, told: AuditEntry): Promise<void> {
      const head = await db
        .updateTable('audit_head')
        .set((row) => ({ entries: row('entries', '+', 1) }))
        .where('id', '=', 1)
        .returningAll()
        .executeTakeFirstOrThrow();
      const key = head.key_sealed ? vault.open('audit_head.key', head.key_sealed) : newKey();
      const entry = {
        number: head.entries,
        at,
        ...actor,
        action: told.action,
        line_id: told.lineId ?? null,
        details: JSON.stringify(told.details ?? {}),
      };
      const hash = hashOf(key, head.hash, entry);
      // An entry that already has this number was inserted. It is kept and reported, and no change fails
      // because of it.
      await db
        .updateTable('audit')
        .set({ number: sql`(select case when min(number) < 1 then min(number) - 1 else 0 end from audit)` })
        .where('number', '=', entry.number)
        .execute();
      await db
        .insertInto('audit')
        .values({ ...entry, hash })
        .execute();
      await db
        .updateTable('audit_head')
        .set({ hash, ...(head.key_sealed === null && { key_sealed: vault.seal('audit_head.key', key) }) })
        .where('id', '=', 1)
        .execute();
    },

    /**
     * Removes the oldest entries, if all of them are older than that time and unchanged: evidence of a
     * manipulation is never removed. Runs in the transaction of the entry that reports it.
     * @param before ISO time
     * @returns the number of the last removed entry; null if none
     * @throws if one of them was changed
     */
    async clearBefore(vault: Vault, before: string): Promise<number | null> {
      // Locked, as for an entry that is added.
      const head = await db
        .updateTable('audit_head')
        .set((row) => ({ entries: row.ref('entries') }))
        .where('id', '=', 1)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (head.key_sealed === null) return null;
      const start = startOf(vault, head);
      if (!start) throw new Error(say('en', OTHER_START));
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('number', '>', start.number)
        .where('number', '<=', head.entries)
        .orderBy('number')
        .limit(MOST_CLEARED)
        .execute();
      const kept = rows.findIndex(({ at }) => at >= before);
      const old = kept < 0 ? rows : rows.slice(0, kept);
      const last = old.at(-1);
      if (!last) return null;
      const [fault] = faultsOf(vault.open('audit_head.key', head.key_sealed), start, old);
      if (fault !== undefined) throw new Error(`Nothing of the audit is cleared away. ${say('en', fault)}`);
      await db
        .deleteFrom('audit')
        .where('number', '>', start.number)
        .where('number', '<=', last.number)
        .execute();
      const startsAt: Start = { number: last.number, hash: last.hash };
      await db
        .updateTable('audit_head')
        .set({ start_sealed: vault.seal('audit_head.start', JSON.stringify(startsAt)) })
        .where('id', '=', 1)
        .execute();
      return last.number;
    },

    /** Entries of the audit. `check` says whether they are unchanged. */
    page(filter: AuditFilter, limit: number): Promise<AuditRow[]> {
      return db
        .selectFrom('audit')
        .selectAll()
        .where('number', '>', 0)
        .where('number', '<=', lengthOf)
        .$if(filter.who !== undefined, (query) => query.where('who', '=', filter.who ?? ''))
        .$if(filter.action !== undefined, (query) => query.where('action', '=', filter.action ?? ''))
        .$if(filter.lineId !== undefined, (query) => query.where('line_id', '=', filter.lineId ?? 0))
        .$if(filter.from !== undefined, (query) => query.where('at', '>=', filter.from ?? ''))
        .$if(filter.to !== undefined, (query) => query.where('at', '<', filter.to ?? ''))
        .$if(filter.before !== undefined, (query) => query.where('number', '<', filter.before ?? 0))
        .orderBy('number', 'desc')
        .limit(limit)
        .execute();
    },

    /**
     * Checks some entries.
     * @returns the unchanged ones, and sentences about what is wrong with the others
     */
    async check(vault: Vault, rows: AuditRow[]): Promise<{ verified: AuditRow[]; faults: Fact[] }> {
      const head = await headOf();
      if (!head) return { verified: [], faults: [fact('entry.no_head', {})] };
      const start = startOf(vault, head);
      if (!start) return { verified: [], faults: [OTHER_START] };
      const faults = await putIn(start.number);
      const { last } = await db
        .selectFrom('audit')
        .select((row) => row.fn.max('number').as('last'))
        .where('number', '<=', head.entries)
        .executeTakeFirstOrThrow();
      if (head.entries && (last ?? 0) < head.entries)
        faults.push(missing(Math.max(last ?? 0, start.number) + 1, head.entries));
      if (!rows.length) return { verified: rows, faults };
      if (head.key_sealed === null) return { verified: [], faults: [fact('entry.no_key', {})] };
      const key = vault.open('audit_head.key', head.key_sealed);
      const before = await db
        .selectFrom('audit')
        .select(['number', 'hash'])
        .where(
          'number',
          'in',
          rows.map(({ number }) => number - 1),
        )
        .execute();
      const hashes = new Map(before.map(({ number, hash }) => [number, hash])).set(start.number, start.hash);
      const verified = rows.filter((row) => {
        // Reported as inserted.
        if (row.number <= start.number) return false;
        const { hash, ...entry } = row;
        const previous = hashes.get(row.number - 1);
        const isLast = row.number === head.entries;
        if (previous === undefined)
          faults.push(fact('entry.unverifiable', { missing: row.number - 1, number: row.number }));
        else if (hashOf(key, previous, entry) !== hash) faults.push(changed(row));
        else if (isLast && hash !== head.hash) faults.push(OTHER_LAST);
        else return true;
        return false;
      });
      return { verified, faults };
    },

    /** The choices of a filter: all users, and all actions. */
    async words(): Promise<{ who: string[]; actions: string[] }> {
      const entries = db.selectFrom('audit').where('number', '>', 0).where('number', '<=', lengthOf);
      const who = await entries.select('who').distinct().orderBy('who').limit(200).execute();
      const actions = await entries.select('action').distinct().orderBy('action').execute();
      return { who: who.map((row) => row.who), actions: actions.map((row) => row.action) };
    },

    /** Reads the whole chain. */
    async verify(vault: Vault): Promise<AuditReport> {
      const head = await headOf();
      const none = { entries: 0, cleared: 0, lastHash: '' };
      if (!head) return { ...none, faults: [fact('entry.no_head', {})] };
      const start = startOf(vault, head);
      if (!start) return { ...none, faults: [OTHER_START] };
      const faults: Fact[] = [];
      if (head.key_sealed === null) {
        if (head.entries) faults.push(fact('entry.no_key', {}));
        faults.push(...(await putIn(start.number)));
        return { ...none, faults };
      }
      const key = vault.open('audit_head.key', head.key_sealed);
      let last = start;
      for (;;) {
        const rows = await db
          .selectFrom('audit')
          .selectAll()
          .where('number', '>', last.number)
          .where('number', '<=', head.entries)
          .orderBy('number')
          .limit(PAGE_OF_CHAIN)
          .execute();
        faults.push(...faultsOf(key, last, rows));
        last = rows.at(-1) ?? last;
        if (rows.length < PAGE_OF_CHAIN) break;
      }
      if (last.number < head.entries) faults.push(missing(last.number + 1, head.entries));
      else if (last.hash !== head.hash) faults.push(OTHER_LAST);
      faults.push(...(await putIn(start.number)));
      return { entries: last.number, cleared: start.number, lastHash: last.hash, faults };
    },

    /** The hash of one entry; null if it does not exist. */
    async hash(number: number): Promise<string | null> {
      const row = await db.selectFrom('audit').select('hash').where('number', '=', number).executeTakeFirst();
      return row?.hash ?? null;
    },
  };
};

/** The entry behind which the chain starts: the last that was cleared away. */
type Start = Pick<AuditRow, 'number' | 'hash'>;

/** @returns null if it was changed */
function startOf(vault: Vault, { start_sealed: sealed }: Pick<AuditHeadTable, 'start_sealed'>): Start | null {
  if (sealed === null) return { number: 0, hash: '' };
  try {
    return JSON.parse(vault.open('audit_head.start', sealed)) as Start;
  } catch (error) {
    // A wrong key gets the same error as elsewhere.
    if (error instanceof SettingError) throw error;
    return null;
  }
}

/**
 * The faults of consecutive entries, in sentences.
 * @param before the entry before the first of them
 */
function faultsOf(key: string, before: Start, rows: AuditRow[]): Fact[] {
  return rows.flatMap(({ hash, ...entry }, index) => {
    const previous = rows[index - 1] ?? before;
    if (entry.number !== previous.number + 1) return [missing(previous.number + 1, entry.number - 1)];
    return hashOf(key, previous.hash, entry) === hash ? [] : [changed(entry)];
  });
}

const newKey = (): string => randomBytes(32).toString('base64url');

const missing = (from: number, to: number): Fact => fact('entry.missing', { from, to });

const changed = ({ number, at }: Pick<AuditRow, 'number' | 'at'>): Fact =>
  fact('entry.changed', { number, at });

const OTHER_START = fact('entry.other_start', {});
const OTHER_LAST = fact('entry.other_last', {});

/** Over a list and not an object, so that the order of the columns does not matter. */
const hashOf = (key: string, before: string, entry: Omit<AuditRow, 'hash'>): string =>
  createHmac('sha256', key)
    .update(
      JSON.stringify([
        before,
        entry.number,
        entry.at,
        entry.who,
        entry.through,
        entry.address,
        entry.action,
        entry.line_id,
        entry.details,
      ]),
    )
    .digest('hex');
