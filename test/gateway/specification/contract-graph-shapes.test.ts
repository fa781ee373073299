import { call, expectRefusal, phoneNumberNode, upstreamError } from '../../support/scene';
import { ask, bearer, onEachDatabase, synced, upstreamTemplate } from './support';

onEachDatabase(
  '10. Beyond the specification: graph shapes | in the upstream’s own shape, for upstream clients',
  (world) => {
    describe('GET /v22.0/{waba}/message_templates', () => {
      const path = () => `/v22.0/${world.wabaId}/message_templates`;

      test('has upstream’s records, in its words, without asking it', async () => {
        await synced(world, upstreamTemplate('greeting', { status: 'PAUSED' }));
        world.scene.upstream.answers.templates = () => upstreamError(500, 2);
        const { status, body } = await ask(world, path());
        expect(status).toBe(200);
        expect(body.data).toEqual([
          expect.objectContaining({
            id: 'id of greeting',
            name: 'greeting',
            language: 'en_US',
            category: 'UTILITY',
            status: 'PAUSED',
            components: [{ type: 'BODY', text: 'Hello {{1}}' }],
          }),
        ]);
        expect(body.data[0]).not.toHaveProperty('platform_status');
      });

      test('of the token’s own business account alone', async () => {
        const other = await world.scene.line();
        const reply = await call(world.scene.gateway.url + path(), { headers: bearer(other.token) });
        expectRefusal(reply, 401, 'invalid_token', 190);
        expectRefusal(await call(world.scene.gateway.url + path()), 401, 'missing_token', 190);
      });

      test('with the token in the query, as upstream clients write it', async () => {
        const reply = await call(`${world.scene.gateway.url}${path()}?access_token=${world.line.token}`);
        expect(reply.status).toBe(200);
        expect(world.scene.gateway.logged()).not.toContain(world.line.token);
      });
    });

    describe('GET /v22.0/{tid}', () => {
      const path = () => `/v22.0/${world.line.phoneNumberId}`;

      test('is the phone number’s node, in upstream’s words', async () => {
        world.scene.upstream.answers.phoneNumber = () => phoneNumberNode({ quality_rating: 'YELLOW' });
        await world.line.get('/status?refresh=1');
        const { status, body } = await ask(world, path());
        expect(status).toBe(200);
        expect(body).toMatchObject({
          id: world.line.phoneNumberId,
          verified_name: 'Lucky Shrub',
          quality_rating: 'YELLOW',
        });
        expect(body).not.toHaveProperty('success');
      });

      test('?fields= chooses', async () => {
        await world.line.get('/status?refresh=1');
        const { body } = await ask(world, `${path()}?fields=quality_rating`);
        expect(body).toEqual({ quality_rating: 'GREEN', id: world.line.phoneNumberId });
      });

      test('to the line’s own token alone', async () => {
        const other = await world.scene.line();
        const reply = await call(world.scene.gateway.url + path(), { headers: bearer(other.token) });
        expectRefusal(reply, 401, 'invalid_token', 190);
      });
    });
  },
);
