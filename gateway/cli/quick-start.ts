import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isSet, readConfig, readSetting, type Config } from '../config';
import { SettingError } from '../errors';
import { hashOf } from '../primitives/token-format';
import { createToken } from '../lines/tokens';
import { WINDOW_LENGTH } from '../messages/customer-service-window';
import { commandPrefix, isCheckout } from '../program-folder';
import { DEMO_CONTACT, DEMO_LINE } from '../sandbox/platform/account';
import { SECOND } from '../time';
import { addFirstLine } from './lines/line';
import { accountOfMachine, commandActor, offline } from './offline';
import { warnOfOpenFiles } from './open-files';
import { print } from './print';
import { serve } from './start';
import { dataFolder, sqliteFile } from '../files/data-folder';
import { firstLineIn } from '../store/sqlite/first-line';
import { type RunningGateway } from '../gateway';
import { startGateway, tellListening } from '../start-gateway';
import { createLog } from '../log';

/**
 * Defaults for `quick-start`. Loopback destinations are allowed, so that the gateway can call a workflow on
 * this machine.
 */
const LOCAL_DEFAULTS: Partial<Record<keyof Config, string>> = {
  GATEWAY_UPSTREAM_URL: 'sandbox',
  GATEWAY_ALLOW_DESTINATIONS: 'localhost, 127.0.0.0/8, ::1/128',
};

/**
 * Runs `quick-start`: a gateway on this machine without any setup. Uses the embedded sandbox as the platform,
 * generates a secret key, allows loopback destinations and adds a demo line.
 */
export async function quickStart(args: string[], given: NodeJS.ProcessEnv): Promise<void> {
  parseArgs({ args, options: {} });
  await serve(async () => {
    const local = withLocalDefaults(given);
    const place = { GATEWAY_DATABASE_URL: readSetting('GATEWAY_DATABASE_URL', local) };
    const file = sqliteFile(place);
    // Checked before anything is written to the database or its folder.
    if (file !== null && existsSync(file)) refuseOther(place, firstLineIn(file));
    const env = withSecretKey(local);
    const config = readConfig(env);
    const token = await demoToken(env, join(dataFolder(config), 'demo-line-token'));
    const log = createLog(config);
    warnOfOpenFiles(config, env, log);
    const gateway = await startGateway(config, log, null, true, token);
    if (gateway.sandboxUrl !== null) await openDemoWindow(gateway, gateway.sandboxUrl);
    const tunnel = config.GATEWAY_PUBLIC_URL === null ? tunnelTo(gateway.url, given) : null;
    print(welcome(gateway.url, gateway.sandboxUrl, token, gateway.setUpUrl, tunnel));
    // Logged last, after the texts for the user.
    tellListening(log, gateway);
    return gateway;
  });
}

/**
 * Refuses a database that was not created by quick-start, whose first line is always the demo line.
 * @param first phone number ID of the first line; null if there is none
 * @throws SettingError for any other database
 */
function refuseOther(
  { GATEWAY_DATABASE_URL: url }: Pick<Config, 'GATEWAY_DATABASE_URL'>,
  first: string | null,
) {
  if (first === null || first === DEMO_LINE.phoneNumberId) return;
  const file = sqliteFile({ GATEWAY_DATABASE_URL: url });
  throw new SettingError(
    `The database ${file === null ? 'that GATEWAY_DATABASE_URL names' : resolve(file)} holds lines that quick-start has not made. Nothing was started: a sandbox would answer what is sent on them. Run the command "start" to serve them, or unset GATEWAY_DATABASE_URL for a quick start.`,
  );
}

function withLocalDefaults(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const missing = Object.entries(LOCAL_DEFAULTS).filter(([name]) => !isSet(name as keyof Config, given));
  return { ...given, ...Object.fromEntries(missing) };
}

/** Stores a generated key next to the database whose credentials it decrypts. */
function withSecretKey(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (isSet('GATEWAY_SECRET_KEY', env)) return env;
  const folder = dataFolder({ GATEWAY_DATABASE_URL: readSetting('GATEWAY_DATABASE_URL', env) });
  const file = join(folder, 'secret-key');
  if (!existsSync(file)) writeSecret(file, randomBytes(32).toString('base64url'));
  return { ...env, GATEWAY_SECRET_KEY_FILE: file };
}

