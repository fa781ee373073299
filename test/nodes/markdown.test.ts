import fc from 'fast-check';

import { toChatFormatting } from '../../nodes/MessagingGateway/formatting/markdown';

const FENCE = '```';

/** What a model writes, and what the contact gets. */
const CASES: Array<[what: string, markdown: string, inChat: string]> = [
  ['bold', 'Your order is **ready**!', 'Your order is *ready*!'],
  ['bold by underscores', '__Ready__ today', '*Ready* today'],
  ['bold with a star in it', '**2 * 3** is 6', '*2 * 3* is 6'],
  ['several in one line', '**a** and **b**', '*a* and *b*'],
  ['bold and italic', '***now***', '*_now_*'],
  ['italic beside bold', '**Note:** come *early*', '*Note:* come _early_'],
  ['italic within bold', '**come *early* please**', '*come _early_ please*'],
  ['italic by underscores', '**a** _b_', '*a* _b_'],
  ['struck through', 'Now ~~30~~ 25', 'Now ~30~ 25'],
  ['a heading', '# Opening hours\nMonday', '*Opening hours*\nMonday'],
  ['a smaller heading with marks', '### **Our** cakes ###', '*Our cakes*'],
  [
    'bullets',
    '**Cakes**\n* Lemon\n+ Apple\n  * with cream\n- Nut',
    '*Cakes*\n- Lemon\n- Apple\n  - with cream\n- Nut',
  ],
  ['a numbered list', '1. **Choose**\n2. Pay', '1. *Choose*\n2. Pay'],
  ['a quotation', '> **Ana** wrote', '> *Ana* wrote'],
  ['a line across', '**a**\n***\nb', '*a*\n---\nb'],
  ['a link', 'See [our menu](https://shop.example/menu).', 'See our menu (https://shop.example/menu).'],
  ['a link with a title', '[Menu](https://shop.example/a "The menu")', 'Menu (https://shop.example/a)'],
  ['a link with parentheses', '[Wiki](https://x.example/a_(b))', 'Wiki (https://x.example/a_(b))'],
  ['a link that is its own label', '[shop.example](https://shop.example/)', 'https://shop.example/'],
  ['a link to a mailbox', '[Write to us](mailto:a@shop.example)', 'Write to us (a@shop.example)'],
  ['a link within the text', '[Above](#top) **a**', 'Above *a*'],
  ['a bold link', '**[Pay](https://shop.example/pay)**', '*Pay (https://shop.example/pay)*'],
  ['an image', '![Cake](https://shop.example/cake.jpg)', 'Cake (https://shop.example/cake.jpg)'],
  ['an address in angles', '<https://shop.example/a>', 'https://shop.example/a'],
  ['a bold address', '**https://shop.example/a_b**', 'https://shop.example/a_b'],
  [
    'marks within addresses',
    '**a** https://x.example/__a__/*b*/**c/d b',
    '*a* https://x.example/__a__/*b*/**c/d b',
  ],
  [
    'code with a language',
    `${FENCE}js\nconst a = "**b**";\n${FENCE}`,
    `${FENCE}\nconst a = "**b**";\n${FENCE}`,
  ],
  ['code between tildes', `~~~\n# a\n~~~`, `${FENCE}\n# a\n${FENCE}`],
  ['code that is not ended', `${FENCE}sql\nselect *`, `${FENCE}\nselect *\n${FENCE}`],
  ['code in the line', '**Run** `npm __x__ **y**`', '*Run* `npm __x__ **y**`'],
  ['marks that are escaped', '**5 \\* 3** \\# one', '*5 * 3* # one'],
  ['a break', 'a<br>b<br/>\nc', 'a\nb\nc'],
  [
    'a table',
    'Prices:\n\n| Cake | Price | |\n|:-----|------:|---|\n| **Lemon** | 30 | new |\n| Apple | | |\n\nThanks',
    'Prices:\n\n*Cake:* *Lemon*\n*Price:* 30\nnew\n\n*Cake:* Apple\n\nThanks',
  ],
  ['a table without edges', 'Day | Hours\n--- | ---\nMon | 9–18', '*Day:* Mon\n*Hours:* 9–18'],
];

/** What stays as it is: no Markdown, or the chat's own formatting. */
const UNCHANGED = [
  'Hello Ana, your order is *ready*!',
  '*bold* _italic_ ~struck~ `code`',
  `${FENCE}\nselect * from a where b = "**"\n${FENCE}`,
  `${FENCE}one line${FENCE}`,
  '- one\n- two\n* three\n1. four\n> five',
  '2 * 3 * 4 = 24, 2**3 = 8',
  '#cakes and #1',
  'my_file_name, __init',
  'https://x.example/a_b_c?d=*e*&f=__g__',
  'a | b\nc | d',
  'Order [42] (today)',
  'C:\\*.txt \\_',
  '👍🏽 *olá* ção',
  '',
];

test.each(CASES)('%s', (_what, markdown, inChat) => {
  expect(toChatFormatting(markdown)).toBe(inChat);
});

test.each(CASES)('%s: converted once more, it stays as it is', (_what, _markdown, inChat) => {
  expect(toChatFormatting(inChat)).toBe(inChat);
});

test.each(UNCHANGED)('%j stays as it is', (text) => {
  expect(toChatFormatting(text)).toBe(text);
});

test('whatever is written in one text, it is converted once', () => {
  const parts = [...CASES.map(([, markdown]) => markdown), ...UNCHANGED];
  const text = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((chosen) => chosen.join('\n\n'));
  fc.assert(
    fc.property(text, (markdown) => {
      const inChat = toChatFormatting(markdown);
      expect(toChatFormatting(inChat)).toBe(inChat);
    }),
    { numRuns: 500 },
  );
});

test('marks that lead to nothing do no harm', () => {
  const pieces = [
    ...[
      '**',
      '*',
      '__',
      '_',
      '~~',
      '`',
      FENCE,
      '\n',
      ' ',
      'a',
      'ção',
      '# ',
      '[',
      '](',
      ')',
      '|',
      '---',
      '- ',
    ],
    ...['https://x.example/', '<br>', '😀', '>', '\\', '\ufdd0'],
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
      const inChat = toChatFormatting(parts.join(''));
      expect(inChat.isWellFormed()).toBe(true);
      expect(inChat.match(/😀/g)).toEqual(parts.join('').match(/😀/g));
    }),
    { numRuns: 1000 },
  );
  expect(toChatFormatting(`**a** ${'*['.repeat(20_000)}${'|'.repeat(20_000)}`)).toMatch(/^\*a\*/);
});
