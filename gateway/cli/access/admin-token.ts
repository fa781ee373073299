import { allowedOf, namesAllowed, reachOf } from '../../admin-tokens/admin-token';
import {
  adminTokensSeenBy,
  createAdminToken,
  revokeAdminToken,
} from '../../admin-tokens/manage-admin-tokens';
import { shownAdminToken } from '../../admin-tokens/shown-admin-token';
import { registrationsOfAdmin } from '../../alerts/use-cases/token-registrations';
import { SettingError } from '../../errors';
import { type AdminTokenRow } from '../../store/tables/admin-tokens';
import { isoTime } from '../../time';
import { customerId } from '../customer';
import { lastUse, removeRegistered, stateText, tellRegistered } from '../lines/token';
import { commandActor, lineByTid, offline } from '../offline';
import { byOptions, optionsOf, wordsAndOptions } from '../options';
import { print } from '../print';

const OPTIONS = { customer_ids: '--customer', line_ids: '--line', expires_in_days: '--expires-in' };

export async function adminTokenCreate(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, {
    text: ['name', 'permissions', 'expires-in'],
    lists: ['customer', 'line'],
    flags: ['json'],
  });
  if (words.length) throw new SettingError('Name the token with --name.');
  await offline(
    env,
    async (deps) => {
      const lines = await Promise.all((values.line ?? []).map((tid) => lineByTid(deps.store, [tid])));
      const { token, row } = await createAdminToken(deps, commandActor(), null, {
        name: values.name ?? '',
        permissions: values.permissions?.split(',').flatMap((one) => one.trim() || []),
        customerIds: values.customer?.map(customerId),
        lineIds: values.line && lines.map(({ id }) => id),
        expiresInDays: values['expires-in'],
      }).catch(byOptions(OPTIONS));
      print(
        values.json
          ? JSON.stringify({ token, ...shownAdminToken(row) })
          : `Admin token ${row.id} "${row.name}", valid until ${row.expires_at}, shown only once: ${token}`,
      );
    },
    'first command',
  );
}

export async function adminTokenList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json'] });
  await offline(env, async ({ store, clock }) => {
    const rows = await adminTokensSeenBy(store, null);
    if (values.json) return print(JSON.stringify({ admin_tokens: rows.map(shownAdminToken) }));
    if (!rows.length)
      return print(
        'There is no admin token yet. Create one with "messaging-gateway admin-token create --name NAME".',
      );
    rows.forEach((row) =>
      print(
        row.id,
        `…${row.last_four}`,
        row.name,
        namesAllowed(allowedOf(row)).join(','),
        reachText(row),
        lastUse(row),
        stateText(row, isoTime(clock())),
      ),
    );
  });
}

/**
 * Revokes a token; a running gateway rejects it immediately. Lists the destinations that it registered, or removes them
 * with `--with-destinations`, which also works for a token that was revoked before.
 */
export async function adminTokenRevoke(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['with-destinations'] });
  const [word, ...more] = words;
  if (word === undefined || more.length || !/^\d{1,9}$/.test(word))
    throw new SettingError('Which admin token? Give one id, a number that "admin-token list" shows.');
  const id = Number(word);
  await offline(env, async (deps) => {
    const revoked = await revokeAdminToken(deps, commandActor(), null, id);
    print(revoked ? `Admin token ${id} is revoked.` : `Admin token ${id} was revoked before.`);
    const registered = (await registrationsOfAdmin(deps, [id]))(id);
    if (values['with-destinations']) await removeRegistered(deps, registered);
    else tellRegistered(`admin-token revoke ${id}`, deps, registered);
  });
}

function reachText(row: AdminTokenRow): string {
  const { customerIds, lineIds } = reachOf(row);
  if (lineIds) return `lines ${lineIds.join(',')}`;
  return customerIds ? `customers ${customerIds.join(',')}` : 'all lines and customers';
}
