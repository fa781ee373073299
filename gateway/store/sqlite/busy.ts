/** SQLite's result code for a lock that another holds. */
export const BUSY = 5;
