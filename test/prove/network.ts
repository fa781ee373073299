import { fork } from 'node:child_process';
import { join } from 'node:path';
import { command, needs, needsRoot } from './commands';
import { freePort } from '../support/postgres';
import { type Stage } from './proof';

/**
 * A network namespace behind a link that can be cut. While it is cut, packets are dropped silently: no
 * connection is refused or reset.
 */
export interface Network {
  /** The address in the namespace. */
  address: string;
  /** An unused address in the namespace, which never answers. */
  nowhere: string;
  /**
   * Opens a port in the namespace that forwards to a server outside.
   * @param target path of the server's Unix socket
   * @returns the port
   */
  door(target: string): Promise<number>;
  cut(): void;
  heal(): void;
}

let networks = 0;

export function openNetwork(stage: Pick<Stage, 'atEnd'>): Network {
  needs({ ip: 'iproute2' });
  needsRoot('lay out network namespaces');
  const number = networks++;
  const name = `prove${process.pid}${number ? `n${number}` : ''}`;
  const [here, there] = [`pa${process.pid % 100_000}x${number}`, `pb${process.pid % 100_000}x${number}`];
  // 198.18.0.0/15 is reserved for network tests.
  const net = `198.18.${(process.pid + number) % 256}`;
  const address = `${net}.2`;
  const inside = (...words: string[]) => command('ip', '-n', name, ...words);

  command('ip', 'netns', 'add', name);
  stage.atEnd(() => command('ip', 'netns', 'del', name));
  command('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name);
  command('ip', 'addr', 'add', `${net}.1/24`, 'dev', here);
  command('ip', 'link', 'set', here, 'up');
  inside('addr', 'add', `${address}/24`, 'dev', there);
  inside('link', 'set', 'lo', 'up');
  inside('link', 'set', there, 'up');
  // Permanent neighbours: without an answer to ARP, a connection would be refused after three seconds.
  const [, hardware = ''] = /link\/ether (\S+)/.exec(inside('link', 'show', there)) ?? [];
  for (const neighbour of [address, `${net}.9`])
    command('ip', 'neigh', 'replace', neighbour, 'lladdr', hardware, 'dev', here, 'nud', 'permanent');

  return {
    address,
    // The link accepts packets to this address, which nobody has.
    nowhere: `${net}.9`,
    async door(target) {
      const port = await freePort();
      const program = fork(join(__dirname, 'programs', 'door.ts'), [address, String(port), target], {
        execPath: 'ip',
        execArgv: ['netns', 'exec', name, process.execPath, ...process.execArgv],
      });
      stage.atEnd(() => program.kill('SIGKILL'));
      await new Promise<void>((resolve, reject) =>
        program.once('message', () => resolve()).once('exit', () => reject(new Error('The door has closed'))),
      );
      return port;
    },
    cut: () => void inside('link', 'set', there, 'down'),
    heal: () => void inside('link', 'set', there, 'up'),
  };
}
