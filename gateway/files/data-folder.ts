import { dirname, join } from 'node:path';
import { type Config } from '../config';

type Place = Pick<Config, 'GATEWAY_DATABASE_URL'>;

/** @returns null if the database is not a file */
export const sqliteFile = ({ GATEWAY_DATABASE_URL: url }: Place): string | null =>
  url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;

/** The folder of the SQLite file; `data` for other databases. */
export const dataFolder = (place: Place): string => {
  const file = sqliteFile(place);
  return file === null ? 'data' : dirname(file);
};

/** Data of the embedded sandbox that survives a restart. */
export const sandboxFile = (place: Place): string => join(dataFolder(place), 'sandbox-contacts.jsonl');
