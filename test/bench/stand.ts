import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { addLines, type PlacedLine } from '../prove/lines';
import { startProcess, type GatewayProcess } from '../support/gateway-process';
import { createDatabase, postgresServer, type PostgresServer } from '../support/postgres';
import { APP_SECRET, settings } from '../support/test-gateway';

/** Read before any process is bound to a core. */
export const CORES = availableParallelism();

/** A gateway with lines and its own database. */
export interface Stand {
  env: Record<string, string>;
  databaseUrl: string;
  lines: PlacedLine[];
}

/** Cleans up at the end of a benchmark, in reverse order. */
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

  /**
   * @param lines destinations of each line
   * @param more additional settings
   */
  async prepare(databaseUrl: string, lines: string[][], more: Record<string, string> = {}): Promise<Stand> {
    const env = settings(databaseUrl, {
      // Nothing listens at this address; no request reaches a platform.
      GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9',
      GATEWAY_APP_SECRET: APP_SECRET,
      GATEWAY_LINE_RATE: 'off',
      GATEWAY_PAIR_LIMIT: 'off',
      ...more,
    });
    return { env, databaseUrl, lines: await addLines(env, lines) };
  }

  async start({ env }: Pick<Stand, 'env'>): Promise<GatewayProcess> {
    const gateway = await startProcess(env);
    this.atEnd(() => gateway.end('SIGKILL'));
    return gateway;
  }

  async clear(): Promise<void> {
    for (const work of this.#ends.splice(0)) await work();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Binds a process with all its threads to one core; to all cores if none is given. */
export function pin(pid: number, core?: number): void {
  const cores = core === undefined ? `0-${CORES - 1}` : String(core);
  execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' });
}

/** The machine's load, which is needed to interpret every figure. */
export const loadNow = (): string => `load ${loadavg()[0]?.toFixed(1) ?? '?'} on ${CORES} cores`;
