/** SQLite's result code for a lock held by another connection. */
export const BUSY = 5;

/** Whether an error of `node:sqlite` is `BUSY`. */
export const isBusy = (error: unknown): boolean =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;
