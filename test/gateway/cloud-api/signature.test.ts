import { createHmac, randomBytes } from 'node:crypto';
import { hmacSha256 } from '../../../gateway/cloud-api/signature';

it.each([0, 1, 31, 32, 63, 64, 65, 200])('signs as OpenSSL does, with a key of %i bytes', (length) => {
  for (const size of [0, 1, 55, 56, 64, 1000, 70_000]) {
    const key = randomBytes(length);
    const parts = [randomBytes(size), randomBytes(7)];
    const expected = (encoding: 'hex' | 'base64') =>
      createHmac('sha256', key).update(Buffer.concat(parts)).digest(encoding);
    expect(hmacSha256(key.toString('base64'), 'base64')('hex', ...parts)).toBe(expected('hex'));
    expect(hmacSha256(key.toString('base64'), 'base64')('base64', ...parts)).toBe(expected('base64'));
  }
});

it('reads a key as its letters unless it is base64', () => {
  const [key, body] = ['c2VjcmV0', Buffer.from('body')];
  const expected = (of: string | Buffer) => createHmac('sha256', of).update(body).digest('hex');
  expect(hmacSha256(key)('hex', body)).toBe(expected(key));
  expect(hmacSha256(key, 'base64')('hex', body)).toBe(expected(Buffer.from('secret')));
  expect(hmacSha256('схованка')('hex', body)).toBe(expected('схованка'));
});
