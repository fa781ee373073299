import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import * as ts from 'typescript';
import { type ChannelKind } from '../../../../gateway/alerts/channels/channel-kind';
import { CHANNEL_KINDS } from '../../../../gateway/alerts/channels/kinds';
import { PERMISSIONS } from '../../../../gateway/rights/roles';
import { isKnownAction } from '../../../../gateway/panel/account/audit-words';

const GATEWAY = join(__dirname, '../../../../gateway');
const PANEL = join(GATEWAY, 'panel');

interface Text {
  /** `lines/tokens.tsx:12`. */
  place: string;
  key: string;
  english: string;
  /** The names that are handed over; null where they cannot be read from the source. */
  given: string[] | null;
}

/** Every `t('…')`, `t.rich('…')` and `t.of('…', '…')` of the sources. */
function textsOfSources(): { texts: Text[]; notLiteral: string[] } {
  const texts: Text[] = [];
  const notLiteral: string[] = [];
  for (const file of globSync('**/*.{ts,tsx}', { cwd: PANEL }).filter((one) => one !== 'languages/t.tsx')) {
    const source = ts.createSourceFile(
      file,
      readFileSync(join(PANEL, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const visit = (node: ts.Node): void => {
      node.forEachChild(visit);
      if (!ts.isCallExpression(node)) return;
      const called = node.expression.getText();
      if (!['t', 't.rich', 't.of'].includes(called)) return;
      const place = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
      const count = called === 't.of' ? 2 : 1;
      const literals = node.arguments.slice(0, count).filter(ts.isStringLiteral);
      if (literals.length < count) return void notLiteral.push(place);
      const [english = '', subject = ''] = literals.map(({ text }) => text).reverse();
      const key = subject ? `${english} [${subject}]` : english;
      texts.push({ place, key, english, given: namesIn(node.arguments[count]) });
    };
    visit(source);
  }
  return { texts, notLiteral };
}

function namesIn(values: ts.Expression | undefined): string[] | null {
  if (!values) return [];
  if (!ts.isObjectLiteralExpression(values)) return null;
  const names = values.properties.map((one) => (one.name ? one.name.getText() : null));
  return names.includes(null) ? null : (names as string[]);
}

const isPermission = (word: string): boolean => (PERMISSIONS as readonly string[]).includes(word);

/** Every action that the gateway puts into the audit. */
const AUDITED = globSync('**/*.{ts,tsx}', { cwd: GATEWAY, exclude: ['build', 'dist', 'store'] })
  .filter((file) => !file.endsWith('audit-words.ts'))
  .flatMap((file) => {
    const source = readFileSync(join(GATEWAY, file), 'utf8');
    const things =
      'alert|alert_rule|audit|contact|deliveries|events|line|log_in|message|sandbox|secrets|session|token|user';
    const whole = source.matchAll(new RegExp(`'((?:${things})\\.[a-z_]+)'`, 'g'));
    const named = source.matchAll(/\baction: '([a-z_]+\.[a-z_]+)'/g);
    const made = source.matchAll(/\b(destination|channel)Entry\((?:current \? )?'([a-z_]+)'/g);
    return [
      ...[...whole, ...named].map(([, action = '']) => action).filter((word) => !isPermission(word)),
      ...[...made].map(([, thing, what]) => `${thing === 'channel' ? 'alert_channel' : thing}.${what}`),
    ];
  });

/** What a text is given: arguments with how they are written, and tags. */
function partsOf(text: string): string[] {
  const names = new Set<string>();
  const visit = (element: Element): void => {
    // Literals and the `#` of a plural have none.
    if (element.type !== 0 && element.type !== 7)
      names.add(element.type === 8 ? `<${element.value}>` : `${element.value}`);
    Object.values(element.options ?? {}).forEach(({ value }) => value.forEach(visit));
    element.children?.forEach(visit);
  };
  (new IntlMessageFormat(text, 'en').getAst() as Element[]).forEach(visit);
  return [...names].sort();
}

interface Element {
  type: number;
  value: string;
  options?: Record<string, { value: Element[] }>;
  children?: Element[];
}

const problemOf = (text: string): string | null => {
  try {
    return partsOf(text) && null;
  } catch (error) {
    return `${text}: ${String(error)}`;
  }
};

/** What `t.known` may be given: texts that stand elsewhere in the gateway. */
const KNOWN = [
  ...Object.values(CHANNEL_KINDS).flatMap(({ label, hint, fields }: ChannelKind) => [
    label,
    hint,
    ...fields.flatMap((field) => [field.label, field.hint, ...(field.choices ?? []).map((one) => one.label)]),
  ]),
].filter((text) => typeof text === 'string');

const { texts, notLiteral } = textsOfSources();
const keys = new Map(texts.map((text) => [text.key, text]));

describe('the texts of the panel', () => {
  test('are literals, so that they can be found', () => {
    expect(notLiteral).toEqual([]);
    expect(texts.length).toBeGreaterThan(100);
  });

  test('can be read, and are given what they need', () => {
    const problems = texts.flatMap(({ place, english, given }) => {
      const problem = problemOf(english);
      if (problem) return [`${place} ${problem}`];
      const needed = partsOf(english).filter((name) => !['<strong>', '<code>'].includes(name));
      const missing = needed.filter((name) => given && !given.includes(name.replace(/[<>]/g, '')));
      const idle = (given ?? []).filter((name) => !needed.some((one) => one.replace(/[<>]/g, '') === name));
      return missing.length + idle.length ? [`${place} lacks: ${missing}; does not use: ${idle}`] : [];
    });
    expect(problems).toEqual([]);
  });
});

test('every action that is audited has words', () => {
  expect(AUDITED).toContain('line.api_disabled');
  expect(AUDITED).toContain('alert_channel.tested');
  expect(AUDITED).toContain('template.created');
  expect(AUDITED.filter((action) => !isKnownAction(action))).toEqual([]);
});

describe.each(['pt', 'es'])('in %s', (language) => {
  const files = globSync(join(PANEL, 'languages', language, '*.json')).map((file) => ({
    name: basename(file, '.json'),
    texts: JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>,
  }));
  const translated = files.flatMap(({ name, texts }) =>
    Object.entries(texts).map(([key, text]) => ({ name, key, text })),
  );

  test('none is missing, none stands twice, none is left over', () => {
    const known = Map.groupBy(translated, ({ key }) => key);
    const missing: Record<string, Record<string, string>> = {};
    for (const [key, { place }] of keys)
      if (!known.has(key)) (missing[`${fileOf(place)}.json`] ??= {})[key] = '';
    const twice = [...known]
      .filter(([, all]) => all.length > 1)
      .map(([key, all]) => [key, all.map(({ name }) => name)]);
    const leftOver = translated
      .filter(({ key }) => !keys.has(key) && !KNOWN.includes(key))
      .map(({ name, key }) => `${name}.json: ${key}`);
    expect({ missing, twice, leftOver }).toEqual({ missing: {}, twice: [], leftOver: [] });
  });

  test('an incident has one word', () => {
    const ofIncidents = translated.filter(({ key }) => /incident/i.test(key));
    expect(ofIncidents.length).toBeGreaterThan(5);
    expect(ofIncidents.filter(({ text }) => !/\bincidentes?\b/i.test(text))).toEqual([]);
  });

  test('each can be read, with the same arguments and tags, and is no empty one', () => {
    const problems = translated.flatMap(({ name, key, text }) => {
      if (name === 'known') return text.trim() ? [] : [`known.json: ${key} is empty`];
      const english = keys.get(key)?.english ?? key;
      const problem = text.trim() === '' ? 'is empty' : problemOf(text);
      if (problem) return [`${name}.json: ${key} ${problem}`];
      const [wanted, has] = [partsOf(english), partsOf(text)].map(String);
      return wanted === has ? [] : [`${name}.json: ${key} needs ${wanted}, has ${has}`];
    });
    expect(problems).toEqual([]);
  });
});

/** The folder of the page, `panel` for what is in none. */
const fileOf = (place: string): string => relative('.', dirname(place)).split('/')[0] || 'panel';
