import { type LineRegistry } from '../lines/line-registry';
import { type RegistryChanges } from '../store/processes/registry';
import { type Store } from '../store/store';
import { type AdminTokenRow } from '../store/tables/admin-tokens';
import { isoTime, type Clock } from '../time';
import { allowedOf, grantsOf, reachOf, type AdminReach, type AdminToken } from './admin-token';

/** All admin tokens, in memory. Changes reach it through `load`. */
export type AdminTokenRegistry = ReturnType<typeof adminTokenRegistry>;

type Stored = Omit<AdminToken, 'grants' | 'isSuspended'>;

export function adminTokenRegistry(
  store: Pick<Store, 'adminTokens' | 'customers'>,
  lines: Pick<LineRegistry, 'byId'>,
  clock: Clock,
) {
  const byHash = new Map<string, Stored>();
  let suspended: ReadonlySet<number> = new Set();

  const isLineSuspended = (id: number) => lines.byId(id)?.isSuspended === true;

  function validReach({ customerIds, lineIds }: AdminReach): AdminReach {
    return {
      customerIds: customerIds && customerIds.filter((id) => !suspended.has(id)),
      lineIds: lineIds && lineIds.filter((id) => !isLineSuspended(id)),
    };
  }

  return {
    /** @param changes the rows to read again; null for everything, as after a change of a customer */
    async load(changes: RegistryChanges | null = null): Promise<void> {
      const [rows, customers] = await Promise.all([
        changes ? store.adminTokens.some(changes.admin_tokens) : store.adminTokens.active(isoTime(clock())),
        changes ? null : store.customers.all(),
      ]);
      if (customers)
        suspended = new Set(customers.flatMap(({ id, suspended_at: at }) => (at === null ? [] : id)));
      for (const [hash, { id }] of byHash)
        if (!changes || changes.admin_tokens.includes(id)) byHash.delete(hash);
      for (const row of rows) if (row.revoked_at === null) byHash.set(row.hash, storedToken(row));
    },

    /** The valid token with this hash; null if the token is unknown, revoked or expired. */
    openedBy(hash: string): AdminToken | null {
      const token = byHash.get(hash);
      if (!token || token.expiresAt <= isoTime(clock())) return null;
      const reach = validReach(token);
      const grants = grantsOf(reach, token);
      return { ...token, grants, isSuspended: grants.length === 0 };
    },
  };
}

const storedToken = (row: AdminTokenRow): Stored => ({
  kind: 'admin',
  id: row.id,
  name: row.name,
  lastFour: row.last_four,
  ...allowedOf(row),
  ...reachOf(row),
  answers: null,
  expiresAt: row.expires_at,
});
