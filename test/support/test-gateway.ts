import pino from 'pino';
import { addLine } from './add-line';
import { offline } from '../../gateway/cli/offline';
import { type RunningGateway } from '../../gateway/gateway';
import { startGateway } from '../../gateway/start-gateway';
import { readConfig } from '../../gateway/config';
import { signatureOf } from '../../gateway/cloud-api/signature';
import { type NewLine } from '../../gateway/lines/add-line';

export const APP_SECRET = 'app-secret-of-all-lines';
export const VERIFY_TOKEN = 'verify-token-of-all-lines';
export const PHONE_NUMBER_ID = '106540352242922';
export const WABA_ID = '102290129340398';

/** Settings of a tested gateway; `more` overrides them. */
export const settings = (databaseUrl: string, more: Record<string, string> = {}): Record<string, string> => ({
  GATEWAY_PORT: '0',
  GATEWAY_DATABASE_URL: databaseUrl,
  GATEWAY_SECRET_KEY: 'a key for tests, and for nothing else',
  GATEWAY_ALLOW_DESTINATIONS: '127.0.0.0/8, localhost',
  GATEWAY_APP_SECRET: APP_SECRET,
  GATEWAY_VERIFY_TOKEN: VERIFY_TOKEN,
  ...more,
});

export interface TestGateway extends RunningGateway {
  env: Record<string, string>;
  /** Returns the whole log as text. */
  logged(): string;
}

/**
 * Starts a real gateway in this process on a free port. It polls the platform only on `pollDue`.
 * @param env from `settings`
 */
export async function startTestGateway(
  env: Record<string, string>,
  clock?: () => number,
): Promise<TestGateway> {
  const lines: string[] = [];
  const log = pino(
    { level: 'debug', serializers: { error: pino.stdSerializers.err } },
    { write: (line: string) => void lines.push(line) },
  );
  const gateway = await startGateway(readConfig(env), log, clock, false);
  return { ...gateway, env, logged: () => lines.join('') };
}

/** Adds a line next to a running gateway, like `line add`. */
export const addTestLine = (
  env: Record<string, string>,
  more: Partial<NewLine> = {},
): Promise<{ id: number; token: string }> =>
  offline(
    env,
    async (world) => {
      const { row, token } = await addLine(world, {
        name: 'Test line',
        phoneNumberId: PHONE_NUMBER_ID,
        phoneNumber: '15550783881',
        wabaId: WABA_ID,
        accessToken: 'upstream-access-token',
        appSecret: 'app-secret-of-this-line',
        windowMode: 'text',
        ...more,
      });
      return { id: row.id, token };
    },
    'first command',
  );

/**
 * Builds a notification in the platform's envelope.
 * @param value of its single change, merged with metadata
 */
export const notification = (value: object, phoneNumberId = PHONE_NUMBER_ID, field = 'messages'): object => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: WABA_ID,
      changes: [
        {
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550783881', phone_number_id: phoneNumberId },
            ...value,
          },
          field,
        },
      ],
    },
  ],
});

/**
 * Builds a text message from a contact.
 * @param at seconds since 1970
 */
export const textFrom = (
  contact: string,
  body: string,
  wamid: string,
  at = Math.floor(Date.now() / 1000),
) => ({
  contacts: [{ profile: { name: 'Ana' }, wa_id: contact }],
  messages: [{ from: contact, id: wamid, timestamp: String(at), type: 'text', text: { body } }],
});

/**
 * Sends a signed notification like the platform.
 * @returns the HTTP status
 */
export async function notify(
  gateway: { url: string },
  body: object | string,
  secret = APP_SECRET,
  path = '',
): Promise<number> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${gateway.url}/webhooks/platform${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': signatureOf(Buffer.from(text), secret),
    },
    body: text,
  });
  await answer.arrayBuffer();
  return answer.status;
}
