import { createHmac } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';

import { runAction } from '../support/n8n';
import { listening, openInbox } from '../support/listening';
import { gatewayForEach, LINE } from './support/gateway';

const gateway = gatewayForEach();
const PAUSES = `/v22.0/${LINE}/automation-pauses`;
const CONTACT = '5511987654321';

describe('Contact: Pause Automation and Resume Automation', () => {
  const PAUSE = { resource: 'contact', operation: 'pauseAutomation', to: CONTACT };
  const answer = (paused: boolean, until: string | null) => ({
    success: true,
    contact: CONTACT,
    paused,
    since: paused ? '2026-11-28T10:00:00.000Z' : null,
    until,
  });

  test.each<[string, INodeParameters, object]>([
    ['until someone resumes', {}, { contact: CONTACT }],
    ['until someone resumes, from an empty expression', { hours: '={{ $json.none }}' }, { contact: CONTACT }],
    ['for hours', { hours: 8 }, { contact: CONTACT, hours: 8 }],
    ['for hours of an expression', { hours: '={{ "8" }}' }, { contact: CONTACT, hours: 8 }],
  ])('pauses %s', async (_name, parameters, body) => {
    const until = 'hours' in body ? '2026-11-28T18:00:00.000Z' : null;
    gateway.on('POST', PAUSES, () => ({ body: answer(true, until) }));
    const { items, error } = await runAction(gateway.credentials, { ...PAUSE, ...parameters });
    expect(error).toBeUndefined();
    expect(gateway.received.map((one) => one.body)).toEqual([body]);
    expect(items[0].json).toEqual({
      contact: CONTACT,
      isPaused: true,
      pausedUntil: until,
      raw: answer(true, until),
    });
  });

  test.each([-1, 1.5, 8761, '={{ "soon" }}'])('refuses %s hours before anything is sent', async (hours) => {
    const { error } = await runAction(gateway.credentials, { ...PAUSE, hours });
    expect(error?.message).toMatch(/^Hours is "/);
    expect(gateway.received).toEqual([]);
  });

  test('resumes', async () => {
    gateway.on('DELETE', `${PAUSES}/${CONTACT}`, () => ({ body: answer(false, null) }));
    const { items, error } = await runAction(gateway.credentials, {
      ...PAUSE,
      operation: 'resumeAutomation',
    });
    expect(error).toBeUndefined();
    expect(items[0].json).toMatchObject({ contact: CONTACT, isPaused: false, pausedUntil: null });
  });
});

describe('the trigger, of a contact whose automation is paused', () => {
  const SECRET = 'the secret of the destination';
  let events = 0;

  /** What a paused contact's event comes to: messages and statuses of each run. */
  async function runsOf(value: object, parameters: INodeParameters, version: number) {
    const staticData = {
      'node:n8n-nodes-messaging-gateway.messagingGatewayTrigger': {
        registrations: [{ id: '2', url: 'http://n8n.test/webhook', secret: SECRET, test: false }],
      },
    };
    const workflow = listening(gateway, parameters, staticData, undefined, version);
    const inbox = await openInbox(() => workflow);
    const change = { value: { metadata: { phone_number_id: LINE }, ...value }, field: 'messages' };
    const body = JSON.stringify({ entry: [{ changes: [change] }] });
    const [id, timestamp] = [`evt_${++events}`, String(Math.floor(Date.now() / 1000))];
    const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64');
    const reply = await fetch(inbox.url, {
      method: 'POST',
      body,
      headers: {
        ...{ 'content-type': 'application/json', 'x-gateway-automation': 'paused' },
        ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
      },
    });
    expect(reply.status).toBe(200);
    await inbox.close();
    return inbox.runs;
  }

  const message = () => ({
    messages: [
      { from: CONTACT, id: `wamid.${++events}`, timestamp: '1750025136', type: 'text', text: { body: 'Hi' } },
    ],
  });

  test.each<[string, INodeParameters, number]>([
    ['of version 1', {}, 1],
    ['of version 1.1', {}, 1.1],
    ['that does not ignore it', { ignorePaused: false }, 1.2],
  ])('%s starts a run, which says so', async (_name, parameters, version) => {
    const [[messages]] = await runsOf(message(), parameters, version);
    expect(messages.map(({ json }) => json.automationPaused)).toEqual([true]);
  });

  test('of version 1.2 starts none', async () => {
    expect(await runsOf(message(), {}, 1.2)).toEqual([]);
  });

  test('of version 1.2 starts one for a status', async () => {
    const status = { id: 'wamid.out', status: 'failed', timestamp: '1750025136', recipient_id: CONTACT };
    const [[, statuses]] = await runsOf({ statuses: [status] }, { events: ['messages', 'failed'] }, 1.2);
    expect(statuses).toHaveLength(1);
  });
});
