import { DATABASES } from '../../support/databases';
import { freePort } from '../../support/postgres';
import { notification, notify, settings, textFrom } from '../../support/test-gateway';
import { addLine, endAll, freshSettings, peer, start } from './support';

/** Each command is a process of its own. */
jest.setTimeout(30_000);

afterEach(endAll);

describe.each(DATABASES)('kill -9 ($name)', ({ createUrl }) => {
  test('between an event and its forwarding loses nothing: it is forwarded after the restart', async () => {
    const port = await freePort();
    const env = settings(await createUrl());
    await addLine(env, '--forward-url', `http://127.0.0.1:${port}/hook`);
    const event = (wamid: string) => notification(textFrom('16505551234', 'Olá 😀', wamid));
    const bodies = ['wamid.1', 'wamid.2', 'wamid.3'].map((wamid) => JSON.stringify(event(wamid)));

    const first = await start(env);
    for (const body of bodies) expect(await notify(first, body)).toBe(200);
    expect(await first.end('SIGKILL')).toBeNull();

    const receiver = await peer(undefined, port);
    await start(env);
    const received = await receiver.untilReceived(3, 20_000);
    expect(received.map(({ body }) => body)).toEqual(bodies);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });
});

describe('kill -9', () => {
  test('while the receiver holds its answer back repeats that event under the same id, and no other', async () => {
    let answers = false;
    const receiver = await peer(() => (answers ? { status: 200 } : 'handled'));
    const env = freshSettings();
    await addLine(env, '--forward-url', `${receiver.url}/hook`);
    const first = await start(env);
    expect(await notify(first, notification(textFrom('16505551234', 'one', 'wamid.1')))).toBe(200);
    await receiver.untilReceived(1);
    await first.end('SIGKILL');

    answers = true;
    const second = await start(env);
    const [before, after] = await receiver.untilReceived(2, 20_000);
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    expect(after?.body).toBe(before?.body);
    expect(await notify(second, notification(textFrom('16505551234', 'two', 'wamid.2')))).toBe(200);
    await receiver.untilReceived(3);
    expect(receiver.received).toHaveLength(3);
  });
});
