import { createHmac, randomBytes } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { SettingError } from '../../errors';
import { fact, type Fact } from '../../wording/facts';
import { say } from '../../wording/say';
import { type AuditHeadTable, type Schema } from '../schema';
import { hashedText, type AuditFilter, type AuditRow } from './audit-row';
import { customerAuditTable } from './customer-audit';
import { type Vault } from '../vault';

/** The actor, and the client and address used. */
export type Actor = Pick<AuditRow, 'who' | 'through' | 'address'>;

/** A recorded action. All users can see its details, which never contain a secret. */
export interface AuditEntry {
  /** The action as object and verb, such as `line.edited`. */
  action: string;
  lineId?: number | null;
  details?: Record<string, unknown>;
  /** The customers that the entry concerns. Default: the customer of the line. */
  customers?: readonly ConcernedCustomer[];
}

/** A customer that an entry concerns. */
export interface ConcernedCustomer {
  id: number;
  /** Instead of the entry's, if those name other customers. */
  details?: Record<string, unknown>;
}

/** The result of verifying the audit. */
export interface AuditReport {
  /** The number of the last entry. */
  entries: number;
  /** The number of the last entry removed because of its age; 0 if none. */
  cleared: number;
  /** The last entry's hash. A copy kept elsewhere can show later that the entries up to it still exist. */
  lastHash: string;
  /** Empty if all entries are unchanged. */
  faults: Fact[];
}

/** A URL as entries store it: without query and user information, which may contain a password. */
export function addressInAudit(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname === '/' ? '' : url.pathname}${url.search && '?…'}` : '';
}

/** A URL as viewers see it: also without the path, in which n8n, Slack and others keep the receiver's secret. */
export function addressWithoutPath(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname === '/' ? '' : '/…'}` : '';
}

const PAGE_OF_CHAIN = 500;
/** The most entries removed in one transaction, during which other audited changes wait. */
const MOST_CLEARED = 2_000;
/** The most inserted entries that are named in a report. */
const MOST_NAMED = 10;

/**
 * The audit: a chain of entries. Each entry's hash covers its text and the previous hash (HMAC-SHA256), so that a
 * changed, removed or inserted entry breaks the chain. `audit_head` stores its length. The HMAC key is in the
 * database, encrypted with `GATEWAY_SECRET_KEY`: write access to the database alone is not enough to create a hash.
 * Entries are numbered from 1 to the length; any other number was inserted. Setting back both the latest entries and
 * the head, as restoring a backup does, is only detected by comparing with a hash kept elsewhere.
 *
 * Old entries are removed from the front (`clearBefore`). The chain then starts after the last removed one. The head
 * stores its number and hash encrypted, so that nobody else can move the start.
 */
export const auditTable = (db: Kysely<Schema>) => {
  const headOf = () => db.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirst();
  const lengthOf = db.selectFrom('audit_head').select('entries').where('id', '=', 1);

  const ofCustomers = customerAuditTable(db);

  async function customerOf(lineId: number | null): Promise<ConcernedCustomer[]> {
    if (lineId === null) return [];
    const line = await db
      .selectFrom('lines')
      .select('customer_id')
      .where('id', '=', lineId)
      .executeTakeFirst();
    const id = line?.customer_id ?? null;
    return id === null ? [] : [{ id }];
  }

  /** One statement, so that entries added meanwhile do not count. */
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

  /** Makes further changes wait until the transaction ends, because each of them adds an entry. */
  const lockHead = () =>
    db
      .updateTable('audit_head')
      .set((row) => ({ entries: row.ref('entries') }))
      .where('id', '=', 1)
      .returningAll()
      .executeTakeFirstOrThrow();

  return {
    /** Keeps everything that audited changes can change as it is until the transaction ends. */
    async lock(): Promise<void> {
      await lockHead();
    },

    /**
     * Adds an entry in the transaction of the change, so that both are committed or neither. The head is locked
     * first, so that processes write one at a time.
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
      // An existing entry with this number was inserted. It is kept and reported, and the change still succeeds.
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
      for (const { id, details } of told.customers ?? (await customerOf(entry.line_id)))
        await ofCustomers.add(vault, id, entry, details ? JSON.stringify(details) : null);
    },

    /**
     * Removes the oldest entries if all of them are older than a time and unchanged: evidence of manipulation is
     * never removed. Runs in the transaction of the entry that reports the removal.
     * @param before ISO time
     * @returns the number of the last removed entry; null if none
     * @throws if one of them was changed
     */
    async clearBefore(vault: Vault, before: string): Promise<number | null> {
      const head = await lockHead();
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
      await ofCustomers.clearTo(vault, last.number);
      const startsAt: Start = { number: last.number, hash: last.hash };
      await db
        .updateTable('audit_head')
        .set({ start_sealed: vault.seal('audit_head.start', JSON.stringify(startsAt)) })
        .where('id', '=', 1)
        .execute();
      return last.number;
    },

    /** A page of entries, unverified: `check` verifies them. */
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
     * Verifies some entries.
     * @returns the unchanged ones, and the faults of the others
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

    /** The options of the filters: all users and all actions. */
    async words(): Promise<{ who: string[]; actions: string[] }> {
      const entries = db.selectFrom('audit').where('number', '>', 0).where('number', '<=', lengthOf);
      const who = await entries.select('who').distinct().orderBy('who').limit(200).execute();
      const actions = await entries.select('action').distinct().orderBy('action').execute();
      return { who: who.map((row) => row.who), actions: actions.map((row) => row.action) };
    },

    /** Verifies the whole chain. */
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
      faults.push(...(await putIn(start.number)), ...(await ofCustomers.verify(vault)));
      return { entries: last.number, cleared: start.number, lastHash: last.hash, faults };
    },

    /** The hash of one entry; null if the entry does not exist. */
    async hash(number: number): Promise<string | null> {
      const row = await db.selectFrom('audit').select('hash').where('number', '=', number).executeTakeFirst();
      return row?.hash ?? null;
    },
  };
};

/** The last removed entry, after which the chain starts. */
type Start = Pick<AuditRow, 'number' | 'hash'>;

/** @returns null if it was manipulated */
function startOf(vault: Vault, { start_sealed: sealed }: Pick<AuditHeadTable, 'start_sealed'>): Start | null {
  if (sealed === null) return { number: 0, hash: '' };
  try {
    return JSON.parse(vault.open('audit_head.start', sealed)) as Start;
  } catch (error) {
    // A wrong key causes the same error as elsewhere.
    if (error instanceof SettingError) throw error;
    return null;
  }
}

/**
 * The faults of consecutive entries.
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

const hashOf = (key: string, before: string, entry: Omit<AuditRow, 'hash'>): string =>
  createHmac('sha256', key).update(hashedText(before, entry)).digest('hex');
