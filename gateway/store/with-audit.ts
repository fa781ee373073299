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

/** The value of a field before and after a change; both are omitted for a secret. */
export interface FieldChange {
  field: string;
  from?: unknown;
  to?: unknown;
}

/** The fields whose values differ. @param fields the values before and after, by field */
export const changesIn = (fields: Record<string, [from: unknown, to: unknown]>): FieldChange[] =>
  Object.entries(fields).flatMap(([field, [from, to]]) =>
    JSON.stringify(from ?? null) === JSON.stringify(to ?? null)
      ? []
      : [{ field, from: from ?? null, to: to ?? null }],
  );

/**
 * The dependencies of a change: the tables within its transaction. The registry in memory is refreshed after the
 * commit.
 */
export interface Transaction {
  store: Tables;
  registry: Pick<FollowedRegistry, 'refresh'>;
}

/**
 * Makes a change and its audit entry: both, or neither. Every requested change uses this, from the panel, a
 * command or the API.
 * @param entry a function if the entry depends on the result of the change; it returns null for no entry
 * @param change uses only the transaction's tables: `(transaction) => removeDestination({ ...deps,
 * ...transaction }, id)`
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