/** Writes a file atomically; only its owner can read it. */
function writeSecret(file: string, secret: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${secret}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Returns the demo line's token, and adds the line if it is missing. The token is stored in a file, because
 * the database has only its hash.
 */
const demoToken = (env: NodeJS.ProcessEnv, file: string): Promise<string> =>
  offline(
    env,
    async (deps) => {
      const lines = await deps.store.lines.all();
      const [first] = lines.toSorted((one, other) => one.id - other.id);
      refuseOther(readConfig(env), first?.phone_number_id ?? null);
      const line = lines.find(({ phone_number_id: id }) => id === DEMO_LINE.phoneNumberId);
      const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
      if (line && kept !== null) {
        const tokens = await deps.store.tokens.ofLine(line.id);
        if (tokens.some(({ hash, revoked_at: revokedAt }) => hash === hashOf(kept) && revokedAt === null))
          return kept;
      }
      const by = 'quick-start';
      const { token } = line
        ? await createToken(deps, commandActor(), line.id, {}, by)
        : await addFirstLine(deps, demoLine(), by);
      writeSecret(file, token);
      return token;
    },
    'gateway',
  );

const demoLine = () => ({
  name: DEMO_LINE.verifiedName,
  phoneNumberId: DEMO_LINE.phoneNumberId,
  phoneNumber: DEMO_LINE.displayPhoneNumber,
  wabaId: DEMO_LINE.wabaId,
  accessToken: randomBytes(24).toString('base64url'),
  appSecret: randomBytes(24).toString('hex'),
  windowMode: 'text',
});

/** How long to wait until the gateway receives the message. */
const HEARD_WITHIN = 5 * SECOND;

/**
 * Lets the demo contact write, so that free-form text can be sent for 24 hours. Skipped within twelve hours
 * of the last message, because each message also starts every listening workflow. Resolves when the gateway
 * has received it.
 */
async function openDemoWindow({ lines, windows }: RunningGateway, sandboxUrl: string): Promise<void> {
  const line = lines.byPhoneNumberId(DEMO_LINE.phoneNumberId);
  if (!line) return;
  const begun = windows.now();
  const isOpen = async () =>
    ((await windows.lastInboundAt(line.id, DEMO_CONTACT)) ?? 0) > begun - WINDOW_LENGTH / 2;
  if (await isOpen()) return;
  const answer = await fetch(`${sandboxUrl}/sandbox/contacts/${DEMO_CONTACT}/messages`, {
    method: 'POST',
    body: JSON.stringify({ line: line.phoneNumberId, text: 'Hello! I would like to try this.' }),
  });
  if (!answer.ok) throw new Error(`The sandbox refused: ${await answer.text()}`);
  while (!(await isOpen()) && windows.now() < begun + HEARD_WITHIN) await setTimeout(10);
}

/**
 * Returns the SSH command that forwards the gateway's port to the user's browser; null without SSH, or if
 * other machines can reach the gateway.
 */
function tunnelTo(url: string, { SSH_CONNECTION: connection }: NodeJS.ProcessEnv): string | null {
  const [, , server, sshPort] = connection?.split(' ') ?? [];
  const { hostname, port } = new URL(url);
  if (server === undefined || !/^(localhost|127\..*|\[::1\])$/.test(hostname)) return null;
  const option = sshPort === undefined || sshPort === '22' ? '' : `-p ${sshPort} `;
  return `ssh ${option}-L ${port}:${hostname}:${port} ${accountOfMachine()}@${server}`;
}

const welcome = (
  url: string,
  sandboxUrl: string | null,
  token: string,
  setUpUrl: string | null,
  tunnel: string | null,
): string => `
${tunnel === null ? '' : `You are logged in by SSH. Run this on your own computer first, and leave it running:\n\n  ${tunnel}\n\n`}\
${
  setUpUrl === null
    ? 'Open the control panel:'
    : 'Open this link once, within a day; the control panel leads on from there, by buttons:'
}

  ${setUpUrl ?? `${url}/panel`}

${sandboxUrl === null ? '' : `Nothing leaves this machine: a sandbox plays the messaging platform and the phone of ${DEMO_CONTACT}.\n`}\
Press Ctrl-C to stop.

For programs

  Address      ${url}        every operation: ${url}/docs
  Line (tid)   ${DEMO_LINE.phoneNumberId}
  Token        ${token}

  curl ${url}/api/v22.0/${DEMO_LINE.phoneNumberId}/messages \\
    -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' \\
    -d '{"messaging_product": "chat", "to": "${DEMO_CONTACT}", "type": "text", "text": {"body": "Hello from the gateway"}}'
${
  sandboxUrl === null
    ? ''
    : `
  What is on that phone, and how to write from it:

  curl '${sandboxUrl}/sandbox/contacts/${DEMO_CONTACT}/messages?line=${DEMO_LINE.phoneNumberId}'
  curl ${sandboxUrl}/sandbox/contacts/${DEMO_CONTACT}/messages -d '{"text": "Is my order ready?", "line": "${DEMO_LINE.phoneNumberId}"}'
`
}
${isCheckout() ? 'In n8n: run in a second terminal  npm run n8n  which brings an n8n with the nodes and a credential.\nIn an n8n of yours:' : 'In n8n:'} install the nodes as the README says, add a credential "Messaging Gateway API" with this address,
line and token, then add the node "Messaging Gateway" or "Messaging Gateway Trigger".

Lines and tokens of your own:  ${commandPrefix()} help
`;
