import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { addLines, type PlacedLine } from '../prove/lines';
import { startProcess, type GatewayProcess } from '../support/gateway-process';
import { createDatabase, postgresServer, type PostgresServer } from '../support/postgres';
import { APP_SECRET, settings } from '../support/test-gateway';

/** Asked before any process is bound to one of them. */
export const CORES = availableParallelism();

/** A gateway with lines, on a database of its own. */
export interface Stand {
  env: Record<string, string>;
  databaseUrl: string;
  lines: PlacedLine[];
}

/** What a bench leaves behind is cleared away at its end, the last first. */
export class Ground {
  readonly folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  readonly #ends: (() => unknown)[] = [];
  #postgres: PostgresServer | null = null;

  atEnd(work: () => unknown): void {
    this.#ends.unshift(work);
  }

  async sqlite(name: string): Promise<string> {
    return `sqlite:${join(this.folder, `${name}.db`)}`;
  }

  async postgres(): Promise<string> {
    return createDatabase((await this.postgresServer()).url);
  }

  async postgresServer(): Promise<PostgresServer> {
    if (!this.#postgres) {
      execFileSync('chmod', ['755', this.folder]);
      const server = await postgresServer({ folder: join(this.folder, 'postgres') });
      await server.start();
      this.atEnd(server.stop);
      this.#postgres = server;
    }
    return this.#postgres;
  }

  /** @param lines the destinations of each @param more settings */
  async prepare(databaseUrl: string, lines: string[][], more: Record<string, string> = {}): Promise<Stand> {
    const env = settings(databaseUrl, {
      // Nobody is asked.
      GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9',
      GATEWAY_APP_SECRET: APP_SECRET,
      GATEWAY_LINE_RATE: 'off',
      GATEWAY_PAIR_LIMIT: 'off',
      ...more,
    });
    return { env, databaseUrl, lines: await addLines(env, lines) };
  }

  async start({ env }: Stand): Promise<GatewayProcess> {
    const gateway = await startProcess(env);
    this.atEnd(() => gateway.end('SIGKILL'));
    return gateway;
  }

  async clear(): Promise<void> {
    for (const work of this.#ends.splice(0)) await work();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Lets a process, all its threads included, run on one core only; on all of them where none is named. */
export function pin(pid: number, core?: number): void {
  const cores = core === undefined ? `0-${CORES - 1}` : String(core);
  execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' });
}

/** What else the machine did: no figure means anything without it. */
export const loadNow = (): string => `load ${loadavg()[0]?.toFixed(1) ?? '?'} on ${CORES} cores`;
