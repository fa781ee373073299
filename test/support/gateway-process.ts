import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { until } from './http-peer';

/** The shipped program. */
export const MAIN = join(__dirname, '../../gateway/dist/main.js');

/** Keeps the machine's own settings out of the program's environment. */
const environment = (env: Record<string, string>): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, ...env });

/** The result of a command. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command of `messaging-gateway` until it exits, without a terminal.
 * @param main path of another version of the program
 */
export async function runCommand(
  words: string[],
  env: Record<string, string> = {},
  cwd?: string,
  main = MAIN,
): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...words], {
    env: environment(env),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = textOf(child.stdout);
  const stderr = textOf(child.stderr);
  const code = await whenClosed(child);
  return { code, stdout: stdout(), stderr: stderr() };
}

/** A running gateway in its own process. */
export interface GatewayProcess {
  /** The URL from its output. */
  url: string;
  /** The URL of its embedded sandbox; empty without one. */
  sandboxUrl: string;
  pid: number;
  stdout(): string;
  stderr(): string;
  /**
   * Stops the process with the signal; default SIGINT.
   * @returns its exit code; null if the signal killed it
   */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** @param words `['start']` or `['quick-start']`, after Node's own options @param main path of a copy of the program */
export async function startProcess(
  env: Record<string, string>,
  {
    words = ['start'],
    cwd,
    nodeOptions = [],
    main = MAIN,
  }: { words?: string[]; cwd?: string; nodeOptions?: string[]; main?: string } = {},
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [...nodeOptions, main, ...words], {
    env: environment(env),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = textOf(child.stdout);
  const stderr = textOf(child.stderr);
  const closed = whenClosed(child);
  const listening = () => logLines(stdout()).find(({ msg }) => msg === 'listening');
  await until(
    () => listening() !== undefined || child.exitCode !== null,
    30_000,
    () => `it does not listen: ${stdout()}${stderr()}`,
  ).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const { url, sandbox = '' } = listening() ?? {};
  if (typeof url !== 'string') throw new Error(`It ended before it listened: ${stdout()}${stderr()}`);
  return {
    url,
    sandboxUrl: String(sandbox),
    pid: child.pid ?? 0,
    stdout,
    stderr,
    end: (signal = 'SIGINT') => {
      child.kill(signal);
      return closed;
    },
  };
}

/** Parses the JSON lines of a gateway's log. */
export const logLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const whenClosed = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
