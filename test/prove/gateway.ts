import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/http-peer';
import { logLines, MAIN, runCommand } from '../support/gateway-process';
import { freePort } from '../support/postgres';
import { secretFile } from '../support/secret-file';
import { APP_SECRET, PHONE_NUMBER_ID, settings, WABA_ID } from '../support/test-gateway';
import { type Stage } from './proof';

/** A gateway process. Unlike the tests' own it can be killed before it listens, and logs into a file. */
export interface Gateway {
  url: string;
  pid: number;
  /** Rejects where it ends before it listens. */
  listening: Promise<void>;
  /** Its exit code; null where a signal ended it. */
  ended: Promise<number | null>;
  /** All that it has put out so far. */
  said(): string;
  logged(): Record<string, unknown>[];
  /** @returns as `ended` */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** What it has in memory, in MB; NaN where the system does not tell. */
  memory(): number;
}

/** Settings of a gateway with a port of its own, which it keeps over restarts. */
export async function settingsOf(
  { databaseUrl }: Pick<Stage, 'databaseUrl'>,
  more: Record<string, string> = {},
): Promise<Record<string, string>> {
  return settings(databaseUrl, {
    GATEWAY_PORT: String(await freePort()),
    GATEWAY_APP_SECRET: APP_SECRET,
    // Nobody is asked: what is proved here goes from upstream to receivers.
    GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9',
    GATEWAY_LINE_RATE: 'off',
    GATEWAY_TOKEN_RATE: 'off',
    GATEWAY_PAIR_LIMIT: 'off',
    ...more,
  });
}

export const urlOf = (env: Record<string, string>): string => `http://127.0.0.1:${env.GATEWAY_PORT}`;

/** Adds the line, before or while a gateway runs. @returns its token */
export const addLine = (env: Record<string, string>, ...words: string[]): Promise<string> =>
  addLineBy(MAIN, env, ...words);

/** @param main the version of the program that the database is of */
export async function addLineBy(
  main: string,
  env: Record<string, string>,
  ...words: string[]
): Promise<string> {
  const added = await runCommand(
    [
      ...['line', 'add', '--name', 'Proof', '--phone-number', '15550783881', '--waba-id', WABA_ID],
      ...['--phone-number-id', PHONE_NUMBER_ID, '--access-token-file', secretFile('upstream-access-token')],
      ...['--app-secret-file', secretFile('app-secret-of-this-line'), '--json', ...words],
    ],
    env,
    undefined,
    main,
  );
  if (added.code !== 0) throw new Error(added.stderr);
  return (JSON.parse(added.stdout) as { token: string }).token;
}

/** Adds a destination to the line beside its forwarding URL, while a gateway runs. */
export async function addDestination(env: Record<string, string>, token: string, url: string): Promise<void> {
  const answer = await fetch(`${urlOf(env)}/v22.0/${PHONE_NUMBER_ID}/destinations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/**
 * Starts it as a user does. It is killed at the end of the proof, if it still runs.
 * @param main another version of the program
 */
export function launch(stage: Stage, env: Record<string, string>, main = MAIN): Gateway {
  const logFile = join(stage.folder, `gateway-${env.GATEWAY_PORT}.log`);
  const log = openSync(logFile, 'a');
  const skip = readFileSync(logFile).length;
  const child = spawn(process.execPath, [main, 'start'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const said = () => readFileSync(logFile).subarray(skip).toString('utf8');
  const logged = () => logLines(said());
  let over = false;
  void ended.then(() => (over = true));
  const listening = until(
    () => over || logged().some(({ msg }) => msg === 'listening'),
    60_000,
    () => `it does not listen: ${said().slice(-2000)}`,
  ).then(() => {
    if (over) throw new Error(`It ended before it listened: ${said().slice(-2000)}`);
  });
  // Whoever does not wait for it to listen need not hear that it never did.
  listening.catch(() => undefined);
  const pid = child.pid ?? 0;
  const gateway: Gateway = {
    url: urlOf(env),
    pid,
    listening,
    ended,
    said,
    logged,
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
    memory: () => memoryOf(pid),
  };
  stage.atEnd(() => gateway.end('SIGKILL'));
  return gateway;
}

/**
 * A gateway with one line, which listens already.
 * @param words for its line, as `--forward-url` and an address
 * @param more settings
 */
export async function launchWithLine(
  stage: Stage,
  words: string[],
  more: Record<string, string> = {},
): Promise<{ env: Record<string, string>; token: string; gateway: Gateway }> {
  const env = await settingsOf(stage, more);
  const token = await addLine(env, ...words);
  const gateway = launch(stage, env);
  await gateway.listening;
  return { env, token, gateway };
}

function memoryOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}
