import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

/** A server of the bench in a process of its own, on loopback. */
export interface Program {
  url: string;
  /** One for each port that it listens on, the first included. */
  urls: string[];
  pid: number;
  end(): Promise<void>;
}

/** @param name a file of `programs/`, which prints its ports once it listens; TypeScript where it has no ending */
export async function startProgram(name: string, ...words: string[]): Promise<Program> {
  // The options of this process load TypeScript.
  const child = spawn(
    process.execPath,
    [...process.execArgv, join(__dirname, 'programs', name.includes('.') ? name : `${name}.ts`), ...words],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const urls = (await firstLine(child)).split(' ').map((port) => `http://127.0.0.1:${port}`);
  return {
    url: urls[0] ?? '',
    urls,
    pid: child.pid ?? 0,
    end: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill();
      }),
  };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('The program has no standard output');
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('The program ended before it listened');
}

/** Ticks of CPU time that Linux counts in a second. */
const TICKS_A_SECOND = 100;

/** Milliseconds of CPU that a process has used, all its threads together; NaN where the system does not tell. */
export function cpuOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  // The name, in brackets, may hold blanks; user and system time are the 14th and 15th field.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_A_SECOND;
}

/** Megabytes that a process has in memory; NaN where the system does not tell. */
export function memoryOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
