import { join } from 'node:path';
import { offline } from '../../../gateway/cli/offline';
import { runCommand } from '../../../gateway/cli/run';
import { temporaryFolder } from '../../support/databases';
import { startProcess, type Ended, type GatewayProcess } from '../../support/gateway-process';
import { startPeer, type HttpPeer } from '../../support/http-peer';
import { call } from '../../support/scene';
import { secretFile } from '../../support/secret-file';
import { settings } from '../../support/test-gateway';

export const PHONE_NUMBER_ID = '106540352242922';
export const ACCESS_TOKEN = 'upstream-credential-of-the-line';
export const LINE_SECRET = 'app-secret-of-the-line';

/** The fields that `line add` cannot do without. */
export const LINE_FIELDS = [
  ...['--name', 'My shop'],
  ...['--phone-number-id', PHONE_NUMBER_ID],
  ...['--phone-number', '+1 555-078-3881'],
  ...['--waba-id', '102290129340398'],
  ...['--access-token-file', secretFile(ACCESS_TOKEN)],
  ...['--app-secret-file', secretFile(LINE_SECRET)],
];

/** Settings with a SQLite file of its own. */
export const freshSettings = (more: Record<string, string> = {}): Record<string, string> =>
  settings(`sqlite:${join(temporaryFolder(), 'gateway.db')}`, more);

/** Runs a command in this process, which takes a tenth of the time of one of its own; one after the other. */
export async function command(words: string[], env: Record<string, string>): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'] as const;
  const writers = streams.map((name) => process[name].write);
  for (const name of streams)
    process[name].write = (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    };
  try {
    const code = await runCommand(words, env);
    return { code, ...written };
  } finally {
    streams.forEach((name, index) => Object.assign(process[name], { write: writers[index] }));
  }
}

/** Runs a command that must succeed. @returns what it printed with --json */
export async function json<T>(words: string[], env: Record<string, string>): Promise<T> {
  const { code, stdout, stderr } = await command([...words, '--json'], env);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

export interface AddedLine {
  line: Record<string, unknown> & { id: number };
  token: string;
  token_id: number;
  handshake?: object;
}

export const addLine = (env: Record<string, string>, ...more: string[]): Promise<AddedLine> =>
  json<AddedLine>(['line', 'add', ...LINE_FIELDS, ...more], env);

/** The lines that the database holds. */
export const storedLines = (env: Record<string, string>) =>
  offline(env, ({ store }) => store.lines.all(), 'first command');

const running: GatewayProcess[] = [];
const peers: HttpPeer[] = [];

/** As `startProcess`; whatever is left of it after the test is ended. */
export async function start(...given: Parameters<typeof startProcess>): Promise<GatewayProcess> {
  const gateway = await startProcess(...given);
  running.push(gateway);
  return gateway;
}

/** As `startPeer`, but does not keep the handshakes that commands try; closed after the test. */
export async function peer(...[answer, port]: Parameters<typeof startPeer>): Promise<HttpPeer> {
  const started: HttpPeer = await startPeer((request, response) => {
    if (!request.url.includes('hub.challenge=')) return answer?.(request, response);
    started.received.splice(started.received.indexOf(request), 1);
    return { status: 404 };
  }, port);
  peers.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.end('SIGKILL')));
  await Promise.all(peers.splice(0).map((one) => one.close()));
});

/** One request of a customer. @returns its status and error_code */
export async function ask(
  gateway: { url: string },
  token: string,
  path: string,
  body?: object,
): Promise<{ status: number; errorCode?: string }> {
  const answer = await call(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { error_code: errorCode } = answer.body as { error_code?: string };
  return { status: answer.status, ...(errorCode && { errorCode }) };
}

export const TEXT = { to: '16505551234', type: 'text', text: { body: 'Hello' } };
