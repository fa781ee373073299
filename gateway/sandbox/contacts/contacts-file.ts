/**
 * State that survives a restart: when each contact last wrote, the contacts' identities, and how far the
 * clock is ahead. Without it, a reply to a contact who wrote before the restart would fail with a closed
 * window.
 * The file has one JSON entry per line. Entries are appended; outdated ones are removed at start-up. An
 * incomplete line after a crash is ignored.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Identity } from './contact-store';
import { type LastWrote } from './conversations';
import { isObject, type JsonObject, parseJson } from '../platform/json';

/** The entries, in order. */
export type Remembered =
  | LastWrote
  | { identity: Identity }
  /** In milliseconds. */
  | { clockAhead: number }
  /** Removes all entries of one contact, or of every contact. */
  | { forget: { contact?: string } };

export interface Kept {
  wrote: LastWrote[];
  identities: Identity[];
  clockAhead: number;
}

export interface ContactsFile {
  kept: Kept;
  append(...happened: Remembered[]): Promise<void>;
  close(): Promise<void>;
}

export async function openContactsFile(path: string): Promise<ContactsFile> {
  mkdirSync(dirname(path), { recursive: true });
  const kept = existsSync(path) ? whatCounts(readFileSync(path, 'utf8')) : whatCounts('');
  const { wrote, identities, clockAhead } = kept;
  const lines: Remembered[] = [
    ...(clockAhead > 0 ? [{ clockAhead }] : []),
    ...identities.map((identity) => ({ identity })),
    ...wrote,
  ];
  writeFileSync(`${path}.new`, lines.map(written).join(''));
  renameSync(`${path}.new`, path);
  const file: FileHandle = await open(path, 'a');
  return {
    kept,
    append: async (...happened) => {
      await file.appendFile(happened.map(written).join(''));
    },
    close: () => file.close(),
  };
}

const written = (happened: Remembered): string => `${JSON.stringify(happened)}\n`;

function whatCounts(text: string): Kept {
  const wrote = new Map<string, LastWrote>();
  const identities = new Map<string, Identity>();
  let clockAhead = 0;
  for (const each of text.split('\n')) {
    const line = parseJson(each);
    if (!isObject(line)) continue;
    const entry = lastWroteOf(line);
    const identity = identityOf(line.identity);
    if (entry) wrote.set(`${entry.line} ${entry.contact}`, entry);
    if (identity) identities.set(identity.address, identity);
    if (typeof line.clockAhead === 'number' && line.clockAhead > clockAhead) clockAhead = line.clockAhead;
    if (isObject(line.forget)) forget(line.forget, wrote, identities);
  }
  return { wrote: [...wrote.values()], identities: [...identities.values()], clockAhead };
}

function forget(
  { contact }: JsonObject,
  wrote: Map<string, LastWrote>,
  identities: Map<string, Identity>,
): void {
  const isMeant = (id: string) => contact === undefined || id === contact;
  for (const [key, entry] of wrote) if (isMeant(entry.contact)) wrote.delete(key);
  for (const [key, { address, waId }] of identities) if (isMeant(waId ?? address)) identities.delete(key);
}

function lastWroteOf({ line, contact, name, at }: JsonObject): LastWrote | undefined {
  if (typeof line !== 'string' || typeof contact !== 'string' || typeof name !== 'string') return undefined;
  const date = new Date(typeof at === 'string' ? at : NaN);
  return Number.isNaN(date.getTime()) ? undefined : { line, contact, name, at: date };
}

function identityOf(value: unknown): Identity | undefined {
  if (!isObject(value)) return undefined;
  const { address, waId, userId, username } = value;
  if (typeof address !== 'string') return undefined;
  return {
    address,
    ...(typeof waId === 'string' && { waId }),
    ...(typeof userId === 'string' && { userId }),
    ...(typeof username === 'string' && { username }),
  };
}
