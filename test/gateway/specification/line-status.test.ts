import { phoneNumberNode, type Json } from '../../support/scene';
import { onEachDatabase, type World } from './support';

/** The status after upstream was asked, which tells this. */
async function asked({ scene, line }: World, node: object): Promise<Json> {
  scene.upstream.answers.phoneNumber = () => phoneNumberNode(node);
  return (await line.get('/status?refresh=1')).body;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

onEachDatabase('Line status response', (world) => {
  test('success | boolean', async () => {
    expect((await world.line.get('/status')).body.success).toBe(true);
  });

  test('connected | boolean or null | Null when state is unknown.', async () => {
    expect((await world.line.get('/status')).body).toMatchObject({ connected: null, state: 'unknown' });
    expect(await asked(world, { status: 'CONNECTED' })).toMatchObject({ connected: true });
    world.scene.clock.now += 60_000;
    expect(await asked(world, { status: 'BANNED' })).toMatchObject({ connected: false });
  });

  test.each([
    ['connected', 'CONNECTED'],
    ['disconnected', 'DISCONNECTED'],
    ['pending', 'PENDING'],
    ['unknown', 'UNKNOWN'],
  ])('state | string | One of connected, disconnected, pending, unknown. %s', async (state, word) => {
    expect((await asked(world, { status: word })).state).toBe(state);
  });

  test('checked_at | string (date-time)', async () => {
    const { body } = await world.line.get('/status');
    expect(body.checked_at).toMatch(ISO_TIME);
    expect(body.checked_at).toBe(new Date(world.scene.clock.now).toISOString());
  });

  test('line | object | id (integer), name (string), phone_number (string), channel (string, allowed value cloud_api), is_active (boolean), api_enabled (boolean).', async () => {
    expect((await world.line.get('/status')).body.line).toEqual({
      id: world.line.id,
      name: 'Test line',
      phone_number: '15550783881',
      channel: 'cloud_api',
      is_active: true,
      api_enabled: true,
    });
  });

  describe('platform object', () => {
    test.each<[string, object, object, object]>([
      [
        'platform_status | string or null | Status reported upstream.',
        { status: 'FLAGGED' },
        { platform_status: 'FLAGGED' },
        { platform_status: null },
      ],
      [
        'quality_rating | string or null',
        { quality_rating: 'YELLOW' },
        { quality_rating: 'MEDIUM' },
        { quality_rating: null },
      ],
      [
        'messaging_limit | string or null | Upstream messaging tier label.',
        { whatsapp_business_manager_messaging_limit: 'TIER_10K' },
        { messaging_limit: 'TIER_10K' },
        { messaging_limit: null },
      ],
      [
        'verified_name | string',
        { verified_name: 'Café Ana' },
        { verified_name: 'Café Ana' },
        { verified_name: '' },
      ],
      ['name_status | string', { name_status: 'DECLINED' }, { name_status: 'DECLINED' }, { name_status: '' }],
      [
        'refresh | object | requested (boolean).',
        {},
        { refresh: { requested: true, performed: true } },
        { refresh: { requested: false } },
      ],
    ])('%s', async (_row, node, afterwards, before) => {
      expect((await world.line.get('/status')).body.platform).toMatchObject(before);
      expect((await asked(world, node)).platform).toMatchObject(afterwards);
    });

    test('has_credentials | boolean | Whether upstream credentials are stored for the line.', async () => {
      const bare = await world.scene.line({ accessToken: null });
      expect((await bare.get('/status')).body.platform.has_credentials).toBe(false);
      const reply = await world.line.get('/status');
      expect(reply.body.platform.has_credentials).toBe(true);
      expect(reply.text).not.toContain('upstream-access-token');
    });

    test('last_checked_at | string (date-time) or null', async () => {
      expect((await world.line.get('/status')).body.platform.last_checked_at).toBeNull();
      const { platform } = await asked(world, {});
      expect(platform.last_checked_at).toBe(new Date(world.scene.clock.now).toISOString());
    });
  });
});
