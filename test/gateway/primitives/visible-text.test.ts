import { hasHiddenCharacters } from '../../../gateway/primitives/visible-text';

test.each([
  ...['\u202a', '\u202e', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c'],
  ...['\u200b', '\u2060', '\ufeff', '\u00ad', '\u3164', '\u200c', '\u200d', '\ufe0f', '\u{e0041}'],
  ...['\0', '\t', '\n', '\u0085', '\u2028', '\u2029'],
])('%j is hidden in a name', (hidden) => {
  expect(hasHiddenCharacters(`Sh${hidden}op`)).toBe(true);
});

test.each([
  'Loja São João – nº 1',
  'متجر لاکی',
  'می\u200cخواهم',
  'क्\u200dष',
  '店 ①',
  '❤️ Shop',
  '1️⃣ Shop',
  '👩🏽\u200d⚕️ Clinic',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿 England',
])('%s has nothing hidden', (name) => {
  expect(hasHiddenCharacters(name)).toBe(false);
});
