import { CONTACT, imageTo } from '../../support/scene';
import { JSON_TYPE, onEachDatabase, ask, post } from './support';

onEachDatabase('Versioning', (world) => {
  test.each(['/api/v22.0', '/v22.0'])(
    '1. The API version is part of the path: v22.0 (/api/v22.0/... on {base_url}, /v22.0/... on {api_url}). %s',
    async (prefix) => {
      const under = `${prefix}/${world.line.phoneNumberId}`;
      expect((await post(world, `${under}/messages`, imageTo(CONTACT))).status).toBe(200);
      expect((await ask(world, `${under}/templates`)).status).toBe(200);
      expect((await ask(world, `${under}/status`)).status).toBe(200);
      expect((await ask(world, `${under.replace('v22.0/', '')}/status`)).status).toBe(404);
    },
  );

  test('3. The payload format follows the upstream platform’s cloud messaging format.', async () => {
    const written = `{"messaging_product":"whatsapp","to":"${CONTACT}","type":"sticker","sticker":{"id":"1"},"later":{"new":1.0}}`;
    await ask(world, `/v22.0/${world.line.phoneNumberId}/messages`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: written,
    });
    const [request] = world.scene.upstream.asked('messages', world.line.phoneNumberId);
    expect([request?.url, request?.body]).toEqual([`/v22.0/${world.line.phoneNumberId}/messages`, written]);
  });
});
