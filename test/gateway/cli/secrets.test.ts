import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { offline } from '../../../gateway/cli/offline';
import { lineOf } from '../../../gateway/lines/line';
import { temporaryFolder } from '../../support/databases';
import { MAIN, runCommand } from '../../support/gateway-process';
import { secretFile } from '../../support/secret-file';
import { addTestLine } from '../../support/test-gateway';
import { freshSettings, LINE_FIELDS, PHONE_NUMBER_ID, storedLines } from './support';

const SECRET = 'EAAG-planted-secret';
const REST = LINE_FIELDS.slice(0, -4);
const APP_SECRET = LINE_FIELDS.slice(-2);

/** The credentials of the one line, opened. */
const credentials = (env: Record<string, string>) =>
  offline(env, async ({ store, vault }) => {
    const [row] = await store.lines.all();
    const { accessToken, appSecret } = row ? lineOf(row, vault) : { accessToken: null, appSecret: null };
    return { accessToken, appSecret };
  });

interface Run {
  code: number | null;
  text: string;
  /** Every program that ran meanwhile, with its arguments, as anybody on the machine sees it. */
  processes: Set<string>;
}

/** Runs a program, with `input` written to it once it has said what is asked for there. */
function run(file: string, args: string[], env: NodeJS.ProcessEnv, inputs: [after: string, input: string][]) {
  return new Promise<Run>((resolve) => {
    const child = spawn(file, args, { env });
    const processes = new Set<string>();
    const looking = setInterval(() => {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
        try {
          processes.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
        } catch {
          // It has ended.
        }
    }, 20);
    let text = '';
    const answer = () => {
      const [next] = inputs;
      if (!next || !text.includes(next[0])) return;
      inputs.shift();
      child.stdin.write(next[1]);
      if (!inputs.length && next[0] === '') child.stdin.end();
    };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text += String(chunk);
        answer();
      });
    answer();
    child.on('close', (code) => {
      clearInterval(looking);
      resolve({ code, text, processes });
    });
  });
}

const program = (words: string[], env: Record<string, string>, input: string) =>
  run(process.execPath, [MAIN, ...words], { PATH: process.env.PATH, ...env }, [['', input]]);

