import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Linux's folder in memory. */
const MEMORY = '/dev/shm';
/** Bytes: all databases of a whole run take 5 GB of them. */
const ROOM = 8 * 2 ** 30;

/** Where tests keep data: in memory where it has the room. Each database of PostgreSQL is 300 files, slow on a disk. */
export const DATA_ROOT = hasRoom() ? MEMORY : tmpdir();

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
