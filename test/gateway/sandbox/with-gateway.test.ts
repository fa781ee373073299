/** The gateway with its embedded sandbox: what a person plays there, the gateway acts upon. */
import { join } from 'node:path';
import { temporaryFolder } from '../../support/databases';
import { until } from '../../support/http-peer';
import { call, expectRefusal, linkedImageTo, textTo, type Json, type Reply } from '../../support/scene';
import {
  addTestLine,
  PHONE_NUMBER_ID,
  settings,
  startTestGateway,
  type TestGateway,
} from '../../support/test-gateway';

const CONTACT = '12025550147';
const MINUTE = 60_000;

let databaseUrl: string;
let gateway: TestGateway;
let lineId: number;
let token: string;
let passed = 0;

/**
 * The machine's time as the gateway has it, `passed` milliseconds on: what it asks for is not asked for twice a minute.
 */
const start = () =>
  startTestGateway(settings(databaseUrl, { GATEWAY_UPSTREAM_URL: 'sandbox' }), () => Date.now() + passed);

// On SQLite alone: the sandbox keeps its file beside the database, and elsewhere in a folder that tests would share.
beforeEach(async () => {
  databaseUrl = `sqlite:${join(temporaryFolder(), 'gateway.db')}`;
  gateway = await start();
  ({ id: lineId, token } = await addTestLine(gateway.env));
  await gateway.refresh();
});
afterEach(() => gateway.stop());

const ask = (path: string, body?: object): Promise<Reply> =>
  call(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const send = (body: object): Promise<Reply> => ask('messages', body);

async function play(path: string, body: object): Promise<Json> {
  const reply = await call(`${gateway.sandboxUrl}/sandbox/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return reply.body;
}

/** A contact writes, and the gateway has heard of it. */
async function write(contact = CONTACT): Promise<void> {
  const before = await gateway.windows.lastInboundAt(lineId, contact);
  await play(`contacts/${contact}/messages`, { text: 'Hello' });
  await heard(contact, before);
}

const heard = (contact: string, before: number | null = null): Promise<void> =>
  until(async () => (await gateway.windows.lastInboundAt(lineId, contact)) !== before);

const template = (name: string) => ({
  messaging_product: 'whatsapp',
  to: CONTACT,
  type: 'template',
  template: { name, language: { code: 'en_US' } },
});

describe('a text', () => {
  it('is refused once the sandbox has let 25 hours pass, until the contact writes again', async () => {
    await write();
    expect((await send(textTo(CONTACT))).status).toBe(200);
    await play('clock', { advance: '25h' });
    const details = expectRefusal(await send(textTo(CONTACT)), 400, 'outside_24h_window', 131047);
    expect(details).toContain('25 hours ago');
    await write();
    expect((await send(textTo(CONTACT))).status).toBe(200);
    await play('clock', { advance: '23h' });
    expect((await send(textTo(CONTACT))).status).toBe(200);
  });

  it('is decided by the same time after a restart', async () => {
    await write();
    await play('clock', { advance: '25h' });
    await gateway.stop();
    gateway = await start();
    expectRefusal(await send(textTo(CONTACT)), 400, 'outside_24h_window', 131047);
    await write();
    expect((await send(textTo(CONTACT))).status).toBe(200);
  });

  it('can be sent to everybody who wrote in one notification of a thousand', async () => {
    await play('flood', { messages: 1000 });
    await heard('12025550199');
    expect((await send(textTo('12025550100'))).status).toBe(200);
  });
});

describe('a line', () => {
  it('that is rated RED sends nothing more once the gateway has asked, and GREEN it sends again', async () => {
    await play(`lines/${PHONE_NUMBER_ID}`, { quality_rating: 'RED' });
    const { body } = await ask('status?refresh=1');
    expect(body.platform.quality_rating).toBe('LOW');
    expectRefusal(await send(linkedImageTo(CONTACT)), 403, 'line_quality_low', 131048);
    passed += MINUTE;
    await play(`lines/${PHONE_NUMBER_ID}`, { quality_rating: 'GREEN' });
    await ask('status?refresh=1');
    expect((await send(linkedImageTo(CONTACT))).status).toBe(200);
  });

  it('is told although a field of it has vanished', async () => {
    await play(`lines/${PHONE_NUMBER_ID}`, { status: 'FLAGGED', vanished_fields: ['messaging_limit_tier'] });
    const { status, body } = await ask('status?refresh=1');
    expect([status, body.platform.refresh]).toEqual([200, { requested: true, performed: true }]);
  });
});

it('a template that was paused is refused before it is sent, once the gateway has asked', async () => {
  expect((await send(template('hello_world'))).status).toBe(200);
  await play('templates/hello_world', { event: 'PAUSED' });
  passed += MINUTE;
  await ask('templates?refresh=1');
  const details = expectRefusal(await send(template('hello_world')), 400, 'template_not_approved', 132015);
  // In the gateway's words, not in the platform's.
  expect(details).not.toContain('due to low quality');
});

describe('a failure of the platform', () => {
  it.each([
    ['15550130429', 429, 'upstream_rate_limited', 130429],
    ['15550131056', 429, 'upstream_rate_limited', 131056],
    ['15550000190', 502, 'upstream_auth_failed', 190],
    ['15550131031', 403, 'upstream_error', 131031],
    ['15550131047', 400, 'outside_24h_window', 131047],
    ['15550131016', 502, 'upstream_unavailable', 131016],
    ['15552000502', 502, 'upstream_unavailable', 2],
    ['15552000000', 504, 'upstream_timeout', 2],
  ])('provoked by %s is answered %i %s', async (to, status, word, code) => {
    expectRefusal(await send(linkedImageTo(to)), status, word, code);
  });

  it('is told from one that passes over the whole of the platform', async () => {
    await play('outage', { kind: 'unavailable', for: '1h' });
    expectRefusal(await send(linkedImageTo(CONTACT)), 502, 'upstream_unavailable', 2);
  });
});

it('a status that comes before the send is answered does no harm', async () => {
  await write();
  await play(`contacts/${CONTACT}`, { path: 'before_the_answer' });
  const { status, body } = await send(textTo(CONTACT));
  expect([status, body.success]).toEqual([200, true]);
});
