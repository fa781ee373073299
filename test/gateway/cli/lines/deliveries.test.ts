import { offline } from '../../../../gateway/cli/offline';
import { HOUR, isoTime } from '../../../../gateway/time';
import { until, type HttpPeer } from '../../../support/http-peer';
import { type Json } from '../../../support/scene';
import { secretFile } from '../../../support/secret-file';
import { notification, notify, textFrom } from '../../../support/test-gateway';
import { notificationOf, owed } from '../../store/support';
import { addLine, command, freshSettings, json, peer, PHONE_NUMBER_ID, start } from '../support';

/** A gateway with one line, whose two events its receiver has got. */
async function forwarded(): Promise<{ env: Record<string, string>; receiver: HttpPeer; ids: string[] }> {
  const receiver = await peer();
  const env = freshSettings();
  await addLine(env, '--forward-url', `${receiver.url}/hook`);
  const gateway = await start(env);
  for (const number of ['1', '2'])
    await notify(gateway, notification(textFrom('16505551234', `Text ${number}`, `wamid.${number}`)));
  await receiver.untilReceived(2);
  return { env, receiver, ids: receiver.received.map(({ headers }) => String(headers['webhook-id'])) };
}

test('sends one event again, beside a running gateway', async () => {
  const { env, receiver, ids } = await forwarded();
  await until(async () =>
    offline(env, async ({ store }) =>
      (await store.deliveries.ofDestination(1)).every(({ state }) => state === 'delivered'),
    ),
  );
  expect(await json(['deliveries', 'replay', ids[1] ?? ''], env)).toEqual({ replayed: 1, complete: true });
  await receiver.untilReceived(3);
  expect(receiver.received[2]).toMatchObject({ body: receiver.received[1]?.body });
  expect(receiver.received[2]?.headers['webhook-id']).toBe(ids[1]);
  expect(await json(['deliveries', 'replay', '--dead'], env)).toEqual({ replayed: 0, complete: true });
});

test('sends one event now that waits for a later attempt, and says so', async () => {
  const env = freshSettings();
  const receiver = await peer(() => ({ status: 404 }));
  await addLine(env, '--forward-url', `${receiver.url}/hook`);
  const gateway = await start(env);
  await notify(gateway, notification(textFrom('16505551234', 'Text', 'wamid.1')));
  const [request] = await receiver.untilReceived(1);
  const id = String(request?.headers['webhook-id']);
  await gateway.end();
  await offline(env, async ({ store }) => {
    for (let number = 2; number <= 16; number++)
      await store.write({
        kind: 'attempt',
        attempt: {
          destination_id: 1,
          event_id: id,
          number,
          started_at: isoTime(Date.now()),
          duration_ms: 1,
          http_status: 404,
          outcome: 'http_error',
          answer: '',
          state: 'pending',
          due_at: isoTime(Date.now() + 20 * HOUR),
        },
      });
  });
  const { stdout } = await command(['deliveries', 'replay', id], env);
  expect(stdout).toBe('One delivery is sent again.\n');
  await start(env);
  await receiver.untilReceived(2);
  expect(receiver.received[1]?.headers).toMatchObject({ 'webhook-id': id, 'x-gateway-attempt': '17' });
});

test('writes events as they were received, one a line, of one line and range', async () => {
  const { env, ids } = await forwarded();
  const { code, stdout } = await command(['deliveries', 'export', '--line', PHONE_NUMBER_ID], env);
  expect(code).toBe(0);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; body: string });
  expect(events.map(({ id }) => id)).toEqual(ids);
  expect(JSON.parse(events[0]?.body ?? '')).toMatchObject({ object: 'whatsapp_business_account' });
  expect(events[0]).toMatchObject({ deliveries: [{ state: 'delivered', last_http_status: 200 }] });
  const later = await command(['deliveries', 'export', '--from', '2999-01-01'], env);
  expect(later).toMatchObject({ code: 0, stdout: '' });
});

