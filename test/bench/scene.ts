import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, startProcess, type GatewayProcess } from '../support/gateway-process';
import { APP_SECRET, PHONE_NUMBER_ID, settings, WABA_ID } from '../support/test-gateway';
import { startProgram, type Program } from './processes';

/** A gateway as it is shipped, with one line, between an upstream and a receiver: four processes beside this one. */
export interface Scene {
  gateway: GatewayProcess;
  upstream: Program;
  receiver: Program;
  token: string;
  end(): Promise<void>;
}

/** @param nodeOptions of the gateway's process, as `--cpu-prof` */
export async function setScene(nodeOptions: string[] = []): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const [upstream, receiver] = await Promise.all([startProgram('upstream'), startProgram('receiver')]);
  const env = settings(`sqlite:${join(folder, 'gateway.db')}`, {
    GATEWAY_UPSTREAM_URL: upstream.url,
    GATEWAY_APP_SECRET: APP_SECRET,
  });
  const added = await runCommand(
    [
      ...['line', 'add', '--name', 'Bench', '--phone-number', '15550783881', '--waba-id', WABA_ID],
      ...['--phone-number-id', PHONE_NUMBER_ID, '--access-token', 'upstream-access-token'],
      ...['--app-secret', 'app-secret-of-this-line', '--forward-url', `${receiver.url}/hook`, '--json'],
    ],
    env,
  );
  if (added.code !== 0) throw new Error(added.stderr);
  const gateway = await startProcess(env, { nodeOptions });
  process.once('exit', () => void gateway.end('SIGKILL'));
  return {
    gateway,
    upstream,
    receiver,
    token: (JSON.parse(added.stdout) as { token: string }).token,
    async end() {
      await gateway.end();
      await Promise.all([upstream.end(), receiver.end()]);
      rmSync(folder, { recursive: true });
    },
  };
}