describe('a secret', () => {
  test.concurrent.each([
    ['line', 'add', ...LINE_FIELDS, '--access-token', SECRET],
    ['line', 'add', ...LINE_FIELDS, `--app-secret=${SECRET}`],
    ['line', 'add', '--forward-secret', SECRET],
    ['line', 'edit', '1', '--access-token', SECRET],
    ['destination', 'add', '1', '--url', 'https://example.com', '--secret', SECRET],
    ['destination', 'add', '1', '--url', 'https://example.com', '--header', `Authorization: ${SECRET}`],
    ['destination', 'edit', '1', `--header=Authorization: ${SECRET}`],
    ['destination', 'rotate', '1', '--secret', SECRET],
    ['user', 'add', 'ana', '--password', SECRET],
    ['user', 'reset', 'ana', `--password=${SECRET}`],
  ])('is refused as an argument, and not repeated: %s %s', async (...words) => {
    const env = freshSettings();
    const { code, stdout, stderr } = await runCommand(words, env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^--[\w-]+ is refused: .* give it with --[\w-]+-file FILE, or - for standard input/,
    );
    expect(stderr).not.toContain(SECRET);
  });

  test.concurrent.each([
    ['a file that is not there', ['--access-token-file', SECRET, ...APP_SECRET], 'cannot be read'],
    ['an empty file', ['--access-token-file', secretFile(''), ...APP_SECRET], 'an empty file'],
    ['two of one input', ['--access-token-file', '-', '--app-secret-file', '-'], 'can hold only one secret'],
    ['a word too many', [...LINE_FIELDS, SECRET], 'a word too many'],
    [
      'one over two lines',
      ['--access-token-file', secretFile('upstream-\ntoken'), ...APP_SECRET],
      'The access token contains a space or a line break',
    ],
    [
      'one with a space in it',
      [...LINE_FIELDS.slice(-4, -2), '--app-secret-file', secretFile('app secret')],
      'The app secret contains a space or a line break',
    ],
    ['none', [], 'Missing: --access-token-file FILE, --app-secret-file FILE.'],
  ])(
    'that cannot be had is told in a sentence, which repeats nothing: %s',
    async (_what, words, sentence) => {
      const env = freshSettings();
      const { code, stderr } = await runCommand(['line', 'add', ...REST, ...words], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
      expect(stderr).not.toContain(SECRET);
      expect(await storedLines(env)).toEqual([]);
    },
  );

  test('comes from a file or from standard input, and is seen nowhere', async () => {
    const env = freshSettings();
    const words = ['line', 'add', ...REST, '--app-secret-file', secretFile(`${SECRET}-1`)];
    const added = await program([...words, '--access-token-file', '-'], env, `${SECRET}-2\n`);
    expect(added.code).toBe(0);
    expect(await credentials(env)).toEqual({ accessToken: `${SECRET}-2`, appSecret: `${SECRET}-1` });
    expect([...added.processes].some((one) => one.includes('--access-token-file'))).toBe(true);
    for (const seen of [added.text, ...added.processes]) expect(seen).not.toContain(SECRET);
  });

  test('is in none of the logs of npm', async () => {
    const env = freshSettings();
    await addTestLine(env);
    const cache = temporaryFolder();
    const npm = { ...env, PATH: process.env.PATH, npm_config_cache: cache, npm_config_loglevel: 'silly' };
    const words = ['line', 'edit', PHONE_NUMBER_ID, '--access-token-file', '-'];
    const edited = await run(
      'npm',
      ['exec', '--offline', '--call', `${process.execPath} ${MAIN} ${words.join(' ')}`],
      npm,
      [['', `${SECRET}\n`]],
    );
    expect([edited.code, edited.text]).toEqual([0, expect.stringContaining('is changed.')]);
    expect(await credentials(env)).toMatchObject({ accessToken: SECRET });
    const logs = readdirSync(join(cache, '_logs')).map((name) =>
      readFileSync(join(cache, '_logs', name), 'utf8'),
    );
    expect(logs.join()).toContain('--access-token-file');
    for (const seen of [edited.text, ...logs, ...edited.processes]) expect(seen).not.toContain(SECRET);
  });

  test('is asked for at a terminal where it is missing, which does not show it', async () => {
    const env = freshSettings();
    // As somebody types it: `script` lends the program a terminal.
    const quoted = [process.execPath, MAIN, 'line', 'add', ...REST].map((word) => `'${word}'`).join(' ');
    const typed = await run('script', ['-qefc', quoted, '/dev/null'], { PATH: process.env.PATH, ...env }, [
      ['Access token of the platform (not shown): ', `${SECRET}-1\r`],
      ['App secret of the platform (not shown): ', `${SECRET}-2\r`],
    ]);
    expect([typed.code, typed.text]).toEqual([0, expect.stringContaining('Its token, shown only once:')]);
    expect(typed.text).not.toContain(SECRET);
    expect(await credentials(env)).toEqual({ accessToken: `${SECRET}-1`, appSecret: `${SECRET}-2` });
  });

  test('that is not given after all changes nothing', async () => {
    const env = freshSettings();
    const quoted = [process.execPath, MAIN, 'line', 'add', ...REST].map((word) => `'${word}'`).join(' ');
    const left = await run('script', ['-qefc', quoted, '/dev/null'], { PATH: process.env.PATH, ...env }, [
      ['Access token of the platform (not shown): ', '\u0003'],
    ]);
    expect([left.code, left.text]).toEqual([2, expect.stringContaining('Nothing was entered')]);
    expect(await storedLines(env)).toEqual([]);
  });
});
