import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Json } from './scene';

const FOLDER = join(__dirname, '../../../shared/samples');

/** Real payloads of a kind, if the folder exists next to the repository; otherwise empty. */
export const samples = (kind: string): { file: string; payload: Json }[] =>
  existsSync(FOLDER)
    ? readdirSync(join(FOLDER, kind)).map((file) => ({
        file: `${kind}/${file}`,
        payload: (JSON.parse(readFileSync(join(FOLDER, kind, file), 'utf8')) as Json).payload,
      }))
    : [];
