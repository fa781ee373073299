import { parseArgs } from 'node:util';
import { readConfig, unknownSettings } from '../config';
import { SECOND } from '../time';
import { startGateway, tellListening, type RunningGateway } from '../gateway';
import { createLog } from '../log';
import { returnMemoryAfterStart } from '../primitives/return-memory';
import { warnOfOpenFiles } from './open-files';

/**
 * It ends after 30 seconds at the latest, even if its database does not answer; everything else is shorter.
 */
const DRAIN = 28 * SECOND;

/** npm sends the Ctrl-C of the terminal once more: a second one so soon is the same. */
const SAME_REQUEST = SECOND / 4;

/** `start`: runs until it is asked to stop. */
export async function start(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  parseArgs({ args, options: {} });
  await serve(async (ends) => {
    const config = readConfig(env);
    const log = createLog(config);
    for (const setting of unknownSettings(env))
      log.warn({ setting }, 'there is no such setting, it is ignored: "help config" shows all');
    warnOfOpenFiles(config, env, log);
    const gateway = await startGateway(config, log, null, true, null, ends);
    tellListening(log, gateway);
    // Beside the log, which is kept and sent elsewhere.
    if (gateway.setUpUrl !== null) process.stderr.write(setUpSentence(gateway.setUpUrl));
    return gateway;
  });
}

const setUpSentence = (url: string): string =>
  `The control panel has no user yet. Set up the first one here, once and within a day:\n  ${url}\n`;

/**
 * Starts a gateway, and resolves when it has ended after SIGINT (Ctrl-C) or SIGTERM, also if the signal came
 * during the start. A second signal ends it immediately.
 * @param begin called for a signal while it waits for its database
 */
export async function serve(begin: (ends: AbortSignal) => Promise<RunningGateway>): Promise<void> {
  const asked = askedToEnd();
  const ending = new AbortController();
  void asked.then(() => ending.abort());
  const gateway = await begin(ending.signal).catch((error: unknown) => {
    if ((error as Error).name === 'AbortError') return null;
    throw error;
  });
  if (!gateway) return;
  returnMemoryAfterStart();
  const signal = await asked;
  setTimeout(() => process.exit(1), DRAIN).unref();
  // After Ctrl-C a person waits; other signals come while another process takes over the clients.
  await gateway.stop(signal === 'SIGTERM');
}

function askedToEnd(): Promise<'SIGINT' | 'SIGTERM'> {
  let askedAt: number | undefined;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        askedAt ??= Date.now();
        if (Date.now() - askedAt > SAME_REQUEST) process.exit(1);
        resolve(signal);
      });
    }
  });
}
