import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { needs, needsRoot } from './commands';
import { type Proof, type Report } from './proof';

/**
 * Runs in its own network and mount namespaces. There, the proof controls DNS and can run servers on the
 * clouds' metadata address and on a public address.
 */
export const specialAddresses: Proof = {
  name: 'special-addresses',
  proves:
    'no special address is ever connected to, however it is written, named or led to, but those that the allow list names (P12)',
  on: ['SQLite'],
  sizes: {},

  async run({ folder, tell, atEnd }) {
    needs({ unshare: 'util-linux', ip: 'iproute2', mount: 'mount' });
    needsRoot('make a network of its own');
    const child = spawn(
      'unshare',
      [
        ...['--mount', '--net', process.execPath, ...process.execArgv],
        ...[join(__dirname, 'programs', 'special-addresses.ts'), folder],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH } },
    );
    atEnd(() => child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    tell('a network of its own, with its own names');
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const last = stdout.trim().split('\n').at(-1) ?? '';
    if (code !== 0 || !last.startsWith('{')) throw new Error(`It ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(last) as Report;
  },
};
