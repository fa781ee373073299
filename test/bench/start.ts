import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { MAIN } from '../support/gateway-process';
import { freePort } from '../support/postgres';
import { median } from './load';
import { sizesOf, type Options } from './options';
import { cpuOf, memoryOf } from './processes';
import { Ground, loadNow } from './stand';

/** `rest`: milliseconds between the first answer and the memory measurement. */
const SIZES = { rounds: 7, rest: 3000 };
/** Milliseconds between tries to get an answer. */
const GLANCE = 5;

/**
 * Measures the time from starting the process on an existing database to the first answer, and its memory at
 * rest.
 */
export async function benchStart(options: Options): Promise<string[]> {
  const { rounds, rest } = sizesOf(options, SIZES);
  const ground = new Ground();
  try {
    const stand = await ground.prepare(await ground.sqlite('start'), [[]]);
    const took: number[] = [];
    const cpu: number[] = [];
    const memory: number[] = [];
    // The first round loads the files into the machine's cache and is not counted.
    for (let round = -1; round < rounds; round++) {
      const port = await freePort();
      const begun = performance.now();
      const env = { PATH: process.env.PATH, ...stand.env, GATEWAY_PORT: String(port) };
      const child = spawn(process.execPath, [MAIN, 'start'], { env, stdio: 'ignore' });
      const pid = child.pid ?? 0;
      ground.atEnd(() => child.kill('SIGKILL'));
      while (!(await isAnswered(port))) await wait(GLANCE);
      const answered = [performance.now() - begun, cpuOf(pid)] as const;
      await wait(rest);
      if (round >= 0) {
        took.push(answered[0]);
        cpu.push(answered[1]);
        memory.push(memoryOf(pid));
      }
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    return [
      `Start: ${rounds} rounds, SQLite with one line; medians; ${loadNow()}`,
      '',
      `first answer after  ${median(took).toFixed(0)} ms (the quickest ${Math.min(...took).toFixed(0)})`,
      `CPU until then      ${median(cpu).toFixed(0)} ms`,
      `memory at rest      ${median(memory).toFixed(0)} MB`,
    ];
  } finally {
    await ground.clear();
  }
}

const isAnswered = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
