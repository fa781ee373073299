import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { until } from './http-peer';

/** The program, as it is shipped. */
export const MAIN = join(__dirname, '../../gateway/dist/main.js');

/** Settings of the machine on which a test runs must not reach the program. */
const environment = (env: Record<string, string>): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, ...env });

/** What a command came to. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * The program `messaging-gateway`, run to its end; nobody is at its terminal.
 * @param main another version of it
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

/** A gateway that serves, in a process of its own. */
export interface GatewayProcess {
  /** Where it listens, as it says itself. */
  url: string;
  /** Of its embedded sandbox; empty where it has none. */
  sandboxUrl: string;
  pid: number;
  stdout(): string;
  stderr(): string;
  /** By Ctrl-C where nothing is said. @returns its exit code; null where the signal itself ended it */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** @param words `['start']` or `['quick-start']`, after options of Node's own */
export async function startProcess(
  env: Record<string, string>,
  {
    words = ['start'],
    cwd,
    nodeOptions = [],
  }: { words?: string[]; cwd?: string; nodeOptions?: string[] } = {},
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [...nodeOptions, MAIN, ...words], {
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

/** The lines of JSON that a gateway logs. */
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
