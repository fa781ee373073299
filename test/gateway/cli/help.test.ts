import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SETTINGS } from '../../../gateway/config';
import { MAIN, runCommand } from '../../support/gateway-process';

describe('help', () => {
  test('shows every command', async () => {
    const { code, stdout, stderr } = await runCommand(['help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const commands = ['quick-start', 'start', 'line add', 'line list', 'line edit', 'token create'];
    for (const command of [...commands, 'token list', 'token revoke', 'help']) {
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
    expect((await runCommand(['--help'])).stdout).toBe(stdout);
  });

  test.each([['help'], ['help', 'config']])(
    '%s %s into a pipe that nobody reads ends quietly',
    async (...words) => {
      const child = spawn(process.execPath, [MAIN, ...words.filter(Boolean)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      const errors = text(child.stderr);
      const [code] = await once(child, 'close');
      expect({ code, errors: await errors }).toEqual({ code: 0, errors: '' });
    },
  );

  test('config explains every setting in a sentence, with its default', async () => {
    const { code, stdout } = await runCommand(['help', 'config']);
    expect(code).toBe(0);
    for (const name of Object.keys(SETTINGS)) {
      expect(stdout).toMatch(new RegExp(`^  ${name}\n      [A-Z].{20,}\\.\n      Default: .+\\.$`, 'm'));
    }
  });

  test('calls the platform what the rest of the documentation calls it', async () => {
    for (const words of [['help'], ['help', 'config']])
      expect((await runCommand(words)).stdout).not.toMatch(/(?<!\|)\bupstream\b/i);
  });

  test('of one command shows its options, and does not run it', async () => {
    const { code, stdout } = await runCommand(['line', 'add', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('--phone-number-id');
    expect(stdout).not.toContain('token revoke');
  });
});

test('the version is told', async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../../gateway/package.json'), 'utf8')) as {
    version: string;
  };
  expect(await runCommand(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('what is no command', () => {
  test('is answered with a sentence that says where they stand, on standard error, and the exit code 2', async () => {
    expect(await runCommand(['no-such-command'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'There is no command "no-such-command". "messaging-gateway help" shows all.\n',
    });
  });

  test('but the first word of some is answered with those, and its help shows them alone', async () => {
    const { code, stderr } = await runCommand(['token', 'make']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'There is no command "token make". There is "token create", "token list", "token rotate", "token revoke": "messaging-gateway help token" explains them.\n',
    });
    const { stdout } = await runCommand(['help', 'token']);
    expect(stdout).toMatch(/^ {2}token create /);
    expect(stdout).not.toMatch(/^ {2}line add/m);
    expect((await runCommand(['token', '--help'])).stdout).toBe(stdout);
  });

  test('is not named where there is only an option', async () => {
    const { code, stderr } = await runCommand(['--strange']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^An option belongs to a command, and none is named\. /);
  });

  test('is named without what follows it, which may be a secret', async () => {
    const { code, stderr } = await runCommand([
      'line',
      'ad',
      'upstream-credential',
      '--app-secret',
      's3cret',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no command "line ad".');
    expect(stderr).not.toMatch(/upstream-credential|s3cret/);
  });
});
