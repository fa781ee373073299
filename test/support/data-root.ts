import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Linux's in-memory folder. */
const MEMORY = '/dev/shm';
/** Required space in bytes; the databases of a full run take 5 GB. */
const ROOM = 8 * 2 ** 30;

/**
 * The folder for test data, in memory if there is enough space. A PostgreSQL database has 300 files, which
 * are slow to create on a disk.
 */
export const DATA_ROOT = hasRoom() ? MEMORY : tmpdir();

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
