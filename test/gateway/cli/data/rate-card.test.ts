import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/databases';
import { PLATFORM_CARD } from '../../../support/rate-card';
import { command, freshSettings, json } from '../support';

const fileOf = (text: string): string => {
  const file = join(temporaryFolder(), 'rates.csv');
  writeFileSync(file, text);
  return file;
};

test('a rate card is previewed, imported, listed and removed', async () => {
  const env = freshSettings();
  await json(['customer', 'add', '--name', 'Loja'], env);
  const first = fileOf(PLATFORM_CARD);
  const options = ['--name', 'USD', '--effective-from', '2026-10-01'];
  const { code, stdout } = await command(['rate-card', 'import', first, ...options], env);
  expect([code, stdout]).toEqual([0, 'Rate card 1 "USD" is imported. It applies from 2026-10-01 on.\n']);

  const dearer = fileOf(PLATFORM_CARD.replace('0.0625', '0.07'));
  const own = [dearer, '--name', 'Loja', '--effective-from', '2026-11-01', '--customer', '1'];
  const preview = await command(['rate-card', 'import', ...own, '--dry-run'], env);
  expect(preview.stdout.split('\n')).toEqual([
    'dearer\tBrazil\tmarketing\t0.0625 -> 0.07\t1 country',
    'It would replace USD (from 2026-10-01, USD). Nothing was stored.',
    '',
  ]);
  await json(['rate-card', 'import', ...own], env);
  expect(await json(['rate-card', 'list'], env)).toMatchObject({
    rate_cards: [
      { id: 2, name: 'Loja', customer_id: 1, currency: 'USD', effective_from: '2026-11-01' },
      { id: 1, name: 'USD', customer_id: null },
    ],
  });
  expect((await command(['rate-card', 'remove', '2'], env)).code).toBe(0);
  expect(await json(['rate-card', 'list'], env)).toMatchObject({ rate_cards: [{ id: 1 }] });
});

test('a file with lines that are not understood is refused, and the command says which', async () => {
  const env = freshSettings();
  await json(['customer', 'add', '--name', 'Loja'], env);
  const file = fileOf('Market,Currency,Marketing\nAtlantis,USD,0.1\nChile,USD,cheap\n');
  const words = ['rate-card', 'import', file, '--name', 'x', '--effective-from', '2026-10-01'];
  const preview = await command([...words, '--dry-run'], env);
  expect(preview.stdout).toMatch(/^Line 2\t"Atlantis" is not[^\n]*\nLine 3\t"cheap" is not/);
  const refused = await command(words, env);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/Line 2: "Atlantis"[^]*Line 3: "cheap"/);
  const missing = await command(['rate-card', 'import', '/nowhere.csv', ...words.slice(3)], env);
  expect([missing.code === 0, missing.stderr]).toEqual([
    false,
    expect.stringContaining('FILE cannot be read'),
  ]);
});
