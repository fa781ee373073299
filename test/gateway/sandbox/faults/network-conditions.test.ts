import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTACT, LINE, startTestSandbox, template, type TestSandbox, TOKEN } from '../support';

const hello = template('hello_world');

/** Asks over a connection of its own, as a caller does who was not there before. */
const ask = (sandbox: TestSandbox, path = `/v22.0/${LINE}`): Promise<number> =>
  new Promise((resolve, reject) => {
    request(
      sandbox.url + path,
      { agent: false, headers: { authorization: `Bearer ${TOKEN}` } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    )
      .on('error', reject)
      .end();
  });

/** Asks until it is answered with 200. */
async function untilAnswered(sandbox: TestSandbox): Promise<void> {
  while ((await ask(sandbox).catch(() => 0)) !== 200) await sleep(5);
}

describe('latency', () => {
  it('delays each answer, but not those of the control routes, until it is ended', async () => {
    const sandbox = await startTestSandbox();
    const set = await sandbox.play('latency', { delay: '5m', spread: '1s', for: '1h' });
    expect(set).toEqual({
      latency: { delay: '5m', spread: '1s', until: expect.any(String) },
      outage: null,
    });
    const late = sandbox.send(hello).catch((failure: Error) => failure.message);
    expect((await sandbox.call('GET', '/sandbox')).json.latency.delay).toBe('5m');
    expect((await sandbox.call('DELETE', '/sandbox/latency')).json.latency).toBeNull();
    expect((await sandbox.send(hello)).code).toBe(200);
    // What waits is let go when the sandbox closes, rather than holding it up.
    await sandbox.close();
    await late;
  });

  it('lets the answer come in the end, and ends by itself', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('latency', { delay: '10ms', spread: '10ms', for: '50ms' });
    expect((await sandbox.send(hello)).code).toBe(200);
    while ((await sandbox.call('GET', '/sandbox')).json.latency !== null) await sleep(5);
    expect((await sandbox.send(hello)).code).toBe(200);
  });
});

describe('an outage', () => {
  it('answers 503', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('outage', { kind: 'unavailable', for: '1h' });
    expect(await sandbox.send(hello)).toMatchObject({
      code: 503,
      json: { error: { message: 'Service temporarily unavailable', code: 2, is_transient: true } },
    });
  });

  it.each(['unavailable', 'silent', 'cut'])('of the kind %s ends by itself', async (kind) => {
    const sandbox = await startTestSandbox();
    await sandbox.play('outage', { kind, for: '100ms' });
    await untilAnswered(sandbox);
    expect((await sandbox.call('GET', '/sandbox')).json.outage).toBeNull();
  });

  it('cuts connections, and can be ended', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('outage', { kind: 'cut', for: '1h' });
    await expect(ask(sandbox)).rejects.toThrow('socket hang up');
    expect((await sandbox.call('GET', '/sandbox')).json.outage.kind).toBe('cut');
    expect((await sandbox.call('DELETE', '/sandbox/outage')).json.outage).toBeNull();
    expect(await ask(sandbox)).toBe(200);
  });

  it('leaves requests without an answer, and cuts them when it ends', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('outage', { kind: 'silent', for: '1h' });
    const unanswered = expect(ask(sandbox)).rejects.toThrow('socket hang up');
    // Once this is answered, what came before it was taken.
    await ask(sandbox, '/sandbox');
    await sandbox.call('DELETE', '/sandbox/outage');
    await unanswered;
    expect(await ask(sandbox)).toBe(200);
  });

  it('refuses connections, to the control routes too, and listens on the same port again', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('outage', { kind: 'refused', for: '3s' });
    await expect(ask(sandbox)).rejects.toThrow('ECONNREFUSED');
    await expect(ask(sandbox, '/sandbox')).rejects.toThrow('ECONNREFUSED');
    await untilAnswered(sandbox);
    expect((await sandbox.send(hello)).code).toBe(200);
  });

  it.each(['refused', 'silent', 'cut', 'unavailable'])(
    'of the kind %s does not keep the sandbox from closing',
    async (kind) => {
      const sandbox = await startTestSandbox();
      await sandbox.play('outage', { kind, for: '1h' });
      const unanswered = ask(sandbox).catch((failure: Error) => failure);
      await sandbox.close();
      await unanswered;
    },
  );

  it('takes the place of the one before, which ends', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('outage', { kind: 'silent', for: '1h' });
    const unanswered = expect(ask(sandbox)).rejects.toThrow('socket hang up');
    await ask(sandbox, '/sandbox');
    await sandbox.play('outage', { kind: 'unavailable', for: '1h' });
    await unanswered;
    expect(await ask(sandbox)).toBe(503);
  });

  it('sends nothing of what was refused', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('outage', { kind: 'unavailable', for: '1h' });
    await sandbox.send(hello);
    await sandbox.call('DELETE', '/sandbox/outage');
    expect((await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`)).json.messages).toEqual([]);
  });

  it.each([
    ['outage', {}, '"kind" is one of "refused", "silent", "cut", "unavailable"'],
    ['outage', { kind: 'silent', for: '2h' }, '"for" is a duration'],
    ['outage', { kind: 'silent', for: 5 }, '"for" is a duration'],
    ['latency', {}, '"delay" is a duration'],
    ['latency', { delay: '6m' }, 'of 5m at most'],
    ['latency', { delay: '1s', spread: 'some' }, '"spread" is a duration'],
  ])('of weather, %s is not made of %j', async (what, body, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', `/sandbox/${what}`, body);
    expect([answer.code, answer.json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});
