/**
 * `npm run bench`: what a send and an event cost, beside what they cost at the least on the same machine. It measures
 * and judges nothing; on a shared machine compare the ratios, and of those the CPU's. All traffic stays on loopback.
 *
 * `npm run bench -- nodes`: the node beside n8n's own WhatsApp node, in a real n8n; `-- nodes 200` with shorter lists.
 */
import { availableParallelism } from 'node:os';
import { installN8n } from '../n8n/install-n8n';
import { benchChecks } from './checks';
import { benchEvents } from './events';
import { benchNodes } from './nodes';
import { setScene } from './scene';
import { benchSends } from './sends';

const tell = (lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n\n`);

async function main(what?: string, count?: string): Promise<void> {
  if (what === 'nodes') {
    const n8n = await installN8n(process.env.N8N_VERSION || undefined);
    tell([`n8n ${n8n.version} on ${availableParallelism()} cores, SQLite, about two minutes…`]);
    return benchNodes(n8n, tell, count === undefined ? undefined : Number(count));
  }
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
void main(process.argv[2], process.argv[3]);
