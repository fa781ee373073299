import { parseArgs } from 'node:util';
import { readConfig, unknownSettings } from '../config';
import { SECOND } from '../time';
import { startGateway, tellListening, type RunningGateway } from '../gateway';
import { createLog } from '../log';
import { returnMemoryAfterStart } from '../primitives/return-memory';

/** It has ended after 30 seconds at the latest, also where its database does not answer; nothing else lasts as long. */
const DRAIN = 28 * SECOND;

/** npm tells a program of the Ctrl-C that the terminal has told it of already: so soon, it is the same one. */
const SAME_REQUEST = SECOND / 4;

/** `start`: serves until it is asked to end. */
export async function start(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  parseArgs({ args, options: {} });
  await serve(async () => {
    const config = readConfig(env);
    const log = createLog(config);
    for (const setting of unknownSettings(env))
      log.warn({ setting }, 'there is no such setting, it is ignored: "help config" shows all');
    const gateway = await startGateway(config, log);
    tellListening(log, gateway);
    // Beside the log, which is kept and sent elsewhere.
    if (gateway.setUpUrl !== null) process.stderr.write(setUpSentence(gateway.setUpUrl));
    return gateway;
  });
}

const setUpSentence = (url: string): string =>
  `The control panel has no user yet. Set up the first one here, once and within a day:\n  ${url}\n`;

/**
 * Starts a gateway, and resolves once it has ended after SIGINT (Ctrl-C) or SIGTERM; one that comes while it starts
 * counts too. A second one ends it at once.
 */
export async function serve(begin: () => Promise<RunningGateway>): Promise<void> {
  const asked = askedToEnd();
  const gateway = await begin();
  returnMemoryAfterStart();
  const signal = await asked;
  setTimeout(() => process.exit(1), DRAIN).unref();
  // Ctrl-C is somebody who waits; all else that ends a program has clients that others serve from now on.
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
