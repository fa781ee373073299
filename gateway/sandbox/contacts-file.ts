/**
 * Who last wrote when, on disk: the one thing that the sandbox keeps over a restart. Without it an answer to a contact
 * who wrote before the restart would fail for want of an open window, although the business rightly knows it as open.
 *
 * A file of JSON lines, appended to as contacts write and cut to the newest line per contact at the start. A line
 * that was torn by a crash is left out.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type LastWrote } from './conversations';
import { isObject, parseJson } from './json';

export interface ContactsFile {
  known: LastWrote[];
  append(entry: LastWrote): Promise<void>;
  close(): Promise<void>;
}

export async function openContactsFile(path: string): Promise<ContactsFile> {
  mkdirSync(dirname(path), { recursive: true });
  const known = existsSync(path) ? newestPerContact(readFileSync(path, 'utf8')) : [];
  writeFileSync(`${path}.new`, known.map(written).join(''));
  renameSync(`${path}.new`, path);
  const file: FileHandle = await open(path, 'a');
  return {
    known,
    append: async (entry) => {
      await file.appendFile(written(entry));
    },
    close: () => file.close(),
  };
}

const written = (entry: LastWrote): string => `${JSON.stringify(entry)}\n`;

function newestPerContact(text: string): LastWrote[] {
  const newest = new Map<string, LastWrote>();
  for (const each of text.split('\n')) {
    const entry = entryOf(parseJson(each));
    if (entry) newest.set(`${entry.line} ${entry.contact}`, entry);
  }
  return [...newest.values()];
}

function entryOf(value: unknown): LastWrote | undefined {
  if (!isObject(value)) return undefined;
  const { line, contact, name, at } = value;
  if (typeof line !== 'string' || typeof contact !== 'string' || typeof name !== 'string') return undefined;
  const date = new Date(typeof at === 'string' ? at : NaN);
  return Number.isNaN(date.getTime()) ? undefined : { line, contact, name, at: date };
}
