import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, startProcess, type GatewayProcess } from '../support/gateway-process';
import { secretFile } from '../support/secret-file';
import { APP_SECRET, PHONE_NUMBER_ID, settings, WABA_ID } from '../support/test-gateway';
import { startProgram, type Program } from './processes';

/** The shipped gateway in its own process, with one line. */
export interface Shipped {
  gateway: GatewayProcess;
  /** Its settings. */
  env: Record<string, string>;
  /** A token of its line. */
  token: string;
}

/**
 * Two gateways between a platform and a receiver. Most measurements use the one without rate limits.
 * `limited` has the default kinds of limits, but high enough to refuse no send.
 */
export interface Scene extends Shipped {
  limited: Shipped;
  upstream: Program;
  receiver: Program;
  end(): Promise<void>;
}

const UNLIMITED = { GATEWAY_LINE_RATE: 'off', GATEWAY_PAIR_LIMIT: 'off' };
const LIMITED = { GATEWAY_LINE_RATE: '100000', GATEWAY_PAIR_LIMIT: '100000' };

/** @param nodeOptions options of the gateway's process, such as `--cpu-prof` */
export async function setScene(nodeOptions: string[] = []): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const [upstream, receiver] = await Promise.all([startProgram('upstream'), startProgram('receiver')]);
  const start = (name: string, limits: Record<string, string>) =>
    startShipped(
      settings(`sqlite:${join(folder, `${name}.db`)}`, {
        GATEWAY_UPSTREAM_URL: upstream.url,
        GATEWAY_APP_SECRET: APP_SECRET,
        ...limits,
      }),
      `${receiver.url}/hook`,
      nodeOptions,
    );
  const unlimited = await start('gateway', UNLIMITED);
  const limited = await start('limited', LIMITED);
  return {
    ...unlimited,
    limited,
    upstream,
    receiver,
    async end() {
      await Promise.all([unlimited.gateway.end(), limited.gateway.end()]);
      await Promise.all([upstream.end(), receiver.end()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param before runs after the line was added and before the process starts */
export async function startShipped(
  env: Record<string, string>,
  forwardUrl: string,
  nodeOptions: string[],
  before: () => void = () => {},
): Promise<Shipped> {
  const added = await runCommand(
    [
      ...['line', 'add', '--name', 'Bench', '--phone-number', '15550783881', '--waba-id', WABA_ID],
      ...['--phone-number-id', PHONE_NUMBER_ID, '--access-token-file', secretFile('upstream-access-token')],
      ...['--app-secret-file', secretFile('app-secret-of-this-line'), '--forward-url', forwardUrl, '--json'],
    ],
    env,
  );
  if (added.code !== 0) throw new Error(added.stderr);
  before();
  const gateway = await startProcess(env, { nodeOptions });
  process.once('exit', () => void gateway.end('SIGKILL'));
  return { gateway, env, token: (JSON.parse(added.stdout) as { token: string }).token };
}
