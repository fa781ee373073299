import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, plainEnvironment, startProgram, type ChildProgram } from './child-program';
import { freePort } from '../support/postgres';
import { type InstalledN8n } from './install-n8n';
import { releaseOf } from './n8n-versions';
import { waitUntil } from './wait-until';

/** A real n8n that answers, until it is stopped or killed. */
export interface RunningN8n {
  url: string;
  program: ChildProgram;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** A first start makes the database, about 10 s on two cores; a later one takes half of that. */
const START_WITHIN_MS = 300_000;

/**
 * Starts that n8n with its data in `userFolder`/.n8n, on 127.0.0.1 only, and returns when its editor can be used.
 * n8n makes its encryption key itself and keeps it there. What it prints goes to `logFile`.
 * Throws, with its last lines, when it ends before that or is not ready within two minutes.
 */
export async function startN8n(options: {
  n8n: InstalledN8n;
  userFolder: string;
  port: number;
  logFile: string;
  /** Where others reach its webhooks, if that is not its own address. */
  webhookUrl?: string;
  /** Settings beside ours. */
  environment?: Record<string, string>;
}): Promise<RunningN8n> {
  const { n8n, userFolder, port, logFile } = options;
  const url = `http://127.0.0.1:${port}`;
  const webhookUrl = options.webhookUrl ?? url;
  mkdirSync(userFolder, { recursive: true });
  const program = startProgram({
    name: 'n8n',
    command: n8n.nodeBinary,
    args: [n8n.bin, 'start'],
    cwd: userFolder, // n8n reads a .env file where it is started
    env: {
      ...plainEnvironment(),
      ...settings({ userFolder, port, url, webhookUrl, brokerPort: await freePort() }),
      ...releaseOf(n8n.version).environment,
      // Beside the installation: a later start compiles nothing again, a third of what it takes.
      NODE_COMPILE_CACHE: join(n8n.directory, 'compiled'),
      ...options.environment,
    },
    logFile,
  });
  try {
    await waitUntil('n8n to open its editor', () => isReady(program, url), {
      withinMs: START_WITHIN_MS,
      everyMs: 250,
      detail: () => lastLines(program),
    });
  } catch (error) {
    await program.kill();
    throw error;
  }
  return {
    url,
    program,
    stop: async () => void (await program.stop()),
    kill: async () => void (await program.kill()),
  };
}

/**
 * Nothing that calls home, no set-up questions, every execution kept so that it can be read back, and community
 * packages loaded although they are not verified.
 */
function settings(of: {
  userFolder: string;
  port: number;
  url: string;
  webhookUrl: string;
  brokerPort: number;
}): Record<string, string> {
  return {
    N8N_USER_FOLDER: of.userFolder,
    N8N_PORT: String(of.port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_WEBHOOK_URL: `${of.webhookUrl}/`,
    WEBHOOK_URL: `${of.webhookUrl}/`, // its name before 2.41
    N8N_EDITOR_BASE_URL: of.url,
    N8N_SECURE_COOKIE: 'false',
    N8N_RUNNERS_BROKER_PORT: String(of.brokerPort),
    N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
    N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
  };
}

/** `/healthz` answers before the nodes are loaded: what the editor asks first and the last line of the start count. */
async function isReady(program: ChildProgram, url: string): Promise<true | undefined> {
  const end = program.ended();
  if (end) throw new Error(`n8n ended (${end.signal ?? end.code}) while it started. ${lastLines(program)}`);
  if (!program.printed().includes('Editor is now accessible')) return undefined;
  const answer = await fetch(`${url}/rest/settings`).catch(() => undefined);
  return answer?.ok ? true : undefined;
}
