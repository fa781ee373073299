import { writability } from '../../../../gateway/store/commit/write-health';
import { SqliteError } from '../../../../gateway/store/sqlite-error';

/** SQLITE_IOERR */
const IO_ERROR = 10;

test('a commit that failed just now rejects who asks, and does not throw beside what else is awaited', async () => {
  const { noted, canWrite } = writability(async () => undefined);
  const error = new SqliteError('disk I/O error', IO_ERROR);
  await expect(noted(() => Promise.reject(error))([])).rejects.toBe(error);
  const asked = canWrite();
  await expect(asked).rejects.toBe(error);
});
