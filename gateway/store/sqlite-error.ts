/** An error of SQLite. @property code its extended result code, such as 1555 for a primary key that is there already. */
export class SqliteError extends Error {
  override name = 'SqliteError';
  constructor(
    message: string,
    readonly code: number | undefined,
  ) {
    super(message);
  }
}
