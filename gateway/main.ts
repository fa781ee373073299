import { runCommand, WRONG_SETTINGS } from './cli/run';
import { keepFilesToOwner } from './files/file-modes';

/**
 * Threads for what Node cannot ask the system for without waiting. Half of them may look up names: with Node's own 4,
 * two destinations whose name servers are silent would keep all others, and the platform, from being connected to
 * (`http/destination-address.ts`).
 */
const THREADS = 128;

const OLDEST_NODE = 24;

async function main(words: string[]): Promise<number> {
  if (Number.parseInt(process.versions.node) < OLDEST_NODE) {
    process.stderr.write(
      `The gateway needs Node.js ${OLDEST_NODE} or later, and this is ${process.version}. Install a newer one and try again.\n`,
    );
    return WRONG_SETTINGS;
  }
  keepFilesToOwner();
  // Read when the first of them is needed, which nothing has done by now.
  process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
  return runCommand(words, process.env);
}

// The reader of the pipe has ended, such as `head`: a command still finishes its work, and a gateway
// continues.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

// A code that is set, not an exit: what still waits to be written to a pipe is written.
void main(process.argv.slice(2)).then((code) => {
  if (code) process.exitCode = code;
});
