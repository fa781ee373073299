import { isoTime, type Clock } from '../time';
import { type Actor, type AuditEntry } from './tables/audit';
import { type Store, type Tables } from './store';
import { type FollowedRegistry } from './follow-registry';
import { type Vault } from './vault';

export interface AuditedDeps {
  store: Store;
  vault: Vault;
  registry: Pick<FollowedRegistry, 'refresh'>;
  clock: Clock;
}

/** What a field was and is; neither for one that is secret. */
export interface FieldChange {
  field: string;
  from?: unknown;
  to?: unknown;
}

/** The fields that have another value after a change. @param fields of each its value before and after */
export const changesIn = (fields: Record<string, [from: unknown, to: unknown]>): FieldChange[] =>
  Object.entries(fields).flatMap(([field, [from, to]]) =>
    JSON.stringify(from ?? null) === JSON.stringify(to ?? null)
      ? []
      : [{ field, from: from ?? null, to: to ?? null }],
  );

/** What a change works with: the tables within its transaction. What is in memory is read again once that is done. */
export interface Transaction {
  store: Tables;
  registry: Pick<FollowedRegistry, 'refresh'>;
}

/**
 * Makes a change, and the entry in the audit that tells of it: both, or neither. Every change that somebody asks for
 * goes through here, whether in the panel, by a command or through the API.
 * @param entry what the entry tells; a function where that depends on what the change came to, null for no entry
 * @param change works with what it is given, as `(transaction) => removeDestination({ ...deps, ...transaction }, id)`
 */
export async function audited<T>(
  { store, vault, registry, clock }: AuditedDeps,
  actor: Actor,
  entry: AuditEntry | ((changed: T) => AuditEntry | null),
  change: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const told = typeof entry === 'function' ? entry : () => entry;
  const transaction = { registry: { refresh: async () => {} } };
  const changed = await store.audited(vault, isoTime(clock()), actor, told, (tables) =>
    change({ ...transaction, store: tables }),
  );
  await registry.refresh();
  return changed;
}