test('writes sent messages, one a line, of one line and range, however many', async () => {
  const env = freshSettings();
  await addLine(env);
  await addLine(env, '--phone-number-id', '206540352242922');
  const [accepted_at, earlier] = [0, HOUR].map((ago) => isoTime(Date.now() - ago));
  const messages = Array.from({ length: 250 }, (_, index) => ({
    line_id: 1,
    wamid: `wamid.${index}`,
    type: 'text',
    accepted_at: earlier,
  }));
  messages.push({ line_id: 2, wamid: 'wamid.last', type: 'image', accepted_at });
  await offline(env, ({ store }) =>
    store.write({ ...{ kind: 'notification', events: [], windows: [] }, messages }),
  );
  const exported = async (...options: string[]) =>
    (await command(['messages', 'export', ...options], env)).stdout;
  expect(JSON.parse(await exported('--line', '206540352242922'))).toMatchObject({
    ...{ line_id: 2, message_id: 'wamid.last', type: 'image', state: 'accepted', accepted_at },
  });
  const written = (await exported('--line', PHONE_NUMBER_ID)).trim().split('\n');
  expect(new Set(written.map((row) => (JSON.parse(row) as { message_id: string }).message_id)).size).toBe(
    250,
  );
  expect(JSON.parse(await exported('--from', accepted_at ?? ''))).toMatchObject({ message_id: 'wamid.last' });
  const csv = await exported('--to', accepted_at ?? '', '--format', 'csv');
  expect(csv.split('\r\n')).toHaveLength(252);
});

test('shows the destinations of a line, and lets a paused one go on with what has waited', async () => {
  const { env, receiver } = await forwarded();
  const list = () => json<{ destinations: object[] }>(['destination', 'list', PHONE_NUMBER_ID], env);
  const { destinations } = await list();
  expect(destinations).toMatchObject([{ id: 1, url: `${receiver.url}/hook`, paused_at: null }]);
  expect(JSON.stringify(destinations)).not.toMatch(/sealed|whsec_/);
  await offline(env, ({ store }) =>
    store.destinations.update(1, { paused_at: '2026-01-01', paused_because: 'It answered 410 Gone.' }),
  );
  const shown = await command(['destination', 'list', PHONE_NUMBER_ID], env);
  expect(shown.stdout).toContain('paused 2026-01-01: It answered 410 Gone.');
  expect(await command(['destination', 'resume', '1'], env)).toMatchObject({
    code: 0,
    stdout: 'Destination 1 is resumed.\n',
  });
  expect((await list()).destinations).toMatchObject([{ paused_at: null, paused_because: null }]);
});

test('tells of one destination how it fares, what waits for it and when it is tried next', async () => {
  const env = freshSettings();
  const receiver = await peer(() => ({ status: 503 }));
  await addLine(env, '--forward-url', `${receiver.url}/hook`);
  const fresh = await command(['destination', 'show', '1'], env);
  expect(fresh.stdout).toMatch(/^State\tactive\nLast attempt\tnone yet\nWaiting\tnothing$/m);
  const gateway = await start(env);
  await notify(gateway, notification(textFrom('16505551234', 'Hello', 'wamid.1')));
  const [request] = await receiver.untilReceived(1);
  const show = () => json<Json>(['destination', 'show', '1'], env);
  await until(async () => (await show()).last_attempt !== null);
  const told = await show();
  expect(told).toMatchObject({ waiting: 1, not_tried_yet: 0, destination: { id: 1, failing_since: null } });
  expect(told.last_attempt).toMatchObject({
    event_id: request?.headers['webhook-id'],
    // The next one may be made while a slow machine reads.
    number: expect.any(Number),
    http_status: 503,
  });
  const next = Date.parse(told.next_attempt_at) - Date.parse(told.last_attempt.started_at);
  expect([next > 3000, told.oldest_waiting_since < told.next_attempt_at]).toEqual([true, true]);
  expect(JSON.stringify(told)).not.toMatch(/sealed|whsec_/);
  // A try while it is left alone is kept without an attempt.
  const triedAt = isoTime(Date.now() + HOUR);
  await offline(env, ({ store }) =>
    store.destinations.update(1, { last_tried_at: triedAt, last_failure: 'HTTP 502' }),
  );
  expect((await command(['destination', 'show', '1'], env)).stdout).toContain(
    `Last attempt\t${triedAt}: HTTP 502, not counted as an attempt\n`,
  );
  await offline(env, ({ store }) => store.destinations.update(1, { last_tried_at: null }));
  await command(['destination', 'pause', '1'], env);
  const { stdout } = await command(['destination', 'show', '1'], env);
  expect(stdout).toMatch(
    /^State\tpaused .*: Paused by the operator\.\nLast attempt\t\S+: HTTP 503 after \d+ ms/m,
  );
  expect(stdout).toContain('Waiting\t1 event\n');
  expect(stdout).toContain('Next attempt\tonce it is resumed\n');
  // As many as the panel tells.
  const more = Array.from({ length: 1100 }, (_, number) => owed(String(number), [1]));
  await offline(env, ({ store }) => store.write(notificationOf(more)));
  expect((await command(['destination', 'show', '1'], env)).stdout).toContain(
    'Waiting\t1101 events, 1100 not tried yet\n',
  );
});

