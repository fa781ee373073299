import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Proof, type Report } from './proof';

/** Reported after each run, because all runs take a while. */
interface Figures {
  runs: number;
  happenings: number;
  totals: Record<string, number>;
}

const ROOT = join(__dirname, '../..');

/**
 * The test of the same name with more runs. It runs as a test, because its gateway is in the test process
 * with a controlled clock.
 */
export const deliveryModel: Proof<{ runs: number; 'runs-of-two': number }> = {
  name: 'delivery-model',
  proves:
    'whatever happens to deliveries, in whatever order, crashes included, nothing is lost, and nothing goes out twice at once, too early, out of order or unsigned (P5, P7, P8, P10, P11, P22)',
  on: ['SQLite', 'PostgreSQL'],
  // Fewer runs with two processes on PostgreSQL, because they take longer.
  sizes: { runs: 2000, 'runs-of-two': 100 },

  async run({ ground, folder, sizes, random, tell, atEnd }) {
    const seed = Math.floor(random() * 2 ** 31);
    const figures: Report['figures'] = { seed };
    const faults: string[] = [];
    const one = async (processes: number, runs: number): Promise<void> => {
      const file = join(folder, `figures-${processes}.json`);
      tell(`${runs} runs with ${processes} at a time`);
      const child = spawn(
        process.execPath,
        [
          join(ROOT, 'node_modules/jest/bin/jest.js'),
          ...['--selectProjects', 'gateway', '--testTimeout', '7200000'],
          ...['--testNamePattern', `\\(${ground}\\)`, 'test/gateway/forwarding/delivery-model'],
        ],
        {
          cwd: ROOT,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            ...process.env,
            MODEL_RUNS: String(runs),
            MODEL_PROCESSES: String(processes),
            MODEL_SEED: String(seed),
            MODEL_FIGURES: file,
          },
        },
      );
      atEnd(() => child.kill());
      let told = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (told += text));
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      if (code !== 0 || !existsSync(file)) {
        faults.push(`With ${processes} at a time: ${told.slice(0, 4000)}`);
        return;
      }
      const { totals, ...counted } = JSON.parse(readFileSync(file, 'utf8')) as Figures;
      for (const [name, figure] of Object.entries({ ...counted, ...totals }))
        figures[processes === 1 ? name : `${name}, ${processes} processes`] = figure;
    };
    await one(1, ground === 'SQLite' ? sizes.runs : Math.ceil(sizes.runs / 10));
    if (ground === 'PostgreSQL') await one(2, sizes['runs-of-two']);
    return { figures, faults };
  },
};
