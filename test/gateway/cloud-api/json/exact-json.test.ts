import fc from 'fast-check';
import { itemTexts, memberText } from '../../../../gateway/cloud-api/json/exact-json';

describe('the text of a member', () => {
  test.each([
    ['alone', '{"error":{"a":1}}', '{"a":1}'],
    ['among others', '{"a":{"error":1},"error" : [1, 2 ] ,"b":"error"}', '[1, 2 ]'],
    [
      'with all that a string may hold',
      '{"x":"}\\"],error:{","error":"\\u00e9\\\\\\"}"}',
      '"\\u00e9\\\\\\"}"',
    ],
    ['with its name in escapes', '{"\\u0065rror":-0.10e5}', '-0.10e5'],
    ['twice: the last', '{"error":1,"error":2}', '2'],
    ['not at all', '{"a":{"error":1}}', null],
    ['of nothing', ' { } ', null],
    ['behind lists and objects', '{"a":[1,{"error":2}],"b":{"c":[]},"error":"x"}', '"x"'],
  ])('stands as it was written: %s', (_name, json, text) => {
    expect(memberText(json, 'error')).toBe(text);
  });

  test('is what JSON.parse reads there, in whatever is JSON', () => {
    const member = fc.record({ key: fc.oneof(fc.constant('error'), fc.string()), value: fc.json() });
    const space = fc.stringMatching(/^[ \n\r\t]{0,2}$/);
    fc.assert(
      fc.property(fc.array(member), space, (members, blank) => {
        const json = `{${blank}${members
          .map(({ key, value }) => `${JSON.stringify(key)}${blank}:${blank}${value}${blank}`)
          .join(`,${blank}`)}}`;
        const expected = members.findLast(({ key }) => key === 'error');
        expect(memberText(json, 'error')).toBe(expected ? expected.value.trim() : null);
      }),
    );
  });
});

test('the texts of items are those that JSON.parse reads, as they were written, in whatever is a list', () => {
  const space = fc.stringMatching(/^[ \n\r\t]{0,2}$/);
  fc.assert(
    fc.property(fc.array(fc.json()), space, (items, blank) => {
      const json = `${blank}[${blank}${items.map((item) => `${blank}${item}${blank}`).join(',')}]${blank}`;
      expect(itemTexts(json)).toEqual(items.map((item) => item.trim()));
    }),
  );
});
