import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** How a program ended: its exit code, or the signal that ended it. */
export interface ProgramEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program that runs beside us until it is stopped. */
export interface ChildProgram {
  name: string;
  pid: number;
  logFile: string;
  /** What it has printed since this start (standard output and error together). */
  printed(): string;
  /** How it ended, or undefined while it runs. */
  ended(): ProgramEnd | undefined;
  /** Resolves when it has ended. */
  whenEnded: Promise<ProgramEnd>;
  /** SIGTERM, then waits for its end; SIGKILL after `graceMs`. */
  stop(graceMs?: number): Promise<ProgramEnd>;
  /** SIGKILL (kill -9), then waits for its end. */
  kill(): Promise<ProgramEnd>;
}

/**
 * Starts a program; what it prints goes straight to `logFile`, after what is there already.
 * It shares our process group on purpose: Ctrl-C in a terminal, or a time limit on the whole group, ends it too.
 */
export function startProgram(options: {
  name: string;
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  logFile: string;
}): ChildProgram {
  const { name, command, args, cwd, env, logFile } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  const begin = statSync(logFile).size;
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', log, log] });
  closeSync(log);

  let end: ProgramEnd | undefined;
  const whenEnded = new Promise<ProgramEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve((end = { code, signal })));
  });
  whenEnded.catch(() => undefined); // a program that could not start is reported by whoever waits for it

  return {
    name,
    pid: child.pid ?? 0,
    logFile,
    printed: () => readFileSync(logFile).subarray(begin).toString('utf8'),
    ended: () => end,
    whenEnded,
    stop: async (graceMs = 20_000) => {
      if (!end) child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      return whenEnded.finally(() => clearTimeout(timer));
    },
    kill: () => {
      if (!end) child.kill('SIGKILL');
      return whenEnded;
    },
  };
}

/** The last lines that the program printed, for an error message. */
export function lastLines(program: Pick<ChildProgram, 'name' | 'logFile' | 'printed'>, count = 15): string {
  const lines = program.printed().trimEnd().split('\n').slice(-count).join('\n');
  return `The last lines of ${program.name} (${program.logFile}):\n${lines}`;
}

/**
 * The surroundings that every child gets: the pinned Node first on the path, the user's home and language, and
 * nothing else, so that settings of another n8n or gateway in the caller's shell do not leak in.
 */
export function plainEnvironment(): Record<string, string> {
  const kept = ['HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];
  const environment = Object.fromEntries(
    kept.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]])),
  ) as Record<string, string>;
  return { ...environment, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` };
}
