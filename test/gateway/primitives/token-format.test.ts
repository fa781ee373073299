import { hashOf, tokenFormat } from '../../../gateway/primitives/token-format';

const LINE_TOKENS = tokenFormat('gwl_');

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('a token has a prefix that scanners know, 256 random bits, a checksum, and is never the same', () => {
  const tokens = Array.from({ length: 200 }, LINE_TOKENS.create);
  for (const { token, hash, lastFour } of tokens) {
    expect(token).toMatch(/^gwl_[\w-]{49}$/);
    expect(LINE_TOKENS.isMistyped(token)).toBe(false);
    expect(hash).toMatch(/^[\da-f]{64}$/);
    expect(hash).toBe(hashOf(token));
    expect(token.endsWith(lastFour)).toBe(true);
    expect(lastFour).toHaveLength(4);
  }
  expect(new Set(tokens.map(({ token }) => token)).size).toBe(200);
});

test('every single wrong character is noticed', () => {
  const { token } = LINE_TOKENS.create();
  for (let place = 0; place < token.length; place++) {
    const wrong = CHARACTERS[(CHARACTERS.indexOf(token[place] ?? '') + 1) % CHARACTERS.length];
    const mistyped = token.slice(0, place) + wrong + token.slice(place + 1);
    // Without its prefix it is not one of these tokens.
    expect(LINE_TOKENS.isMistyped(mistyped)).toBe(place >= 4);
  }
});

test('two characters in each other’s place, a missing and an added one are noticed', () => {
  const { token } = LINE_TOKENS.create();
  for (let place = 4; place < token.length - 1; place++) {
    const swapped = token.slice(0, place) + token[place + 1] + token[place] + token.slice(place + 2);
    if (swapped !== token) expect(LINE_TOKENS.isMistyped(swapped)).toBe(true);
  }
  for (const wrong of [token.slice(0, -1), `${token}A`, `${token}\n`, 'gwl_'])
    expect(LINE_TOKENS.isMistyped(wrong)).toBe(true);
  for (const other of [token.slice(1), ` ${token}`, token.toUpperCase(), `gwa_${token.slice(4)}`, ''])
    expect(LINE_TOKENS.isMistyped(other)).toBe(false);
});
