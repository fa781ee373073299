import { otpauthUrl, createTotpSecret, stepOfCode, totpCode } from '../../../gateway/users/totp';

/** RFC 6238, appendix B: the key is the ASCII text 12345678901234567890; of eight digits the last six. */
const KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('a code of the authenticator app', () => {
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('is that of RFC 6238 at %i seconds', (seconds, code) => {
    expect(totpCode(KEY, Math.floor(seconds / 30))).toBe(code);
    expect(stepOfCode(KEY, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  test('is taken where a clock is half a minute off, and no further', () => {
    const now = 1_700_000_000_000;
    const step = Math.floor(now / 30_000);
    for (const drift of [-1, 0, 1])
      expect(stepOfCode(KEY, totpCode(KEY, step + drift), now)).toBe(step + drift);
    for (const drift of [-2, 2]) expect(stepOfCode(KEY, totpCode(KEY, step + drift), now)).toBeNull();
    for (const wrong of ['', '1', '12345', '1234567', 'abcdef', '١٢٣٤٥٦'])
      expect(stepOfCode(KEY, wrong, now)).toBeNull();
  });

  test('comes of a secret of 160 bits, which goes into the app by a picture', () => {
    const secret = createTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(createTotpSecret()).not.toBe(secret);
    expect(otpauthUrl(secret, 'ana@example.com')).toBe(
      `otpauth://totp/Messaging%20Gateway:ana%40example.com?secret=${secret}&issuer=Messaging%20Gateway`,
    );
  });
});
