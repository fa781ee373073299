/**
 * `npm run prove`: long-running proofs of the gateway's promises. Runs all, or the named ones: `npm run prove
 * -- kill-storm drain`. Options: `--seed 7` to repeat a run, `--on sqlite` or `--on postgresql` for one
 * database, and sizes such as `--events 500`. Exits with 1 if a promise is broken or could not be tested.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, postgresServer, type PostgresServer } from '../support/postgres';
import { acknowledgement } from './acknowledgement';
import { burst } from './burst';
import { databaseAway } from './database-away';
import { deliveryModel } from './delivery-model';
import { diskFaults } from './disk-faults';
import { drain } from './drain';
import { dropPartitions } from './drop-partitions';
import { failover } from './failover';
import { flood } from './flood';
import { fullDisk } from './full-disk';
import { hostileReceivers } from './hostile-receivers';
import { image } from './image';
import { killStorm } from './kill-storm';
import { leakHunt } from './leak-hunt';
import { move } from './move';
import { noisyNeighbour } from './noisy-neighbour';
import { order } from './order';
import { orderAcrossProcesses } from './order-across-processes';
import { parallelIdempotency } from './parallel-idempotency';
import { blackHole, databasePartition, destinationPartition, upstreamPartition } from './partition';
import { pgbouncer } from './pgbouncer';
import { powerCut } from './power-cut';
import { CannotRun, setStage, type Ground, type Proof, type Report } from './proof';
import { proxies } from './proxies';
import { processPartition } from './process-partition';
import { processRoles } from './process-roles';
import { questions } from './questions';
import { rollingRestart, rollingUpgrade, upgradeToCustomers, upgradeToPartitions } from './rolling-restart';
import { specialAddresses } from './special-addresses';
import { usage } from './usage';

/** In order of execution. */
const PROOFS: readonly Proof[] = [
  acknowledgement,
  killStorm,
  powerCut,
  order,
  orderAcrossProcesses,
  processRoles,
  drain,
  rollingRestart,
  rollingUpgrade,
  upgradeToCustomers,
  upgradeToPartitions,
  move,
  noisyNeighbour,
  burst,
  flood,
  leakHunt,
  diskFaults,
  fullDisk,
  databaseAway,
  databasePartition,
  processPartition,
  failover,
  pgbouncer,
  dropPartitions,
  destinationPartition,
  upstreamPartition,
  blackHole,
  hostileReceivers,
  specialAddresses,
  parallelIdempotency,
  questions,
  usage,
  deliveryModel,
  image,
  proxies,
].map((proof) => proof as unknown as Proof);

interface Asked {
  names: string[];
  seed: number;
  on: string | null;
  sizes: Record<string, number>;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** @throws Error with a sentence for the user */
function read(words: string[]): Asked {
  const asked: Asked = { names: [], seed: Math.floor(Math.random() * 1e9), on: null, sizes: {} };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('--')) {
      if (!PROOFS.some(({ name }) => name === word))
        throw new Error(
          `There is no proof "${word}". There are: ${PROOFS.map(({ name }) => name).join(', ')}`,
        );
      asked.names.push(word);
      continue;
    }
    const value = words[++index] ?? '';
    if (word === '--on') asked.on = value.toLowerCase();
    else if (!/^\d+$/.test(value)) throw new Error(`${word} takes a whole number`);
    else if (word === '--seed') asked.seed = Number(value);
    else asked.sizes[word.slice(2)] = Number(value);
  }
  return asked;
}

async function main(): Promise<void> {
  const asked = read(process.argv.slice(2));
  const chosen = PROOFS.filter(({ name }) => !asked.names.length || asked.names.includes(name));
  const folder = mkdtempSync(join(tmpdir(), 'gateway-prove-'));
  // PostgreSQL runs as another user and may have its folder inside.
  chmodSync(folder, 0o755);
  let postgres: PostgresServer | null = null;
  const serverUrl = async (): Promise<string> => {
    if (!postgres) {
      postgres = await postgresServer({ folder: join(folder, 'postgres') });
      await postgres.start();
    }
    return postgres.url;
  };
  const verdicts: string[] = [];
  let isProved = true;
  print(`Node ${process.version}, seed ${asked.seed}`);
  try {
    for (const proof of chosen) {
      for (const ground of proof.on.filter((one) => !asked.on || one.toLowerCase() === asked.on)) {
        const of = `${proof.name} (${ground})`;
        print(`\n${of}\n  ${proof.proves}`);
        const began = performance.now();
        const own = join(folder, `${proof.name}-${ground.replace(' ', '-')}`);
        mkdirSync(own);
        const report = await prove(proof, ground, own, asked, serverUrl);
        const took = `${((performance.now() - began) / 1000).toFixed(0)} s`;
        printReport(report);
        const outcome = 'missing' in report || report.faults.length === 0 ? 'holds' : 'FAILS';
        const verdict = 'missing' in report ? 'NOT RUN' : outcome;
        if (verdict !== 'holds') isProved = false;
        print(`  ${verdict} (${took})`);
        verdicts.push(`${verdict.padEnd(8)}${of}, ${took}`);
      }
    }
  } finally {
    await (postgres as PostgresServer | null)?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  print(`\nSeed ${asked.seed}:\n${verdicts.map((verdict) => `  ${verdict}`).join('\n')}`);
  process.exit(isProved && verdicts.length ? 0 : 1);
}

async function prove(
  proof: Proof,
  ground: Ground,
  folder: string,
  { seed, sizes }: Asked,
  serverUrl: () => Promise<string>,
): Promise<Report | { missing: string }> {
  const given = Object.entries(sizes).filter(([name]) => name in proof.sizes);
  const stage = setStage({
    ground,
    databaseUrl: await emptyDatabase(ground, folder, serverUrl),
    folder,
    sizes: { ...proof.sizes, ...Object.fromEntries(given) },
    seed,
    tell: (text) => print(`  … ${text}`),
  });
  try {
    return await proof.run(stage);
  } catch (error) {
    if (error instanceof CannotRun) return { missing: error.message };
    return { figures: {}, faults: [`It broke off: ${(error as Error).stack ?? String(error)}`] };
  } finally {
    await stage.clear();
  }
}

async function emptyDatabase(
  ground: Ground,
  folder: string,
  serverUrl: () => Promise<string>,
): Promise<string> {
  if (ground === 'SQLite') return `sqlite:${join(folder, 'gateway.db')}`;
  return ground === 'PostgreSQL' ? createDatabase(await serverUrl()) : '';
}

function printReport(report: Report | { missing: string }): void {
  if ('missing' in report) return print(`  ${report.missing}`);
  const width = Math.max(0, ...Object.keys(report.figures).map(({ length }) => length)) + 2;
  for (const [name, figure] of Object.entries(report.figures)) print(`  ${name.padEnd(width)}${figure}`);
  for (const fault of report.faults) print(`  ✗ ${fault}`);
}

process.once('SIGINT', () => process.exit(130));
main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
