import { join } from 'node:path';
import { lastLines, plainEnvironment, startProgram, type ChildProgram } from './child-program';
import { REPOSITORY } from './n8n-home';
import { waitUntil } from './wait-until';

/** The real gateway with its embedded sandbox, serving, until it is stopped or killed. */
export interface RunningGateway {
  url: string;
  /** The address of the embedded sandbox; it may be another one after the next start. */
  sandboxUrl: string;
  /** The one-time link for the first user of the control panel; undefined where there is one already. */
  setUpUrl: string | undefined;
  program: ChildProgram;
  stop(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

/** Less than a second on a quiet machine. */
const START_WITHIN_MS = 120_000;

/**
 * Starts the built gateway as `npm start` does, with all that it keeps in `folder`, and returns when it serves.
 * Throws, with its last lines, when it ends before that or does not serve within two minutes.
 */
export async function startGateway(options: {
  folder: string;
  port: number;
  logFile: string;
  /** More settings. */
  env?: Record<string, string>;
}): Promise<RunningGateway> {
  const { folder, port, logFile, env = {} } = options;
  const program = startProgram({
    name: 'the gateway',
    command: process.execPath,
    args: [join(REPOSITORY, 'gateway', 'dist', 'main.js'), 'quick-start'],
    cwd: folder,
    env: {
      ...plainEnvironment(),
      GATEWAY_PORT: String(port),
      GATEWAY_DATABASE_URL: `sqlite:${join(folder, 'gateway.db')}`,
      ...env,
    },
    logFile,
  });
  try {
    const [url, sandboxUrl] = await waitUntil('the gateway to serve', () => whereItServes(program), {
      withinMs: START_WITHIN_MS,
      detail: () => lastLines(program),
    });
    return {
      url,
      sandboxUrl,
      setUpUrl: /http\S+\/panel\/set-up\S+/.exec(program.printed())?.[0],
      program,
      stop: async () => void (await program.stop()),
      kill: async () => void (await program.kill()),
    };
  } catch (error) {
    await program.kill();
    throw error;
  }
}

/** Whether something answers at that address as a gateway does: with its own refusal of a call without a token. */
export async function isGatewayAt(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/v22.0/0/status`).catch(() => undefined);
  if (answer?.status !== 401) return false;
  const body = (await answer.json().catch(() => ({}))) as { error_code?: string };
  return body.error_code === 'missing_token';
}

/** The gateway's address from its log line `listening`, the sandbox's from the words for the person who tries it. */
function whereItServes(program: ChildProgram): [string, string] | undefined {
  const end = program.ended();
  if (end) {
    throw new Error(`The gateway ended (${end.signal ?? end.code}) while it started. ${lastLines(program)}`);
  }
  const printed = program.printed();
  const listening = /^\{.*"msg":"listening".*\}$/m.exec(printed)?.[0];
  const sandboxUrl = /(http:\/\/[\d.:]+)\/sandbox\//.exec(printed)?.[1];
  if (!listening || !sandboxUrl) return undefined;
  return [(JSON.parse(listening) as { url: string }).url, sandboxUrl];
}
