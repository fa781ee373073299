/**
 * `npm run bench`: measures the cost of a send and an event, compared with the minimal cost on the same
 * machine. It sets no limits. On a shared machine, compare the ratios, and prefer those of CPU time. All
 * traffic stays on loopback.
 * To run one section: `npm run bench -- events`. Sizes can be reduced: `-- events --rounds 2 --parts
 * pinned,steady`, `-- stored --events 10000`. Five sections run only if they are named: `nodes` (our node and
 * n8n's own WhatsApp node in a real n8n) installs n8n first, `peers` (events beside BullMQ and pg-boss) installs
 * both, `crowd` (the panel's lists with 1,000 lines and a million events) takes a minute to prepare, `memory` (a
 * mixed load, and rest after it) half an hour, and `shards` measures nothing: it places customers on databases by the
 * costs of `costs`.
 */
import { availableParallelism } from 'node:os';
import { installN8n } from '../n8n/install-n8n';
import { benchChecks } from './checks';
import { benchCosts } from './costs';
import { benchCrowd } from './crowd';
import { benchEvents } from './events';
import { benchMemory } from './memory';
import { benchNodes } from './nodes';
import { type Options } from './options';
import { benchPanel } from './panel';
import { benchPeers } from './peers/peers';
import { setScene, type Scene } from './scene';
import { benchSends } from './sends';
import { benchShards } from './shards';
import { benchStart } from './start';
import { benchStored } from './stored';
import { benchProcesses } from './teams';

const tell = (lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n\n`);

const onScene =
  (bench: (scene: Scene, options: Options) => Promise<string[]>) => async (options: Options) => {
    const scene = await setScene();
    return bench(scene, options).finally(() => scene.end());
  };

const SECTIONS: Record<string, (options: Options) => Promise<string[]>> = {
  start: benchStart,
  sends: onScene(benchSends),
  checks: onScene(benchChecks),
  events: benchEvents,
  processes: benchProcesses,
  costs: benchCosts,
  stored: benchStored,
  panel: benchPanel,
  crowd: benchCrowd,
  memory: onScene(benchMemory),
  peers: benchPeers,
  shards: benchShards,
  nodes: async (options) => benchNodes(await installN8n(process.env.N8N_VERSION || undefined), options),
};

const USUAL = ['start', 'sends', 'checks', 'events', 'processes', 'costs', 'stored', 'panel'];

/** Runs the named sections; defaults to `USUAL`. */
async function main(words: string[]): Promise<void> {
  const options: Options = {};
  const named: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word.startsWith('--')) options[word.slice(2)] = words[++index] ?? '';
    else named.push(word);
  }
  const names = named.length ? named : USUAL;
  const unknown = words.includes('--help') ? '--help' : names.find((name) => !(name in SECTIONS));
  if (unknown !== undefined) {
    process.stderr.write(
      `There is no section "${unknown}": it is one of ${Object.keys(SECTIONS).join(', ')}.\n`,
    );
    process.exitCode = 2;
    return;
  }
  tell([
    `Node ${process.version} on ${availableParallelism()} cores, SQLite where nothing else is said, some minutes for each section…`,
  ]);
  for (const name of names) tell((await SECTIONS[name]?.(options)) ?? []);
}

process.once('SIGINT', () => process.exit(130));
void main(process.argv.slice(2));
