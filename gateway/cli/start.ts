import { readConfig } from '../config';
import { SECOND } from '../time';
import { createLog, startGateway, type RunningGateway } from './start-gateway';

/** What is still on its way when the program is asked to end has this long to finish. */
const DRAIN = 30 * SECOND;

/** `start`: serves until it is asked to end. */
export async function start(_args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const gateway = await startGateway(readConfig(env), createLog());
  await untilAskedToEnd(gateway);
}

/** Resolves once the gateway has ended after SIGINT (Ctrl-C) or SIGTERM. A second one ends it at once. */
export async function untilAskedToEnd(gateway: RunningGateway): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  setTimeout(() => process.exit(1), DRAIN).unref();
  await gateway.stop();
}
