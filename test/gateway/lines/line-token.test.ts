import { createLineToken, hashOf, isWellFormed } from '../../../gateway/lines/line-token';

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('a token has a prefix that scanners know, 256 random bits, a checksum, and is never the same', () => {
  const tokens = Array.from({ length: 200 }, createLineToken);
  for (const { token, hash, lastFour } of tokens) {
    expect(token).toMatch(/^gwl_[\w-]{49}$/);
    expect(isWellFormed(token)).toBe(true);
    expect(hash).toMatch(/^[\da-f]{64}$/);
    expect(hash).toBe(hashOf(token));
    expect(token.endsWith(lastFour)).toBe(true);
    expect(lastFour).toHaveLength(4);
  }
  expect(new Set(tokens.map(({ token }) => token)).size).toBe(200);
});

test('every single wrong character is noticed', () => {
  const { token } = createLineToken();
  for (let place = 0; place < token.length; place++) {
    const wrong = CHARACTERS[(CHARACTERS.indexOf(token[place] ?? '') + 1) % CHARACTERS.length];
    expect(isWellFormed(token.slice(0, place) + wrong + token.slice(place + 1))).toBe(false);
  }
});

test('two characters in each other’s place, a missing and an added one are noticed', () => {
  const { token } = createLineToken();
  for (let place = 4; place < token.length - 1; place++) {
    const swapped = token.slice(0, place) + token[place + 1] + token[place] + token.slice(place + 2);
    if (swapped !== token) expect(isWellFormed(swapped)).toBe(false);
  }
  for (const wrong of [
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    ` ${token}`,
    `${token}\n`,
    token.toUpperCase(),
    '',
  ])
    expect(isWellFormed(wrong)).toBe(false);
});
