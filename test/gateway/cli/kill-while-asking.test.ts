import { offline } from '../../../gateway/cli/offline';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { rows, write } from '../../support/rows';
import { call, type Reply } from '../../support/scene';
import { notification, notify, settings, textFrom } from '../../support/test-gateway';
import { addLine, peer, PHONE_NUMBER_ID, start } from './support';

const CONTACT = '16505551234';
const WAMID = 'wamid.asks';

describe.each(DATABASES)('kill -9 while the message of a question is being sent ($name)', ({ createUrl }) => {
  test('asks nobody twice under the same key, and leaves the contact free for another question', async () => {
    const callback = await peer();
    let answers = false;
    const platform = await peer(() => (answers ? { body: { messages: [{ id: WAMID }] } } : 'handled'));
    const sent = () => platform.received.filter(({ url }) => url.endsWith('/messages')).length;
    const url = await createUrl();
    const offlineEnv = settings(url, { GATEWAY_ALLOW_FOR_TOKENS: 'on' });
    const { token } = await addLine(offlineEnv, '--window', 'upstream');
    const env = { ...offlineEnv, GATEWAY_UPSTREAM_URL: platform.url };
    let gateway = await start(env);
    const ask = (key: string): Promise<Reply> =>
      call(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}/questions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          contact: CONTACT,
          message: { type: 'text', text: { body: 'What is your name?' } },
          accepts: ['text'],
          expires_in: 3600,
          callback_url: `${callback.url}/answers/${key}`,
          key,
        }),
      });
    const codeOf = async (key: string) => (await ask(key)).body.error_code;
    /** As if the send had begun so long ago. */
    const age = async (milliseconds: number) => {
      const at = new Date(Date.now() - milliseconds).toISOString();
      await write(url, `update questions set created_at = '${at}'`);
      await write(url, `update idempotency_keys set started_at = '${at}'`);
    };

    const broken = ask('first').catch(() => null);
    await until(() => sent() === 1);
    expect(await gateway.end('SIGKILL')).toBeNull();
    expect(await broken).toBeNull();
    // As if the lease of the process that is gone had run out.
    await offline(env, ({ store }) => store.processes.removeAll());
    answers = true;
    gateway = await start(env);
    // For 60 seconds the send may still be running in another process.
    await age(0);
    expect([await codeOf('first'), await codeOf('second')]).toEqual([
      'idempotency_in_progress',
      'question_open',
    ]);

    await age(61_000);
    expect(await codeOf('first')).toBe('upstream_timeout');
    expect(sent()).toBe(1);
    const { status, body } = await ask('second');
    expect([status, sent()]).toEqual([201, 2]);
    expect(await rows(url, 'select id, state from questions')).toEqual([{ id: body.id, state: 'open' }]);
    expect(await notify(gateway, notification(textFrom(CONTACT, 'Ana', 'wamid.answer')))).toBe(200);
    const [answer] = await callback.untilReceived(1);
    expect([answer?.url, answer?.headers['x-gateway-answer-to']]).toEqual(['/answers/second', body.id]);
    expect(await gateway.end()).toBe(0);
  });
});
