import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { PROCESS_ROLES } from '../../../gateway/process-roles';
import { type AlertFact, type AlertKind, type AlertValues, type Fact } from '../../../gateway/wording/facts';
import { LANGUAGES } from '../../../gateway/wording/language';
import { say, sayAlert, sayMany, sayRule } from '../../../gateway/wording/say';

const GATEWAY = join(__dirname, '../../../gateway');

/** A full stop in a name ends no sentence, and braces are no syntax. */
const NAME = 'Loja S.A. {Centro}';
const place = { line: NAME, lineId: 7, address: 'hooks.example.com' };
const token = { line: NAME, name: 'n8n', lastFour: 'uL0A' };
const undeliverable: Fact = {
  word: 'paused.undeliverable',
  values: { since: '2026-03-10T12:00:00.000Z', last: 'HTTP 404' },
};

/** Values of every kind, in each of their forms. */
const ALERTS: { [Kind in AlertKind]: AlertValues[Kind][] } = {
  destination_failing: [
    { place, last: 'timeout', isRegistered: true },
    { place, last: null, isRegistered: false },
  ],
  destination_paused: [{ place, because: undeliverable, isRegistered: false }],
  deliveries_late: [{ minutes: 7 }],
  deliveries_ending: [{ place, count: 1, isMore: false }],
  deliveries_given_up: [
    { place, count: 1, isMore: false },
    { place, count: 1_000, isMore: true },
  ],
  line_disconnected: [{ name: NAME, status: 'BANNED' }],
  line_restricted: [
    { name: NAME, status: 'FLAGGED' },
    {
      account: { line: NAME, wabaId: '1' },
      lineId: 7,
      warning: { word: 'account.deleted', values: {} },
    },
  ],
  line_quality: [
    { name: NAME, isLow: true },
    { name: NAME, isLow: false },
  ],
  line_limit: [{ name: NAME, limit: 250, before: null }],
  line_credentials: [
    { name: NAME, isMissing: true, because: null },
    { name: NAME, isMissing: false, because: 'Error validating access token' },
  ],
  line_setup: [{ name: NAME, failed: [{ word: 'check.unregistered', values: {} }] }],
  access_token_expiring: [
    { name: NAME, days: 3 },
    { name: NAME, days: null },
  ],
  template_stopped: [
    { template: 'hello (pt_BR)', account: { line: NAME, wabaId: '1' }, state: 'PAUSED', lineId: 7 },
  ],
  template_category: [
    {
      ...{ template: 'hello (pt_BR)', account: { line: NAME, wabaId: '1' }, lineId: 7 },
      ...{ before: 'UTILITY', category: 'MARKETING' },
    },
  ],
  token_expiring: [
    { token, days: 3 },
    { token, days: null },
  ],
  token_unused: [{ token, wasUsed: true }],
  budget_used: [
    {
      ...{ customer: NAME, budget: 500, spent: 412.5, currency: 'BRL', unpriced: 0 },
      ...{ isReached: false, isHeld: false },
    },
    {
      ...{ customer: NAME, budget: 500, spent: 512.5, currency: 'BRL', unpriced: 3 },
      ...{ isReached: true, isHeld: true },
    },
  ],
  disk_short: [{ megabytes: 900 }],
  memory_short: [{ process: NAME, percent: 9 }],
  overloaded: [{ process: NAME, causes: ['event_loop', 'backlog'] }],
  database_away: [{ process: NAME }],
  platform_away: [{ process: NAME, because: 'dns' }],
  process_gone: [{ process: NAME }],
  role_missing: PROCESS_ROLES.map((role) => ({ role })),
  clocks_apart: [{ process: NAME, seconds: 90, isAhead: true, of: 'platform' }],
  backup_failed: [{ failure: 'ENOSPC' }],
  channel_failing: [{ channel: NAME, failure: null }],
  log_in_attack: [{ times: 21 }],
  signature_attack: [{ times: 11 }],
  token_attack: [{ times: 101 }],
  owner_password: [{ times: 1 }],
};
const all = Object.entries(ALERTS).flatMap(([kind, values]) =>
  values.map((one) => ({ kind, values: one }) as AlertFact),
);

