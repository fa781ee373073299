import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { inLanguage } from '../../../../gateway/wording/language';
import { loaded } from '../../../../gateway/panel/languages/texts';
import { told } from '../../../../gateway/panel/languages/told';

const GATEWAY = join(__dirname, '../../../../gateway');

/** Where everything that is said is said to people, on pages too. */
const SOURCES = [
  'alerts/channels/{any-url,channel-kind,email,line-message,ntfy,slack,telegram}.ts',
  'cloud-api/failure-reasons.ts',
  'cloud-api/failures.ts',
  'forwarding/destinations/{checks,handshake}.ts',
  'http/destination-address.ts',
  'lines/check-credentials.ts',
  'messages/opt-out-words.ts',
];

/** In mails alone; names, and what no count leads to. */
const NOT_ON_PAGES = [
  /^What to do: |^It lasted |^Since |^DARSE DE BAJA$/,
  /^Messaging Gateway <|^Template .+ of (21|My shop)( \(Xy\))?$|: token( \S+)* ?…\S+$|^Xy or more$|deliveries was given up in the last day$/,
];

/** What stands in a hole, where that is neither a name nor a number. */
const HOLES: Record<string, string> = {
  'NAMES[asked]': 'business account',
  told: 'The platform says: "Error. Why?".',
  'advice(named, port)':
    'Set GATEWAY_ALLOW_DESTINATIONS=n8n:5678, or add this entry to its list, and restart the gateway.',
  fault: 'has a space at an end, a line break or an invisible character. Copy it again, in one line.',
  message:
    'n8n (172.18.0.3) is not a public address. Set GATEWAY_ALLOW_DESTINATIONS=n8n:5678, or add this entry to its list, and restart the gateway.',
  SENT_ANYWAY: 'Events are sent all the same.',
  'nameOf(line, token)': 'My shop: token n8n …uL0A',
  'lengthOf(expiredFor)': '12 days',
  what: 'quality rating',
  off: '21 seconds behind',
  other: 'WhatsApp',
  'deliveries(count)': '21 deliveries',
  restricted: 'It sends more than it may for now.',
  ofAccount: 'business account 1234',
  'state.toLowerCase()': 'paused',
};

/** A number where something is counted. */
const sample = (hole: string, file: string): string => {
  if (hole === 'name' && file.endsWith('templates.ts')) return 'Template hello (en_US) of My shop';
  return (
    HOLES[hole] ?? (/count|times|minutes|days|left|MOST|LONGEST|Math|people\(/i.test(hole) ? '21' : 'Xy')
  );
};

/** Every text that an expression may come to. */
function textsOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (!ts.isTemplateExpression(node)) return [sample(node.getText(), node.getSourceFile().fileName)];
  return node.templateSpans.reduce(
    (begun, { expression, literal }) =>
      begun.flatMap((text) => textsOf(expression).map((value) => `${text}${value}${literal.text}`)),
    [node.head.text],
  );
}

function sentencesIn(file: string): string[] {
  const text = readFileSync(join(GATEWAY, file), 'utf8');
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isThrown = ts.isNewExpression(node) && node.expression.getText() === 'Error';
    if (isThrown || ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) found.push(...textsOf(node));
    else node.forEachChild(visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found.filter((one) => /^[A-Z"].* .* /.test(one));
}

const sentences = [...globSync(SOURCES, { cwd: GATEWAY }).flatMap(sentencesIn)].filter(
  (one) => !NOT_ON_PAGES.some((other) => other.test(one)),
);

describe.each(['pt', 'es'] as const)('in %s', (language) => {
  beforeAll(() => {
    const files = globSync(join(GATEWAY, 'panel/languages', language, '*.json'));
    const texts = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
    loaded.set(language, new Map(Object.entries(Object.assign({}, ...texts) as Record<string, string>)));
  });
  const said = (text: string): string => inLanguage(language, () => told(text));

  test('what the gateway tells people has a translation', () => {
    expect(sentences.length).toBeGreaterThan(250);
    expect(sentences.filter((one) => said(one) === one)).toEqual([]);
  });
});

test('each sentence is known in every language', () => {
  const [pt, es] = ['pt', 'es'].map((language) =>
    Object.keys(
      JSON.parse(readFileSync(join(GATEWAY, 'panel/languages', language, 'told.json'), 'utf8')) as object,
    ),
  );
  expect(pt).toEqual(es);
});

describe('in Spanish', () => {
  const said = (text: string): string => inLanguage('es', () => told(text));

  test.each([
    [
      'My shop: token n8n …uL0A expired 12 days ago, and is watched no longer',
      'My shop: el token n8n …uL0A venció hace 12 días y ya no se vigila',
    ],
    [
      'Nothing can be sent through it. WhatsApp says: Error. Try again. Later',
      'No se puede enviar nada por ella. WhatsApp dice: Error. Try again. Later',
    ],
    ['It could not be reached: the connection failed.', 'No se pudo contactar: la conexión falló.'],
    ['Something new. It answered the challenge.', 'Something new. It answered the challenge.'],
    ['(#131031) Account has been locked', '(#131031) Account has been locked'],
    ['', ''],
  ])('%s', (english, spanish) => {
    expect(said(english)).toBe(spanish);
  });

  test('a text that quotes itself many times is judged at once', () => {
    const hostile = `${'It answered: '.repeat(100)}${'Because of it. '.repeat(30)}${'.'.repeat(200)}`;
    expect(said(hostile)).toBe(hostile);
  });
});