test('adds a destination with events and headers of its own, changes it, and removes it', async () => {
  const env = freshSettings();
  const receiver = await peer();
  await addLine(env);
  const fields = [
    '--url',
    `${receiver.url}/one`,
    '--events',
    'messages',
    '--header-file',
    secretFile('X-Own: a password'),
  ];
  const added = await json<{ id: number; secret: string }>(
    ['destination', 'add', PHONE_NUMBER_ID, ...fields],
    env,
  );
  expect(added).toEqual({
    id: 1,
    url: `${receiver.url}/one`,
    secret: expect.stringMatching(/^whsec_/),
    handshake: { ok: false, detail: expect.stringContaining('without the challenge') },
  });
  const gateway = await start(env);
  await notify(gateway, notification(textFrom('16505551234', 'Hello', 'wamid.1')));
  const [request] = await receiver.untilReceived(1);
  expect(request).toMatchObject({ url: '/one', headers: { 'x-own': 'a password' } });
  const { code, stdout } = await command(['destination', 'rotate', '1'], env);
  expect([code, stdout]).toEqual([0, expect.stringContaining('signed with the previous secret as well')]);
  expect(stdout).not.toContain(added.secret);
  const { destinations } = await json<{ destinations: { previous_secret_until: string }[] }>(
    ['destination', 'list', PHONE_NUMBER_ID],
    env,
  );
  const overlap = Date.parse(destinations[0]?.previous_secret_until ?? '') - Date.now();
  expect(Math.round(overlap / HOUR)).toBe(24);
  expect(JSON.stringify(destinations)).not.toMatch(/sealed|whsec_/);
  expect(
    await command(['destination', 'edit', '1', '--no-headers', '--url', `${receiver.url}/two`], env),
  ).toMatchObject({ code: 0 });
  await until(async () => {
    await notify(
      gateway,
      notification(textFrom('16505551234', 'Hello', `wamid.${receiver.received.length}.again`)),
    );
    return receiver.received.some(({ url }) => url === '/two');
  });
  const moved = receiver.received.find(({ url }) => url === '/two');
  expect(moved?.headers).not.toHaveProperty('x-own');
  expect(String(moved?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  expect(await command(['destination', 'pause', '1'], env)).toMatchObject({ code: 0 });
  expect(await command(['destination', 'remove', '1'], env)).toMatchObject({ code: 0 });
  expect(await json(['destination', 'list', PHONE_NUMBER_ID], env)).toEqual({ destinations: [] });
});

test.each([
  [
    ['destination', 'add', '1', '--url', 'https://example.com', '--events', 'all'],
    '--events: "all" is not possible here',
  ],
  [
    ['destination', 'add', '1', '--url', 'https://example.com', '--header-file', secretFile('x')],
    '--header-file: Write each header on a line of its own, as "Name: value".',
  ],
  [['destination', 'edit', '1'], 'What should change?'],
  [['deliveries', 'replay'], 'What is to be sent again?'],
  [['deliveries', 'replay', 'wamid.1'], 'Which event? Give one id, such as evt_'],
  [['deliveries', 'replay', '--from', 'yesterday'], '--from is "yesterday"; give a time'],
  [['deliveries', 'replay', '--dead', '--line', '7'], 'There is no line 7.'],
  [['deliveries', 'replay', '--dead', '--destination', '7'], 'There is no destination 7'],
  [['destination', 'resume'], 'Which destination?'],
  [['destination', 'resume', 'x'], 'There is no destination x.'],
])('refuses %j with a sentence', async (words, sentence) => {
  const env = freshSettings();
  await addLine(env);
  const { code, stderr } = await command(words, env);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});
