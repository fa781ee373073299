import { hasWords, partsBy, wordsOf } from '../../../gateway/primitives/words';

test.each([
  ['chair scratch', true],
  ['SCRATCH joao', true],
  ['"with a scratch"', true],
  ['\u201cwith a scratch\u201d João', true],
  ['"chair scratch"', false],
  ['chair table', false],
  ['"', false],
])('looks for the words of %s, in any order', (asked, isThere) => {
  expect(hasWords('Joa\u0303o: the chair arrived with a scratch', wordsOf(asked))).toBe(isThere);
});

test('tells the words from what stands between, with their accents', () => {
  expect(partsBy('Joa\u0303o Peña, João', wordsOf('joao "ena"'))).toEqual([
    { text: 'Joa\u0303o', isWord: true },
    { text: ' P', isWord: false },
    { text: 'eña', isWord: true },
    { text: ', ', isWord: false },
    { text: 'João', isWord: true },
  ]);
});