test.each(all)('$kind is said in every language, in words of its own, with the name as it is', (alert) => {
  const texts = LANGUAGES.map((language) => sayAlert(language, alert));
  for (const part of ['title', 'over', 'action'] as const)
    expect(new Set(texts.map((text) => text[part])).size).toBe(LANGUAGES.length);
  const named = texts.map((text) => JSON.stringify(text).split('Loja S.A. {Centro}').length);
  expect(new Set(named).size).toBe(1);
  expect(JSON.stringify(texts)).not.toMatch(/undefined|\[object|NaN|null/);
});

test('several of a kind, and its rule, are said in every language', () => {
  for (const kind of Object.keys(ALERTS) as AlertKind[]) {
    for (const count of [1, 2, 1_200])
      for (const isOver of [false, true])
        expect(new Set(LANGUAGES.map((language) => sayMany(language, kind, count, isOver))).size).toBe(3);
    const rules = LANGUAGES.map((language) => sayRule(language, kind, '42'));
    expect(new Set(rules).size).toBe(3);
    // The threshold stands in all of them or in none.
    expect(new Set(rules.map((rule) => rule.includes('42'))).size).toBe(1);
  }
});

test('a destination is said in Portuguese whatever its line is called, with why its last attempt failed', () => {
  const alert: AlertFact = {
    kind: 'destination_failing',
    values: { place, last: 'HTTP 404', isRegistered: false },
  };
  expect(sayAlert('pt', alert)).toMatchObject({
    title: 'Loja S.A. {Centro}: hooks.example.com não está aceitando eventos',
    text: 'Última tentativa: HTTP 404: não encontrado; se for o n8n, o workflow pode estar inativo.',
  });
});

test('every way in which an attempt fails has words in every language; what an earlier version stored too', () => {
  const words = (failure: string) =>
    LANGUAGES.map((language) => say(language, { word: 'attempt.failed', values: { failure } }));
  for (const failure of ['timeout', 'dns', 'tls', 'connection', 'address_refused', 'HTTP 401', 'HTTP 404'])
    expect(new Set(words(failure)).size).toBe(3);
  expect(words('HTTP 503')).toEqual(['HTTP 503', 'HTTP 503', 'HTTP 503']);
  expect(words('HTTP 404: not found; if this is n8n, the workflow may be inactive')).toEqual(
    words('HTTP 404'),
  );
});

test('a word of a later version says nothing instead of failing', () => {
  expect(say('pt', { word: 'a.later.word', values: {} } as never)).toBe('');
});

/** Literals that hold a sentence: a capital or a space in front, and three words. */
const SENTENCE = /(^|\s)\p{Lu}\p{L}+ \p{L}+ \p{L}+/u;

function literalsIn(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isNewExpression(node) && node.expression.getText() === 'Error') return;
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    if (ts.isTemplateExpression(node)) found.push(node.getText());
    node.forEachChild(visit);
  };
  const text = readFileSync(join(GATEWAY, file), 'utf8');
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

test('conditions find facts and write no sentence', () => {
  const files = globSync(
    ['alerts/conditions/*.ts', 'alerts/{endings,incident-text,notice,plan,process-watch}.ts'],
    {
      cwd: GATEWAY,
    },
  );
  expect(files.length).toBeGreaterThan(10);
  const sentences = files.flatMap((file) =>
    literalsIn(file)
      .filter((one) => SENTENCE.test(one))
      .map((one) => `${file}: ${one}`),
  );
  expect(sentences).toEqual([]);
});

test('nothing below the panel knows its pages', () => {
  const below = globSync(
    '{alerts,cloud-api,forwarding,lines,messages,sending,store,templates,users,wording}/**/*.ts',
    {
      cwd: GATEWAY,
    },
  );
  expect(below.length).toBeGreaterThan(100);
  expect(below.filter((file) => literalsIn(file).some((one) => one.includes('/panel/')))).toEqual([]);
});
