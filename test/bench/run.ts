/**
 * `npm run bench`: what a send and an event cost, beside what they cost at the least on the same machine. It measures
 * and judges nothing; on a shared machine compare the ratios, and of those the CPU's. All traffic stays on loopback.
 */
import { availableParallelism } from 'node:os';
import { benchChecks } from './checks';
import { benchEvents } from './events';
import { setScene } from './scene';
import { benchSends } from './sends';

const tell = (lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n\n`);

async function main(): Promise<void> {
  tell([`Node ${process.version} on ${availableParallelism()} cores, SQLite, less than two minutes…`]);
  const scene = await setScene();
  try {
    tell(await benchSends(scene));
    tell(await benchChecks(scene));
    tell(await benchEvents(scene));
  } finally {
    await scene.end();
  }
}

process.once('SIGINT', () => process.exit(130));
void main();
