import { isoTime } from '../../gateway/time';

it.each([0, 1, 999, 1000, 59_999, 1_796_012_345_678, 253_402_300_799_999, -1, -1000, -1001])(
  'writes %i milliseconds as JavaScript does, whatever was written before',
  (milliseconds) => {
    for (const before of [milliseconds, milliseconds + 1, milliseconds - 1, milliseconds + 1000, 0]) {
      isoTime(before);
      expect(isoTime(milliseconds)).toBe(new Date(milliseconds).toISOString());
    }
  },
);

it('refuses what is no time', () => {
  expect(() => isoTime(Number.NaN)).toThrow('Invalid time value');
  expect(() => isoTime(Infinity)).toThrow('Invalid time value');
});
