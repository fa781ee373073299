import { join } from 'node:path';

import { startSandbox, type Sandbox } from '../../../gateway/sandbox/server';
import type { Template } from '../../../gateway/sandbox/templates/starter-templates';
import { temporaryFolder } from '../../support/databases';
import { until } from '../../support/http-peer';
import {
  addTestLine,
  APP_SECRET,
  PHONE_NUMBER_ID,
  settings,
  startTestGateway,
  VERIFY_TOKEN,
  WABA_ID,
  type TestGateway,
} from '../../support/test-gateway';
import { startWire, type Wire } from './wire';

/** The sandbox in upstream's place, the gateway with one line, and the wire between it and the nodes. */
export interface World {
  gateway: TestGateway;
  sandbox: Sandbox;
  wire: Wire;
  /** What a person enters in n8n. */
  credentials: { baseUrl: string; line: string; token: string };
  /**
   * A contact writes `{text}`, taps `{button}` or chooses `{row}`. Returns when the gateway knows that its window is open.
   * @param line a phone number ID; needed only if there are several
   */
  does(contact: string, what: object, line?: string): Promise<void>;
  /** The messages of a contact as the contact sees them, oldest first. */
  conversation(contact: string): Promise<Array<Record<string, unknown>>>;
  close(): Promise<void>;
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

interface WorldOptions {
  /** Of the business account; the sandbox's own where none are given. */
  templates?: readonly Template[];
  /** Phone number IDs of more lines. */
  otherLines?: readonly string[];
}

export async function openWorld({ templates, otherLines = [] }: WorldOptions = {}): Promise<World> {
  const phoneNumberIds = [PHONE_NUMBER_ID, ...otherLines];
  const numberOf = (index: number) => String(15550783881 + index);
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    lines: () =>
      phoneNumberIds.map((phoneNumberId, index) => ({
        phoneNumberId,
        displayPhoneNumber: numberOf(index),
        verifiedName: 'Test line',
        wabaId: WABA_ID,
        accessToken: 'upstream-access-token',
      })),
    templates,
    statusDelays: { sent: 1, delivered: 2, read: 3 },
    log: silent,
  });
  const gateway = await startTestGateway(
    settings(`sqlite:${join(temporaryFolder(), 'gateway.db')}`, {
      GATEWAY_UPSTREAM_URL: sandbox.url,
      // One contact is sent more in seconds than anyone gets in an hour, and wrong tokens are tried by the dozen.
      GATEWAY_PAIR_LIMIT: 'off',
      GATEWAY_AUTH_FAILURE_RATE: 'off',
    }),
  );
  const { id, token } = await addTestLine(gateway.env);
  const lineIds = new Map([[PHONE_NUMBER_ID, id]]);
  for (const [index, phoneNumberId] of otherLines.entries()) {
    const phoneNumber = numberOf(index + 1);
    const line = { name: `Other line ${index + 1}`, phoneNumberId, phoneNumber };
    lineIds.set(phoneNumberId, (await addTestLine(gateway.env, line)).id);
  }
  await gateway.refresh();
  await sandbox.subscribe({
    url: `${gateway.url}/webhooks/platform`,
    appSecret: APP_SECRET,
    verifyToken: VERIFY_TOKEN,
  });
  const wire = await startWire(gateway.url);
  return {
    gateway,
    sandbox,
    wire,
    credentials: { baseUrl: wire.url, line: PHONE_NUMBER_ID, token },
    async does(contact, what, line) {
      const answer = await fetch(`${sandbox.url}/sandbox/contacts/${contact}/messages`, {
        method: 'POST',
        body: JSON.stringify({ name: 'Ana', line, ...what }),
      });
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({})]);
      const lineId = lineIds.get(line ?? PHONE_NUMBER_ID) as number;
      const lastWrote = () => gateway.windows.lastInboundAt(lineId, contact);
      await until(async () => (await lastWrote()) !== null);
    },
    async conversation(contact) {
      const answer = await fetch(`${sandbox.url}/sandbox/contacts/${contact}/messages`);
      return ((await answer.json()) as { messages: Array<Record<string, unknown>> }).messages;
    },
    async close() {
      await wire.close();
      await sandbox.close();
      await gateway.stop();
    },
  };
}
