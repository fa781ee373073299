import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/http-peer';
import { logLines, MAIN, runCommand } from '../support/gateway-process';
import { freePort } from '../support/postgres';
import { secretFile } from '../support/secret-file';
import { APP_SECRET, PHONE_NUMBER_ID, settings, WABA_ID } from '../support/test-gateway';
import { type Stage } from './proof';

/**
 * A gateway process. Unlike the one in test support, it can be killed before it listens, and logs to a file.
 */
export interface Gateway {
  url: string;
  pid: number;
  /** Rejects if the process ends before it listens. */
  listening: Promise<void>;
  /** The exit code; null if a signal ended the process. */
  ended: Promise<number | null>;
  /** The whole output so far. */
  said(): string;
  logged(): Record<string, unknown>[];
  /**
   * Ends the process.
   * @returns like `ended`
   */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resident memory in MB; NaN if the system does not report it. */
  memory(): number;
}

/** Settings of a gateway with a fixed port, which it keeps after restarts. */
export async function settingsOf(
  { databaseUrl }: Pick<Stage, 'databaseUrl'>,
  more: Record<string, string> = {},
): Promise<Record<string, string>> {
  return settings(databaseUrl, {
    GATEWAY_PORT: String(await freePort()),
    GATEWAY_APP_SECRET: APP_SECRET,
    // Nothing listens at this address; proofs only forward events.
    GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9',
    GATEWAY_LINE_RATE: 'off',
    GATEWAY_TOKEN_RATE: 'off',
    GATEWAY_PAIR_LIMIT: 'off',
    ...more,
  });
}

export const urlOf = (env: Record<string, string>): string => `http://127.0.0.1:${env.GATEWAY_PORT}`;

/**
 * Adds the line, before or while a gateway runs.
 * @returns its token
 */
export const addLine = (env: Record<string, string>, ...words: string[]): Promise<string> =>
  addLineBy(MAIN, env, ...words);

/** @param main program of the database's version */
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

/** Adds a destination to the line, besides its forwarding URL, while a gateway runs. */
export async function addDestination(env: Record<string, string>, token: string, url: string): Promise<void> {
  const answer = await fetch(`${urlOf(env)}/v22.0/${PHONE_NUMBER_ID}/destinations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/**
 * Starts a gateway like a user. It is killed at the end of the proof.
 * @param main path of another version of the program
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
  // Handled here for callers that do not wait for it.
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
 * Starts a gateway with one line and waits until it listens.
 * @param words options of the line, such as `--forward-url` and a URL
 * @param more additional settings
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
