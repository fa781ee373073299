import { runCommand } from './cli/run';
import { keepFilesToOwner } from './files/file-modes';
import { beforeFirstRelease } from './primitives/memory';

/**
 * Threads for what Node cannot ask the system for without waiting. Half of them may look up names: with Node's own 4,
 * two destinations whose name servers are silent would keep all others, and the platform, from being connected to
 * (`http/destination-address.ts`).
 */
const THREADS = 128;

/**
 * Runs a command.
 * @param keepCompiled keeps the compiled form of what has run so far, for the next start; null if that is there
 */
export async function main(words: string[], keepCompiled: (() => void) | null): Promise<void> {
  keepFilesToOwner();
  // Read when the first of them is needed, which nothing has done by now.
  process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
  if (keepCompiled) beforeFirstRelease(keepCompiled);
  const code = await runCommand(words, process.env);
  // A code that is set, not an exit: what still waits to be written to a pipe is written.
  if (code) process.exitCode = code;
}

// The reader of the pipe has ended, such as `head`: a command still finishes its work, and a gateway
// continues.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

// Compiled file by file, as tests use it, there is no launcher.
if (require.main === module) void main(process.argv.slice(2), null);
