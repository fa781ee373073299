import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { type PostgresServer } from '../support/postgres';

/** Restarts PostgreSQL if it has ended, as it may if its log cannot be written. */
export async function lookAfter(server: PostgresServer): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    const state = await stateOf(server);
    if (state === 'serves') return;
    if (state === 'gone') return server.start();
    await wait(100);
  }
}

async function stateOf({ url }: PostgresServer): Promise<'serves' | 'busy' | 'gone'> {
  const client = new Client({ connectionString: `${url}/postgres`, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return 'serves';
  } catch (error) {
    return (error as { code?: string }).code === 'ECONNREFUSED' ? 'gone' : 'busy';
  }
}

/** Returns the postmaster and all its child processes. */
export function processesOf({ folder }: PostgresServer): number[] {
  const postmaster = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readdirSync(`/proc/${postmaster}/task`).flatMap((task) =>
    readFileSync(`/proc/${postmaster}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [postmaster, ...children];
}

/** Kills a server that crashed so often that it might never stop in order. */
export function endAtOnce(server: PostgresServer): void {
  try {
    processesOf(server).forEach((pid) => process.kill(pid, 'SIGKILL'));
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}
