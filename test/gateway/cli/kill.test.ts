import { offline } from '../../../gateway/cli/offline';
import { DATABASES } from '../../support/databases';
import { notification, notify, settings, textFrom } from '../../support/test-gateway';
import { addLine, endAll, peer, start } from './support';

jest.setTimeout(30_000);

afterEach(endAll);

const event = (wamid: string): string =>
  JSON.stringify(notification(textFrom('16505551234', 'Olá 😀', wamid)));

describe.each(DATABASES)('kill -9 ($name)', ({ createUrl }) => {
  test('between events and their forwarding loses none, and repeats only what was on its way', async () => {
    let answers = false;
    const receiver = await peer(() => (answers ? { status: 200 } : 'handled'));
    const env = settings(await createUrl());
    await addLine(env, '--forward-url', `${receiver.url}/hook`);
    const bodies = ['wamid.1', 'wamid.2', 'wamid.3'].map(event);

    const first = await start(env);
    for (const body of bodies) expect(await notify(first, body)).toBe(200);
    await receiver.untilReceived(1);
    expect(await first.end('SIGKILL')).toBeNull();

    answers = true;
    // As if the lease of the process that is gone had run out: other processes wait for that, up to 12 seconds.
    await offline(env, ({ store }) => store.processes.removeAll());
    const second = await start(env);
    const received = await receiver.untilReceived(4, 20_000);
    expect(received.map(({ body }) => body)).toEqual([bodies[0], ...bodies]);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);

    const next = event('wamid.4');
    expect(await notify(second, next)).toBe(200);
    expect((await receiver.untilReceived(5)).at(-1)?.body).toBe(next);
    expect(await second.end()).toBe(0);
    expect(receiver.received).toHaveLength(5);
  });
});
