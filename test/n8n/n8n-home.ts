import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Owner } from './editor-client';

/** This checkout. */
export const REPOSITORY = join(__dirname, '..', '..');

/** Where `npm run n8n` keeps its n8n from one run to the next: database, key, nodes, owner. Ignored by git. */
export const USER_FOLDER = join(REPOSITORY, 'data', 'n8n');

/** n8n's own port, unless N8N_PORT names another. */
export const N8N_PORT = Number(process.env.N8N_PORT || 5678);

export const N8N_URL = `http://127.0.0.1:${N8N_PORT}`;

const OWNER_FILE = join(USER_FOLDER, 'owner.json');

/** The owner of the n8n of `npm run n8n`; undefined when it never ran. */
export function readOwner(): Owner | undefined {
  return existsSync(OWNER_FILE) ? (JSON.parse(readFileSync(OWNER_FILE, 'utf8')) as Owner) : undefined;
}

/** The owner, thought up at the first run. n8n stores the password hashed; here it can be read by you alone. */
export function ownerOfThisN8n(): Owner {
  const known = readOwner();
  if (known) return known;
  const owner = { email: 'demo@example.com', password: `Demo-${randomBytes(9).toString('base64url')}1` };
  mkdirSync(USER_FOLDER, { recursive: true });
  writeFileSync(OWNER_FILE, JSON.stringify(owner, null, 2), { mode: 0o600 });
  return owner;
}
