import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { DOCUMENTED_CODES, failureReason } from '../../../gateway/cloud-api/failure-reasons';
import {
  refusalOfFailure,
  UpstreamDeclined,
  UpstreamSilent,
  UpstreamUnreachable,
} from '../../../gateway/cloud-api/failures';
import {
  budgetReached,
  contactOptedOut,
  databaseAway,
  lineInactive,
  lineNotConfigured,
  lineQualityLow,
  lineQualityUnrated,
  lineRateExceeded,
  pairLimitExceeded,
  tooManyDestinations,
  tooManyLogIns,
  type Refusal,
} from '../../../gateway/errors';
import { refuseOutsideWindow } from '../../../gateway/messages/customer-service-window';
import { HOUR } from '../../../gateway/time';
import { es } from '../../../gateway/wording/es';
import { sentence, type Sayable } from '../../../gateway/wording/facts';
import { pt } from '../../../gateway/wording/pt';
import { isSaidIn, say } from '../../../gateway/wording/say';

const GATEWAY = join(__dirname, '../../../gateway');

/** Every text of the gateway's sources. */
const SOURCES = new Set(
  globSync('**/*.{ts,tsx}', {
    cwd: GATEWAY,
    exclude: ['build', 'dist', 'node_modules', 'wording', 'sandbox'],
  }).flatMap((file) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node)) found.push(node.text);
      node.forEachChild(visit);
    };
    visit(ts.createSourceFile(file, readFileSync(join(GATEWAY, file), 'utf8'), ts.ScriptTarget.Latest, true));
    return found;
  }),
);

const holesIn = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].sort();

const CONTACT = '12025550147';
/** What an operator may be refused on a page. */
const REFUSALS: Refusal[] = [
  lineRateExceeded(1_200, 1),
  pairLimitExceeded(CONTACT, 45, 6),
  lineInactive(),
  lineQualityLow(),
  lineQualityUnrated(),
  lineNotConfigured(),
  contactOptedOut(CONTACT),
  budgetReached(),
  tooManyDestinations(20),
  tooManyLogIns(61),
  databaseAway(),
  ...[null, 0].flatMap((last) => refuseOutsideWindow(CONTACT, last, 31 * HOUR) ?? []),
  ...[new UpstreamUnreachable(), new UpstreamSilent(), new UpstreamDeclined()].flatMap(
    (failure) => refusalOfFailure(failure) ?? [],
  ),
];

describe.each(['pt', 'es'] as const)('in %s', (language) => {
  const { sentences } = { pt, es }[language];
  const inEnglish = (said: Sayable[]): Sayable[] => said.filter((one) => !isSaidIn(language, one));

  test('a translation is of a sentence that the gateway has, with the same values', () => {
    const keys = Object.keys(sentences);
    expect(keys.filter((english) => !SOURCES.has(english))).toEqual([]);
    expect(
      keys.filter((english) => String(holesIn(english)) !== String(holesIn(sentences[english]!))),
    ).toEqual([]);
  });

  test('what each code of the platform means, and what to do', () => {
    expect(DOCUMENTED_CODES.length).toBeGreaterThan(80);
    const reasons = [null, 131_999, ...DOCUMENTED_CODES].map((code) =>
      failureReason(code, code === 131_999 ? [{ title: 'Their words' }] : []),
    );
    expect(inEnglish(reasons.flatMap(({ reason, action }) => [reason, action]))).toEqual(['Their words']);
  });

  test('what an operator is refused, its title too', () => {
    const said = REFUSALS.flatMap(({ said: one }) => [
      one!.title,
      one!.happened,
      one!.action ?? 'Contact opted out',
    ]);
    expect(inEnglish(said)).toEqual([]);
  });
});

test('values are written as the language writes them, and what they hold is no syntax', () => {
  const [refused] = REFUSALS;
  expect(say('en', refused!.said!.happened)).toContain('up to 1,200 messages a second, and 2,400 at once');
  expect(say('pt', refused!.said!.happened)).toContain('1.200');
  expect(say('es', refused!.said!.action!)).toContain('1 segundo,');
  expect(say('en', sentence('{name} is away.', { name: 'Loja {name} S.A.' }))).toBe(
    'Loja {name} S.A. is away.',
  );
});
