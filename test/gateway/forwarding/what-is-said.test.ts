import { setForwardingUrl } from '../../../gateway/forwarding/destinations/destination-rows';
import { failureOf } from '../../../gateway/forwarding/failures';
import { fact } from '../../../gateway/wording/facts';
import { say } from '../../../gateway/wording/say';
import { throttledLog } from '../../../gateway/primitives/throttled-log';
import { startPeer, until } from '../../support/http-peer';
import { sqliteUrl, startScene } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

describe('what is said of failures', () => {
  test('tells what most often stands behind an answer', () => {
    const words = (outcome: string, httpStatus: number | null) =>
      say('en', fact('attempt.failed', { failure: failureOf({ outcome, httpStatus }) }));
    expect(words('http_error', 404)).toMatch(/^HTTP 404: .*n8n.*inactive$/);
    expect(words('http_error', 401)).toMatch(/^HTTP 401: .*header/);
    expect(words('http_error', 503)).toBe('HTTP 503');
    expect(words('timeout', null)).toBe('no answer in time');
  });

  test('is logged once, and not for each of many failures at the same time', () => {
    const logged: [object, string][] = [];
    const log = throttledLog((...line) => logged.push(line));
    for (let number = 0; number < 100; number++) log({ number }, 'attempt not recorded');
    log({}, 'event not read');
    expect(logged).toEqual([
      [{ number: 0 }, 'attempt not recorded'],
      [{}, 'event not read'],
    ]);
  });
});

test('each attempt is a line for whoever looks closely', async () => {
  const receiver = await startPeer(() => ({ status: 503 }));
  const scene = await startScene(await sqliteUrl());
  const { gateway } = scene;
  try {
    const line = await scene.line();
    const rules = { refuseUrl: () => null } as never;
    const to = { url: receiver.url, secret: null };
    await scene.change((world) => setForwardingUrl({ ...world, rules }, line.id, null, to));
    const body = 'What a contact writes is in no log';
    await notify(gateway, notification(textFrom('12025550147', body, 'wamid.one'), line.phoneNumberId));
    const attempts = () =>
      gateway
        .logged()
        .split('\n')
        .filter((line) => line.includes('"msg":"attempt"'));
    await until(() => attempts().length > 0);
    expect(JSON.parse(attempts()[0] ?? '')).toMatchObject({
      level: 20,
      eventId: expect.stringMatching(/^evt_/),
      destination: 1,
      attempt: 1,
      isProbe: false,
      outcome: 'http_error',
      httpStatus: 503,
      durationMs: expect.any(Number),
    });
    expect(gateway.logged()).not.toContain(body);
  } finally {
    await scene.stop();
    await receiver.close();
  }
});
