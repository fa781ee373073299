import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

/** A server of the benchmark in its own process, on loopback. */
export interface Program {
  url: string;
  /** One URL per port, including the first. */
  urls: string[];
  pid: number;
  end(): Promise<void>;
}

/**
 * @param name a file in `programs/` that prints its ports once it listens; TypeScript if it has no extension
 */
export async function startProgram(name: string, ...words: string[]): Promise<Program> {
  // Passes on this process's options, which load TypeScript.
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

/** CPU ticks per second on Linux. */
const TICKS_A_SECOND = 100;

/**
 * Returns the CPU milliseconds of all threads of a process, and of the child processes that it started and that have
 * ended, such as PostgreSQL's autovacuum; NaN if the system does not report them.
 */
export function cpuOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  // The name in brackets can contain blanks. User and system time are fields 14 and 15, those of ended children 16 and
  // 17.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / TICKS_A_SECOND;
}

/** Returns the CPU milliseconds of several processes. One that has ended counts as a child of another. */
export const cpuOfAll = (pids: number[]): number => pids.reduce((sum, pid) => sum + cpuUnlessEnded(pid), 0);

function cpuUnlessEnded(pid: number): number {
  try {
    return cpuOf(pid);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as { code?: string }).code ?? '')) return 0;
    throw error;
  }
}

/** Returns the resident memory of a process in MB; NaN if the system does not report it. */
export function memoryOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
