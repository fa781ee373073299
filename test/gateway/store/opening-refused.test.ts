import { SettingError } from '../../../gateway/errors';
import { isServerAway, openingRefused } from '../../../gateway/store/opening-refused';

const URL_OF = 'postgres://a:b@db.example.com/c';
const failed = (code: string, message = 'why') =>
  openingRefused(URL_OF, Object.assign(new SettingError(message), { code }));

test.each([
  ['ECONNREFUSED', 'connect'],
  ['ENOTFOUND', 'getaddrinfo'],
  ['57P03', 'the database system is starting up'],
  ['08P01', 'server login has been failing, try again later (connect failed)'],
])('%s (%s) is waited for', (code, message) => {
  expect(isServerAway(URL_OF, failed(code, message))).toBe(true);
});

test.each([
  ['28P01', 'password authentication failed for user "a"'],
  ['3D000', 'database "c" does not exist'],
  ['08P01', 'SASL authentication failed'],
  ['08P01', 'no such database: c'],
  ['08P01', 'transaction blocks not allowed in statement pooling mode'],
  ['ERR_INVALID_URL', 'Invalid URL'],
])('%s (%s) is a wrong setting', (code, message) => {
  expect(isServerAway(URL_OF, failed(code, message))).toBe(false);
});

test('a SQLite file is waited for in no case, nor is any other refusal', () => {
  expect(isServerAway('sqlite:/a', failed('ECONNREFUSED'))).toBe(false);
  expect(isServerAway(URL_OF, new SettingError('The database is of a newer version'))).toBe(false);
});
