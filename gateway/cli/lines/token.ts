import { settingsOf } from '../../alerts/outbox';
import {
  countOf,
  registrationsOf,
  removeRegistrations,
  type Registrations,
} from '../../alerts/use-cases/token-registrations';
import { quoted, SettingError } from '../../errors';
import { createToken, revokeToken, rotateToken, stateOfToken } from '../../lines/tokens';
import { callbackOrigins } from '../../questions/question';
import { scopesOf, type TokenRow } from '../../store/tables/tokens';
import { isoTime } from '../../time';
import { commandActor, lineByTid, offline, type Offline } from '../offline';
import { wordsAndOptions } from '../options';
import { print } from '../print';

export async function tokenCreate(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, {
    text: ['name', 'scopes', 'answers', 'expires-at'],
    flags: ['json'],
  });
  await offline(env, async (deps) => {
    const line = await lineByTid(deps.store, words);
    const { id, token } = await createToken(deps, commandActor(), line.id, {
      expiresAt: values['expires-at'],
      name: values.name,
      scopes: values.scopes?.split(',').flatMap((scope) => scope.trim() || []),
      answers: values.answers,
    });
    print(
      values.json
        ? JSON.stringify({ line: line.id, id, token })
        : `Token ${id} of line ${line.id}, shown only once: ${token}`,
    );
  });
}

export async function tokenList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  await offline(env, async ({ store, clock }) => {
    const line = await lineByTid(store, words);
    const tokens = (await store.tokens.ofLine(line.id)).map(({ hash: _hash, ...token }) => ({
      ...token,
      scopes: scopesOf(token),
    }));
    if (values.json) return print(JSON.stringify({ tokens }));
    tokens.forEach((token) =>
      print(
        token.id,
        `…${token.last_four}`,
        token.name ?? '-',
        token.scopes.join(','),
        ...(token.answers ? [`answers ${token.answers}`] : []),
        `created ${token.created_at}`,
        lastUse(token),
        stateText(token, isoTime(clock())),
      ),
    );
  });
}

/**
 * Revokes tokens by their IDs from `token list`; a running gateway rejects them immediately. Lists the
 * destinations that they registered, or removes them with `--with-destinations`, which also works for a token
 * that is already invalid.
 */
export async function tokenRevoke(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['with-destinations'] });
  const ids = words.map(idIn);
  if (!ids.length) throw new SettingError('Which token? Give its id, as "token list TID" shows it.');
  const isRemoving = values['with-destinations'] === true;
  await offline(env, async (deps) => {
    for (const id of ids) {
      const token = await deps.store.tokens.find(id);
      const registered = token && (await registrationsOf(deps, [token]))(token);
      const revoked = await revokeToken(deps, commandActor(), id);
      if (!registered || !(revoked || (isRemoving && countOf(registered))))
        throw new SettingError(`There is no active token with the id ${id}.`);
      if (revoked) print(`Token ${id} is revoked.`);
      if (isRemoving) await removeRegistered(deps, registered);
      else tellRegistered(`token revoke ${id}`, deps, registered);
    }
  });
}

/** @throws SettingError without repeating the word, which may be a token */
function idIn(word: string): number {
  if (!/^\d{1,9}$/.test(word))
    throw new SettingError('A token is named by its id, a number that "token list TID" shows.');
  return Number(word);
}

/** Removes what a token registered, and prints it. */
export async function removeRegistered(deps: Offline, registered: Registrations): Promise<void> {
  await removeRegistrations(deps, commandActor(), registered);
  for (const { id } of registered.destinations)
    await deps.store.deliveries.cancelOfRemoved(id, isoTime(deps.clock()));
  namesOf(deps, registered).forEach((name) => print(`Removed: ${name}`));
}

/** @param revoking the command that revoked the token */
export function tellRegistered(revoking: string, deps: Offline, registered: Registrations): void {
  if (!countOf(registered)) return;
  print('What this token registered still receives events, alerts or answers:');
  namesOf(deps, registered).forEach((name) => print(`  ${name}`));
  print(`To remove all of it: ${revoking} --with-destinations`);
}

const namesOf = ({ vault }: Offline, { destinations, channels, questions }: Registrations): string[] => [
  ...destinations.map(({ id, url }) => `destination ${id}, ${url}`),
  ...channels.map((row) => `alert webhook ${row.id}, ${settingsOf(vault, row).url ?? ''}`),
  ...(questions.length
    ? [`open questions: ${questions.length}, answers to ${callbackOrigins(questions, vault).join(', ')}`]
    : []),
];

/** Replaces a token and prints the new one once. The previous one still works for some hours. */
export async function tokenRotate(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { text: ['overlap'], flags: ['json'] });
  const [word, ...more] = words;
  if (word === undefined || more.length)
    throw new SettingError('Which token? Give one id, as "token list TID" shows it.');
  const id = idIn(word);
  await offline(env, async (deps) => {
    const rotated = await rotateToken(deps, commandActor(), id, values.overlap);
    if (!rotated) throw new SettingError(`There is no active token with the id ${id}.`);
    const { before, id: made, token, expiresAt, until } = rotated;
    if (values.json)
      return print(
        JSON.stringify({
          line: before.line_id,
          id: made,
          token,
          expires_at: expiresAt,
          previous_until: until,
        }),
      );
    print(`New token ${made} of line ${before.line_id}, shown only once: ${token}`);
    if (expiresAt !== null) print(`It works until ${expiresAt}, as the previous one did.`);
    print(
      until === null
        ? `Token ${id} no longer works.`
        : `Token ${id} (…${before.last_four}) works until ${until}.`,
    );
  });
}

/** When, from where and by which client a token was last used. */
export function lastUse({
  last_used_at: at,
  last_used_from: from,
  last_used_by: by,
}: Pick<TokenRow, 'last_used_at' | 'last_used_from' | 'last_used_by'>): string {
  if (at === null) return 'last used never';
  return `last used ${at}${from === null ? '' : ` from ${from}`}${by === null ? '' : ` by ${quoted(by)}`}`;
}

/** @param now ISO time */
export const stateText = (
  token: { revoked_at: string | null; expires_at: string | null },
  now: string,
): string => {
  const state = stateOfToken(token, now);
  if (state === 'revoked') return `revoked ${token.revoked_at}`;
  if (token.expires_at === null) return 'active';
  return `${state === 'expired' ? 'expired' : 'expires'} ${token.expires_at}`;
};
