import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { fact, type Fact } from '../../wording/facts';
import { type Schema } from '../schema';
import { type Vault } from '../vault';
import { hashedText, type AuditFilter, type AuditRow } from './audit-row';

/** An entry as its customer sees it: `number` counts the customer's entries. */
export interface CustomerEntry extends AuditRow {
  /** The hash of the customer's previous entry; empty for the first. */
  before: string;
}

/** The ends of a chain: its last entry, and the last one that was removed because of its age. */
interface Ends {
  number: number;
  hash: string;
  start: { number: number; hash: string };
}

const NO_ENTRIES: Ends = { number: 0, hash: '', start: { number: 0, hash: '' } };
const PAGE_OF_CHAIN = 500;

/**
 * The audit of each customer: the entries about its lines and its users, numbered from 1 without gaps, so that nothing
 * tells of others. Each hash covers the entry and the previous hash. It needs no key, so that a customer can verify an
 * export (docs/panel.md). The ends are stored encrypted, so that nobody else can cut entries off.
 */
export const customerAuditTable = (db: Kysely<Schema>) => {
  async function endsOf(vault: Vault, customerId: number): Promise<Ends> {
    const customer = await db
      .selectFrom('customers')
      .select('audit_sealed')
      .where('id', '=', customerId)
      .executeTakeFirst();
    const sealed = customer?.audit_sealed ?? null;
    return sealed === null ? NO_ENTRIES : (JSON.parse(vault.open('customers.audit', sealed)) as Ends);
  }

  async function store(vault: Vault, customerId: number, ends: Ends): Promise<void> {
    await db
      .updateTable('customers')
      .set({ audit_sealed: vault.seal('customers.audit', JSON.stringify(ends)) })
      .where('id', '=', customerId)
      .execute();
  }

  const entries = (customerId: number) =>
    db
      .selectFrom('customer_audit')
      .innerJoin('audit', 'audit.number', 'customer_audit.audit_number')
      .where('customer_audit.customer_id', '=', customerId);

  const ENTRY = [
    'customer_audit.number',
    'audit.at',
    'audit.who',
    'audit.through',
    'audit.address',
    'audit.action',
    'audit.line_id',
    'customer_audit.before',
    'customer_audit.hash',
  ] as const;
  const details = sql<string>`coalesce(customer_audit.details, audit.details)`.as('details');

  return {
    /** Adds an entry of the audit, in the transaction that holds the audit's head. */
    async add(
      vault: Vault,
      customerId: number,
      { number: auditNumber, ...entry }: Omit<AuditRow, 'hash'>,
      details: string | null,
    ): Promise<void> {
      const ends = await endsOf(vault, customerId);
      const own = { ...entry, ...(details !== null && { details }), number: ends.number + 1 };
      const hash = hashOf(ends.hash, own);
      await db
        .insertInto('customer_audit')
        .values({
          customer_id: customerId,
          number: own.number,
          audit_number: auditNumber,
          details,
          before: ends.hash,
          hash,
        })
        .execute();
      await store(vault, customerId, { ...ends, number: own.number, hash });
    },

    /** Removes the entries up to one of the audit, in the transaction that removes that one. */
    async clearTo(vault: Vault, auditNumber: number): Promise<void> {
      const removed = await db
        .deleteFrom('customer_audit')
        .where('audit_number', '<=', auditNumber)
        .returning(['customer_id', 'number', 'hash'])
        .execute();
      for (const [customerId, rows] of Map.groupBy(removed, (row) => row.customer_id)) {
        const start = rows.reduce((last, row) => (row.number > last.number ? row : last));
        const ends = await endsOf(vault, customerId);
        await store(vault, customerId, { ...ends, start: { number: start.number, hash: start.hash } });
      }
    },

    /**
     * A page of a customer's entries, newest first, unverified: `checkEntries` verifies them.
     * @param filter its numbers are the customer's
     */
    page: (customerId: number, filter: AuditFilter, limit: number): Promise<CustomerEntry[]> =>
      entries(customerId)
        .select(ENTRY)
        .select(details)
        .$if(filter.who !== undefined, (query) => query.where('audit.who', '=', filter.who ?? ''))
        .$if(filter.action !== undefined, (query) => query.where('audit.action', '=', filter.action ?? ''))
        .$if(filter.lineId !== undefined, (query) => query.where('audit.line_id', '=', filter.lineId ?? 0))
        .$if(filter.from !== undefined, (query) => query.where('audit.at', '>=', filter.from ?? ''))
        .$if(filter.to !== undefined, (query) => query.where('audit.at', '<', filter.to ?? ''))
        .$if(filter.before !== undefined, (query) =>
          query.where('customer_audit.number', '<', filter.before ?? 0),
        )
        .orderBy('customer_audit.number', 'desc')
        .limit(limit)
        .execute(),

    /** The options of the filters: all users and all actions. */
    async words(customerId: number): Promise<{ who: string[]; actions: string[] }> {
      const who = await entries(customerId).select('who').distinct().orderBy('who').limit(200).execute();
      const actions = await entries(customerId).select('action').distinct().orderBy('action').execute();
      return { who: who.map((row) => row.who), actions: actions.map((row) => row.action) };
    },

    /** Verifies the whole chains of all customers. */
    async verify(vault: Vault): Promise<Fact[]> {
      const customers = await db.selectFrom('customers').select(['id', 'name']).orderBy('id').execute();
      const faults = await Promise.all(
        customers.map(async ({ id, name }) => {
          const { start, ...end } = await endsOf(vault, id);
          let last = start;
          for (;;) {
            const rows: CustomerEntry[] = await entries(id)
              .select(ENTRY)
              .select(details)
              .where('customer_audit.number', '>', last.number)
              .orderBy('customer_audit.number')
              .limit(PAGE_OF_CHAIN)
              .execute();
            for (const { before, hash, ...entry } of rows) {
              const isNext = entry.number === last.number + 1 && before === last.hash;
              if (!isNext || hashOf(before, entry) !== hash)
                return [fact('entry.of_customer', { customer: name, number: last.number + 1 })];
              last = { number: entry.number, hash };
            }
            if (rows.length < PAGE_OF_CHAIN) break;
          }
          if (last.number === end.number && last.hash === end.hash) return [];
          return [fact('entry.of_customer', { customer: name, number: last.number + 1 })];
        }),
      );
      return faults.flat();
    },
  };
};

/** @returns the unchanged entries, and the faults of the others */
export function checkEntries(rows: CustomerEntry[]): { verified: CustomerEntry[]; faults: Fact[] } {
  const [changed, verified] = [false, true].map((isWhole) =>
    rows.filter(({ before, hash, ...entry }) => (hashOf(before, entry) === hash) === isWhole),
  ) as [CustomerEntry[], CustomerEntry[]];
  return { verified, faults: changed.map(({ number, at }) => fact('entry.changed', { number, at })) };
}

const hashOf = (before: string, entry: Omit<AuditRow, 'hash'>): string =>
  createHash('sha256').update(hashedText(before, entry)).digest('hex');
