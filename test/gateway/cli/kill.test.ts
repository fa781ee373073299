import { offline } from '../../../gateway/cli/offline';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { notification, notify, settings, textFrom } from '../../support/test-gateway';
import { addLine, endAll, freshSettings, peer, start } from './support';

jest.setTimeout(30_000);

afterEach(endAll);

const event = (wamid: string): string =>
  JSON.stringify(notification(textFrom('16505551234', 'Olá 😀', wamid)));

describe.each(DATABASES)('kill -9 ($name)', ({ createUrl }) => {
  test('between events and their forwarding loses none: after the restart they go out, in their order', async () => {
    let refuses = true;
    const receiver = await peer(() => ({ status: refuses ? 503 : 200 }));
    const env = settings(await createUrl());
    await addLine(env, '--forward-url', `${receiver.url}/hook`);
    const bodies = ['wamid.1', 'wamid.2', 'wamid.3'].map(event);

    const first = await start(env);
    for (const body of bodies) expect(await notify(first, body)).toBe(200);
    const attempts = () =>
      offline(env, async ({ store }) => (await store.deliveries.ofDestination(1)).map((one) => one.attempts));
    await until(async () => (await attempts()).join() === '1,0,0');
    expect(await first.end('SIGKILL')).toBeNull();

    refuses = false;
    // As if the lease of the process that is gone had run out: other processes wait for that, up to 15 seconds.
    await offline(env, ({ store }) => store.processes.removeAll());
    await start(env);
    const received = await receiver.untilReceived(4, 20_000);
    expect(received.map(({ body }) => body)).toEqual([bodies[0], ...bodies]);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('kill -9', () => {
  test('while the receiver holds its answer back repeats that event under the same id, and no other', async () => {
    let answers = false;
    const receiver = await peer(() => (answers ? { status: 200 } : 'handled'));
    const env = freshSettings();
    await addLine(env, '--forward-url', `${receiver.url}/hook`);
    const first = await start(env);
    expect(await notify(first, event('wamid.1'))).toBe(200);
    await receiver.untilReceived(1);
    await first.end('SIGKILL');

    answers = true;
    const second = await start(env);
    const [before, after] = await receiver.untilReceived(2, 20_000);
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    expect(after?.body).toBe(before?.body);
    expect(await notify(second, event('wamid.2'))).toBe(200);
    await receiver.untilReceived(3);
    expect(receiver.received).toHaveLength(3);
  });
});
