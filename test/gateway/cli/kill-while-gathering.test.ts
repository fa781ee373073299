import { offline } from '../../../gateway/cli/offline';
import { DATABASES } from '../../support/databases';
import { call, type Json } from '../../support/scene';
import { notification, notify, settings, textFrom } from '../../support/test-gateway';
import { addLine, peer, PHONE_NUMBER_ID, start } from './support';

describe.each(DATABASES)(
  'kill -9 while messages wait until their contact pauses ($name)',
  ({ createUrl }) => {
    test('loses none of them, and sends them as one event', async () => {
      const receiver = await peer(() => ({ status: 200 }));
      const env = settings(await createUrl());
      const { token } = await addLine(env);
      const first = await start(env);
      const added = await call(`${first.url}/v22.0/${PHONE_NUMBER_ID}/destinations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${receiver.url}/hook`, events: ['messages'], quiet_seconds: 3 }),
      });
      expect(added.status).toBe(201);
      for (const text of ['one', 'two', 'three'])
        expect(await notify(first, notification(textFrom('16505551234', text, `wamid.${text}`)))).toBe(200);
      expect(await first.end('SIGKILL')).toBeNull();

      // As if the lease of the process that is gone had run out.
      await offline(env, ({ store }) => store.processes.removeAll());
      const second = await start(env);
      const posted = () => receiver.received.filter(({ method }) => method === 'POST');
      const began = Date.now();
      while (!posted().length && Date.now() - began < 20_000)
        await new Promise((resolve) => setTimeout(resolve, 100));
      const [{ changes }] = (JSON.parse(posted()[0]?.body ?? '{"entry":[{}]}') as Json).entry;
      expect(changes[0].value.messages.map((one: Json) => one.text.body)).toEqual(['one', 'two', 'three']);
      expect(await second.end()).toBe(0);
      expect(posted()).toHaveLength(1);
    });
  },
);
