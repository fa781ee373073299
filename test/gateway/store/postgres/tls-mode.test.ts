import { Client } from 'pg';
import { withTlsMode } from '../../../../gateway/store/postgres/tls-mode';

const AT = 'postgres://a:b@db.example.com/c';

test.each([
  [`${AT}?sslmode=require`, `${AT}?sslmode=verify-full`],
  [`${AT}?sslrootcert=/ca.pem&sslmode=prefer&x=1`, `${AT}?sslrootcert=/ca.pem&sslmode=verify-full&x=1`],
  [`${AT}?sslmode=no-verify`, `${AT}?sslmode=no-verify`],
  [`${AT}?sslmode=require&uselibpqcompat=true`, `${AT}?sslmode=require&uselibpqcompat=true`],
  [AT, AT],
])('%s is opened as %s', (given, opened) => {
  expect(withTlsMode(given)).toBe(opened);
});

test('pg says nothing of a mode that is named as it applies', async () => {
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const { ssl } = new Client({ connectionString: withTlsMode(`${AT}?sslmode=require`) });
  expect([Boolean(ssl), warned.mock.calls]).toEqual([true, []]);
  warned.mockRestore();
});
