import { CONTACT, expectRefusal, imageTo, textTo } from '../../support/scene';
import { ask, bearer, JSON_TYPE, onEachDatabase, refuses, type World } from './support';

const operation = ({ line }: World, path: string) => `/v22.0/${line.phoneNumberId}${path}`;
const initOf = (path: string): RequestInit =>
  path === '/messages' ? { method: 'POST', body: JSON.stringify(imageTo(CONTACT)) } : {};

onEachDatabase('Errors', (world) => {
  test.each(['/messages', '/templates', '/status'])(
    'Token invalid or not matching tid | all three operations | HTTP 401. %s',
    async (path) => {
      const other = await world.scene.line();
      for (const token of ['nonsense', `${world.line.token}x`, other.token]) {
        const reply = await ask(world, operation(world, path), {
          ...initOf(path),
          headers: { ...JSON_TYPE, ...bearer(token) },
        });
        refuses(world, reply, 401, 'invalid_token', 190);
      }
    },
  );

  test.each(['/templates', '/status'])(
    'Line deactivated or API disabled | templates, status | HTTP 403. %s',
    async (path) => {
      const at = new Date(world.scene.clock.now).toISOString();
      await world.line.edit({ api_disabled_at: at });
      expectRefusal(await world.line.get(path), 403, 'api_disabled', 200);
      await world.line.edit({ deactivated_at: at, api_disabled_at: null });
      expectRefusal(await world.line.get(path), 403, 'line_inactive', 200);
    },
  );

  test('Free-form text sent outside the 24-hour window | send | Send fails with error code outside_24h_window; use an approved template.', async () => {
    await world.line.wrote(CONTACT, 25);
    const reply = await world.line.send(textTo(CONTACT));
    expect(refuses(world, reply, 400, 'outside_24h_window', 131047)).toBe(
      `${CONTACT} last wrote to this line 25 hours ago. Send an approved template instead.`,
    );
  });

  test('Line quality not HIGH or MEDIUM | send | Send is blocked before forwarding.', async () => {
    await world.line.rated('RED');
    refuses(world, await world.line.send(imageTo(CONTACT)), 403, 'line_quality_low', 131048);
  });

  test.each<[string, string, string, number]>([
    ['Invalid JSON', '{"to":"1"', 'invalid_json', 100],
    ['missing required fields', '{"type":"image","image":{"id":"1"}}', 'invalid_payload', 100],
    ['invalid types', `{"to":"${CONTACT}","type":"image","image":{"id":1}}`, 'invalid_payload', 131009],
  ])(
    'Invalid JSON, missing required fields or invalid types | send | Rejected before forwarding. %s',
    async (_row, body, word, code) => {
      refuses(world, await world.line.send(body), 400, word, code);
    },
  );
});
