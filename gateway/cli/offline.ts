import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { readConfig } from '../config';
import { SettingError } from '../errors';
import { sqliteFile } from '../files/data-folder';
import { type DestinationDeps } from '../forwarding/destinations/destination-rows';
import { destinationRules } from '../http/destination-address';
import { lineOf } from '../lines/line';
import { type Opener } from '../store/migrations/schema-version';
import { type Actor } from '../store/tables/audit';
import { refuseLost } from '../store/sqlite/restore';
import { openStore, type Store } from '../store/store';
import { type LineRow } from '../store/tables/lines';
import { timeIn } from '../time';
import { createVault, type Vault } from '../store/vault';

/** Dependencies of a command that changes the database. A running gateway applies the change immediately. */
export interface Offline extends DestinationDeps {
  store: Store;
  vault: Vault;
}

/**
 * @throws SettingError for invalid settings (including a wrong secret key), or if there is no database; it is
 * never created
 */
export async function offline<T>(
  env: NodeJS.ProcessEnv,
  work: (deps: Offline) => Promise<T>,
  opener: Opener = 'command',
): Promise<T> {
  const config = readConfig(env);
  const file = sqliteFile(config);
  if (opener === 'command' && file !== null) requireDatabase(file);
  const { GATEWAY_DATABASE_URL: url, GATEWAY_DATABASE_SESSION_URL: session } = config;
  const store = await openStore(file === null ? (session ?? url) : url, opener);
  try {
    const vault = createVault(config.GATEWAY_SECRET_KEY, config.GATEWAY_OLD_SECRET_KEYS);
    (await store.lines.all()).forEach((row) => lineOf(row, vault));
    return await work({
      store,
      vault,
      rules: destinationRules(config.GATEWAY_ALLOW_DESTINATIONS),
      registry: { refresh: () => untilFollowed(store) },
      clock: store.clock,
    });
  } finally {
    await store.close();
  }
}

/** @throws SettingError if there is no SQLite database at the path */
export function requireDatabase(file: string): void {
  if (existsSync(file)) return;
  refuseLost(file);
  throw new SettingError(
    `There is no database at ${resolve(file)}. Set GATEWAY_DATABASE_URL to the gateway's, or start the gateway first, which makes it.`,
  );
}

/**
 * Waits until every running gateway has read the change. Prints a warning if one does not; the change is
 * stored anyway.
 */
async function untilFollowed(store: Store): Promise<void> {
  if (await store.untilFollowed()) return;
  process.stderr.write(
    'The change is stored, but the running gateway has not read it yet. It retries; its log has the reason.\n',
  );
}

/** The operating-system user who runs the command, for the audit log. */
export function commandActor(): Actor {
  return { who: `${accountOfMachine()}@${hostname()}`, through: 'command', address: null };
}

export function accountOfMachine(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without a name, which is common in containers.
    return String(process.getuid?.() ?? 'somebody');
  }
}

/**
 * Parses a time; returns milliseconds.
 * @param option name of the option, for the error
 */
export function timeOf(option: string, given: string): number {
  const time = timeIn(given);
  if (Number.isNaN(time))
    throw new SettingError(`${option} is "${given}"; give a time such as 2026-01-31T00:00:00Z.`);
  return time;
}

/** Returns the line for a TID. */
export async function lineByTid(store: Store, [tid, ...more]: string[]): Promise<LineRow> {
  if (tid === undefined || more.length)
    throw new SettingError('Which line? Give its phone number id or id from "line list".');
  const lines = await store.lines.all();
  const line =
    lines.find(({ phone_number_id: id }) => id === tid) ?? lines.find(({ id }) => String(id) === tid);
  if (!line) throw new SettingError(`There is no line ${tid}. "line list" shows them.`);
  return line;
}
