import { DATABASES } from '../../support/databases';
import {
  CONTACT,
  expectRefusal,
  freshLineOf,
  imageTo,
  sceneOf,
  startScene,
  textTo,
} from '../../support/scene';
import { notification, notify, startTestGateway } from '../../support/test-gateway';

const HOUR = 60 * 60 * 1000;

describe.each(DATABASES)('the customer service window ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);

  const text = (to = CONTACT) => line.send(textTo(to));

  test('a contact that never wrote counts as outside.', async () => {
    expect(expectRefusal(await text(), 400, 'outside_24h_window', 131047)).toBe(
      '16505551234 has never written to this line. Send an approved template instead.',
    );
    expect(line.sent()).toEqual([]);
  });

  test('Free-form text outside it → 400 outside_24h_window, nothing forwarded, and how long ago the contact wrote', async () => {
    await line.wrote(CONTACT, 25);
    expect(expectRefusal(await text(), 400, 'outside_24h_window', 131047)).toBe(
      '16505551234 last wrote to this line 25 hours ago. Send an approved template instead.',
    );
    expect(line.sent()).toEqual([]);
  });

  test('Free-form text window | send, type text | Recipient must have written within the last 24 hours', async () => {
    await line.wrote(CONTACT, 23);
    expect((await text()).status).toBe(200);
    scene.clock.now += HOUR - 1;
    expect((await text()).status).toBe(200);
    scene.clock.now += 1;
    expectRefusal(await text(), 400, 'outside_24h_window', 131047);
    expect(line.sent()).toHaveLength(2);
  });

  test('value: the latest inbound event’s own timestamp, in whatever order they arrive', async () => {
    await line.wrote(CONTACT, 1);
    await line.wrote(CONTACT, 30);
    expect((await text()).status).toBe(200);
  });

  test('opens again as soon as the contact writes', async () => {
    expectRefusal(await text(), 400, 'outside_24h_window', 131047);
    await line.wrote(CONTACT, 0);
    expect((await text()).status).toBe(200);
  });

  test('Key (line, contact): a message of another contact, or to another line, opens nothing', async () => {
    const other = await scene.line();
    await line.wrote(CONTACT, 0);
    expectRefusal(await other.send(textTo(CONTACT)), 400, 'outside_24h_window', 131047);
    expectRefusal(await text('16505551235'), 400, 'outside_24h_window', 131047);
    expect(other.sent()).toEqual([]);
  });

  test('An upstream user id is a contact like any other', async () => {
    const from_user_id = 'US.13491208655302741918';
    const timestamp = String(scene.clock.now / 1000);
    const written = {
      contacts: [{ profile: { name: 'Ana', username: 'ana' }, user_id: from_user_id }],
      messages: [{ from_user_id, id: `wamid.${line.id}`, timestamp, type: 'text', text: { body: 'Hi' } }],
    };
    expectRefusal(await text(from_user_id), 400, 'outside_24h_window', 131047);
    expect(await notify(scene.gateway, notification(written, line.phoneNumberId))).toBe(200);
    expect((await text(from_user_id)).status).toBe(200);
    const toUser = { type: 'text', text: { body: 'Hello' }, recipient: from_user_id };
    expect((await line.send(toUser)).status).toBe(200);
    // Upstream takes "to" where both are given, so that is whose window counts.
    expectRefusal(await line.send({ ...toUser, to: CONTACT }), 400, 'outside_24h_window', 131047);
    expect(line.sent()).toHaveLength(2);
  });

  test('Per line: text (default), all (every type but template), upstream (forward always)', async () => {
    const template = {
      to: CONTACT,
      type: 'template',
      template: { name: 'unknown_here', language: { code: 'en' } },
    };
    const statuses = async () =>
      Promise.all(
        [textTo(CONTACT), imageTo(CONTACT), template].map(async (body) => (await line.send(body)).status),
      );
    expect(await statuses()).toEqual([400, 200, 200]);
    await line.edit({ window_mode: 'all' });
    expect(await statuses()).toEqual([400, 400, 200]);
    expect((await line.send({ status: 'read', message_id: 'wamid.1' })).status).toBe(200);
    await line.edit({ window_mode: 'upstream' });
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  test('stays as it was when the gateway starts again', async () => {
    const first = await startScene(await createUrl(), { GATEWAY_UPSTREAM_URL: scene.upstream.url });
    const { phoneNumberId, token, wrote } = await first.line();
    await wrote(CONTACT, 1);
    await first.stop();
    const again = await startTestGateway(first.gateway.env, () => first.clock.now);
    const answer = await fetch(`${again.url}/v22.0/${phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(textTo(CONTACT)),
    });
    const { success } = (await answer.json()) as { success: boolean };
    await again.stop();
    expect([answer.status, success]).toEqual([200, true]);
  });
});
