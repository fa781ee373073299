import { parseArgs } from 'node:util';
import { SettingError } from '../errors';
import { isoTime } from '../time';
import { addToken } from './line';
import { lineByTid, offline, print } from './offline';

export async function tokenCreate(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { 'expires-at': { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const expiresAt = values['expires-at'] === undefined ? null : timeOf(values['expires-at']);
  await offline(env, async (world) => {
    const line = await lineByTid(world.store, positionals[0]);
    const token = await addToken(world, line.id, expiresAt);
    print(
      values.json
        ? JSON.stringify({ line: line.id, token })
        : `Token of line ${line.id}, shown only now: ${token}`,
    );
  });
}

export async function tokenList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  });
  await offline(env, async ({ store }) => {
    const line = await lineByTid(store, positionals[0]);
    const tokens = (await store.tokens.ofLine(line.id)).map(({ hash: _hash, ...token }) => token);
    if (values.json) return print(JSON.stringify({ tokens }));
    tokens.forEach((token) =>
      print(
        [
          token.id,
          `…${token.last_four}`,
          `created ${token.created_at}`,
          `last used ${token.last_used_at ?? 'never'}`,
          stateOf(token),
        ].join('\t'),
      ),
    );
  });
}

/** Revokes tokens by their ids, as `token list` shows them; a running gateway refuses them at once. */
export async function tokenRevoke(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const ids = positionals.map((id) => {
    if (!/^\d{1,9}$/.test(id)) throw new SettingError(`${id} is no token's id. "token list TID" shows them.`);
    return Number(id);
  });
  if (!ids.length) throw new SettingError('Which token? Give its id, as "token list TID" shows it.');
  await offline(env, async ({ store, clock }) => {
    for (const id of ids) {
      if (!(await store.tokens.revoke(id, isoTime(clock()))))
        throw new SettingError(`There is no active token with the id ${id}.`);
      print(`Token ${id} is revoked.`);
    }
  });
}

function timeOf(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new SettingError(`--expires-at is "${text}"; it takes a time such as 2027-01-31T00:00:00Z.`);
  return isoTime(time);
}

const stateOf = (token: { revoked_at: string | null; expires_at: string | null }): string => {
  if (token.revoked_at) return `revoked ${token.revoked_at}`;
  return token.expires_at ? `expires ${token.expires_at}` : 'active';
};
