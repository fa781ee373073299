import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Owner } from './editor-client';
import { NEWEST_N8N } from './n8n-versions';

/** This checkout. */
export const REPOSITORY = join(__dirname, '..', '..');

/** Where `npm start` keeps what the gateway needs. Ignored by git. */
export const DATA_FOLDER = join(REPOSITORY, 'data');

/** The gateway of `npm start`: the port is its own setting. */
export const GATEWAY_PORT = Number(process.env.GATEWAY_PORT || 8080);

export const GATEWAY_URL = `http://127.0.0.1:${GATEWAY_PORT}`;

/**
 * Where `npm run n8n` keeps its n8n from one run to the next: database, key, nodes, owner. Releases other than the
 * newest have a folder each, because n8n cannot go back to an older one's database.
 */
export const userFolderOf = (version: string): string =>
  join(DATA_FOLDER, version === NEWEST_N8N ? 'n8n' : `n8n-${version}`);

/** n8n's own port, unless N8N_PORT names another. */
export const N8N_PORT = Number(process.env.N8N_PORT || 5678);

const ownerFileIn = (userFolder: string): string => join(userFolder, 'owner.json');

/** The owner of the n8n whose data is in that folder; undefined when it never ran. */
export function readOwner(userFolder: string): Owner | undefined {
  const file = ownerFileIn(userFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Owner) : undefined;
}

/** The owner, thought up at the first run. n8n stores the password hashed; here it can be read by you alone. */
export function ownerIn(userFolder: string): Owner {
  const known = readOwner(userFolder);
  if (known) return known;
  const owner = { email: 'demo@example.com', password: `Demo-${randomBytes(9).toString('base64url')}1` };
  mkdirSync(userFolder, { recursive: true });
  writeFileSync(ownerFileIn(userFolder), JSON.stringify(owner, null, 2), { mode: 0o600 });
  return owner;
}
