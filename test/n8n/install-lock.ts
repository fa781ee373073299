import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process holds the lock kept in `file`, waiting for as long as one does; `onWait` is
 * called once if it must. The lock is SQLite's own: the kernel lets go of it when its holder dies, however it dies,
 * so that none is ever left behind.
 */
export async function withLock<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  const lock = new DatabaseSync(file);
  try {
    for (let told = false; !tryToLock(lock); told = true) {
      if (!told) onWait();
      await sleep(1000);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function tryToLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (/locked/.test(String(error))) return false;
    throw error;
  }
}
