/** An SQLite error. @property code extended result code, such as 1555 for a duplicate primary key */
export class SqliteError extends Error {
  override name = 'SqliteError';
  constructor(
    message: string,
    readonly code: number | undefined,
  ) {
    super(message);
  }
}
