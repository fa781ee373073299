import { h, Fragment } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { json } from '../../../../gateway/panel/ui/json';

const html = (value: unknown): string =>
  renderToString(h(Fragment, null, json(JSON.stringify(value, null, 2))));

test('names, texts and numbers of JSON are told apart, and all of it stays as it is', () => {
  const value = { 'a "key"': 'text: "x"', list: [-1.5e3, true, null], empty: {}, '12': '\\' };
  const shown = html(value);
  const plain = shown.replace(/<[^>]*>/g, '').replace(/&quot;/g, '"');
  expect(plain).toBe(JSON.stringify(value, null, 2));
  const parts = [...shown.matchAll(/<span class="json-(\w+)">([^<]*)</g)].map(
    ([, kind, part = '']) => `${kind} ${part.replace(/&quot;/g, '"')}`,
  );
  expect(parts).toEqual([
    'key "12"',
    'text "\\\\"',
    'key "a \\"key\\""',
    'text "text: \\"x\\""',
    'key "list"',
    'word -1500',
    'word true',
    'word null',
    'key "empty"',
  ]);
});

test('markup in it stays text', () => {
  expect(html('<script>alert(1)</script>')).toContain('&lt;script>alert(1)&lt;/script>');
});

test('a long one is shown plain, with no element for each of its parts', () => {
  expect(html(Array.from({ length: 9_000 }, () => 1))).not.toContain('<span');
});
