import { parseArgs } from 'node:util';
import { readConfig, unknownSettings } from '../config';
import { SECOND } from '../time';
import { type RunningGateway } from '../gateway';
import { startGateway, tellListening } from '../start-gateway';
import { createLog } from '../log';
import { boundHeap, optimizeAfterStart, returnMemoryAtRest } from '../primitives/memory';
import { warnOfOpenFiles } from './open-files';

/**
 * The process exits within 30 seconds even if the database does not answer. All other steps of a stop are
 * shorter.
 */
const DRAIN = 28 * SECOND;

/** npm repeats the terminal's Ctrl-C; a second signal this soon counts as the same one. */
const SAME_REQUEST = SECOND / 4;

/** Runs `start`: serves until a signal stops the process. */
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
    // Not logged, because logs are stored and forwarded.
    if (gateway.setUpUrl !== null) process.stderr.write(setUpSentence(gateway.setUpUrl));
    return gateway;
  });
}

const setUpSentence = (url: string): string =>
  `The control panel has no user yet. Set up the first one here, once and within a day:\n  ${url}\n`;

/**
 * Starts a gateway and resolves after it was stopped by SIGINT (Ctrl-C) or SIGTERM, even during the start. A
 * second signal ends the process immediately.
 * @param begin starts the gateway; its signal aborts while it waits for the database
 */
export async function serve(begin: (ends: AbortSignal) => Promise<RunningGateway>): Promise<void> {
  boundHeap();
  const isOver = optimizeAfterStart();
  const asked = askedToEnd();
  const ending = new AbortController();
  void asked.then(() => ending.abort());
  const gateway = await begin(ending.signal).catch((error: unknown) => {
    if ((error as Error).name === 'AbortError') return null;
    throw error;
  });
  isOver();
  if (!gateway) return;
  returnMemoryAtRest();
  const signal = await asked;
  setTimeout(() => process.exit(1), DRAIN).unref();
  // Only SIGTERM gives clients notice, because another process takes over. After Ctrl-C, a user is waiting.
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
