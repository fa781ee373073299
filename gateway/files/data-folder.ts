import { dirname, join } from 'node:path';
import { type Config } from '../config';

type Place = Pick<Config, 'GATEWAY_DATABASE_URL'>;

/** @returns null if the database is no file */
export const sqliteFile = ({ GATEWAY_DATABASE_URL: url }: Place): string | null =>
  url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;

/** Beside the SQLite file; `data` where the database is elsewhere. */
export const dataFolder = (place: Place): string => {
  const file = sqliteFile(place);
  return file === null ? 'data' : dirname(file);
};

/** What the embedded sandbox keeps over a restart. */
export const sandboxFile = (place: Place): string => join(dataFolder(place), 'sandbox-contacts.jsonl');
