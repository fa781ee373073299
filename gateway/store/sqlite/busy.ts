/** SQLite's result code for a lock that another holds. */
export const BUSY = 5;

/** The code of an error of `node:sqlite`. */
export const isBusy = (error: unknown): boolean =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;
