import { type AdminTokenRow } from '../store/tables/admin-tokens';
import { allowedOf, namesAllowed, reachOf } from './admin-token';

/** An admin token as the API and the commands return it, without its hash. */
export const shownAdminToken = (row: AdminTokenRow) => {
  const { customerIds, lineIds } = reachOf(row);
  return {
    id: row.id,
    name: row.name,
    last_four: row.last_four,
    permissions: namesAllowed(allowedOf(row)),
    customer_ids: customerIds,
    line_ids: lineIds,
    created_at: row.created_at,
    created_by: row.created_by,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    last_used_at: row.last_used_at,
    last_used_from: row.last_used_from,
    last_used_by: row.last_used_by,
  };
};
