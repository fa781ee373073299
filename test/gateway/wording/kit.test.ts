import { kitOf } from '../../../gateway/wording/kit';

test.each([
  [0, '1 second'],
  [119_400, '119 seconds'],
  [119_600, '2 minutes'],
  [7_169_000, '119 minutes'],
  [7_171_000, '2 hours'],
  [171_100_000, '2 days'],
  [864_000_000, '10 days'],
])('%s ms are told as %s', (milliseconds, words) => {
  expect(kitOf('en').duration(milliseconds)).toBe(words);
});
