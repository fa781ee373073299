import fc from 'fast-check';

import { splitText } from '../../nodes/MessagingGateway/formatting/split';

const FENCE = '```';
const count = (text: string) => Array.from(text).length;
const words = (text: string) => text.replace(/\s+/g, '');

test.each<[string, string, number, string[]]>([
  ['a text that fits', ' as it is \n', 20, [' as it is \n']],
  ['paragraphs', 'One two three.\n\nFour five.\n\nSix.', 28, ['One two three.\n\nFour five.', 'Six.']],
  ['lines', 'One two three\nfour five\nsix', 24, ['One two three\nfour five', 'six']],
  ['sentences', 'One two three. Four five? Six seven', 30, ['One two three. Four five?', 'Six seven']],
  ['words', 'One two three four five six', 20, ['One two three four', 'five six']],
  ['one word', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  [
    'a first paragraph that is short',
    'Hi\n\nOne two three. Four five',
    22,
    ['Hi\n\nOne two three.', 'Four five'],
  ],
  ['emojis', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 12, ['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧']],
  ['emojis of two units', '😀😀😀', 2, ['😀😀', '😀']],
  ['indented lines', 'One two three\n    four\n    five', 23, ['One two three\n    four', '    five']],
  [
    'code',
    `Look:\n${FENCE}\nlet a = 1;\nlet b = 2;\nlet c = 3;\n${FENCE}\nDone.`,
    40,
    [`Look:\n${FENCE}\nlet a = 1;\nlet b = 2;\n${FENCE}`, `${FENCE}\nlet c = 3;\n${FENCE}\nDone.`],
  ],
])('%s', (_what, text, limit, pieces) => {
  expect(splitText(text, limit)).toEqual(pieces);
});

test('every piece fits, none is empty, and nothing is lost or torn, whatever the text', () => {
  const parts = [
    ...[
      'a',
      'word ',
      'ção',
      ' ',
      '\n',
      '\n\n',
      '. ',
      '\r\n',
      '😀',
      '👩‍👩‍👧',
      '🇧🇷',
      'e\u0301',
      ' \u0301',
      '漢字',
      '。',
    ],
    ...['https://shop.example/a?b=c ', `\n${FENCE}\n`],
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...parts), { maxLength: 300 }),
      fc.integer({ min: 40, max: 80 }),
      (chosen, limit) => {
        const text = chosen.join('');
        const pieces = splitText(text, limit);
        for (const piece of pieces) {
          expect(count(piece)).toBeLessThanOrEqual(limit);
          if (pieces.length > 1) expect(piece.trim()).not.toBe('');
          expect(piece.isWellFormed()).toBe(true);
          expect(piece).not.toMatch(/^[\p{M}\u200d]/u);
        }
        const unfenced = (of: string) => words(of).replaceAll(FENCE, '');
        expect(unfenced(pieces.join(''))).toBe(unfenced(text));
      },
    ),
    { numRuns: 500 },
  );
});

test('a text of one kilobyte over the limit is two messages', () => {
  const sentence = 'Your order will arrive tomorrow. ';
  const text = sentence.repeat(Math.ceil(5120 / sentence.length));
  const pieces = splitText(text, 4096);
  expect(pieces).toHaveLength(2);
  expect(pieces.every((piece) => piece.endsWith('tomorrow.') || piece === pieces[1])).toBe(true);
});
