import { CONTACT, imageTo, phoneNumberNode, upstreamError, type Json } from '../../support/scene';
import { askedForStatus, onEachDatabase, SECOND } from './support';

onEachDatabase('7. Line status', (world) => {
  const asked = async (node: object): Promise<Json> => {
    world.scene.upstream.answers.phoneNumber = () => phoneNumberNode(node);
    return (await world.line.get('/status?refresh=1')).body;
  };

  test.each<[string, string, boolean | null]>([
    ['CONNECTED', 'connected', true],
    ['LINKED', 'connected', true],
    ['FLAGGED', 'connected', true],
    ['RATE_LIMITED', 'connected', true],
    ['RESTRICTED', 'connected', true],
    ['PENDING', 'pending', false],
    ['UNVERIFIED', 'pending', false],
    ['DISCONNECTED', 'disconnected', false],
    ['UNLINKED', 'disconnected', false],
    ['BANNED', 'disconnected', false],
    ['DELETED', 'disconnected', false],
    ['MIGRATED', 'disconnected', false],
    ['UNKNOWN', 'unknown', null],
  ])('Upstream %s → %s with connected: %s', async (word, state, connected) => {
    expect(await asked({ status: word })).toMatchObject({
      state,
      connected,
      platform: { platform_status: word },
    });
  });

  test('never asked → unknown with connected: null', async () => {
    const { body } = await world.line.get('/status');
    expect(body).toMatchObject({ state: 'unknown', connected: null, platform: { platform_status: null } });
    expect(askedForStatus(world)).toEqual([]);
  });

  test.each<[string | undefined, string]>([
    ['GREEN', 'HIGH'],
    ['YELLOW', 'MEDIUM'],
    ['RED', 'LOW'],
    ['UNKNOWN', 'UNKNOWN'],
    ['NA', 'UNKNOWN'],
    [undefined, 'UNKNOWN'],
  ])('platform.quality_rating: HIGH, MEDIUM, LOW, UNKNOWN. %s → %s', async (rating, word) => {
    expect((await asked({ quality_rating: rating })).platform.quality_rating).toBe(word);
  });

  test('platform.quality_rating: or null when never asked.', async () => {
    expect((await world.line.get('/status')).body.platform.quality_rating).toBeNull();
  });

  test.each<[object, string | null]>([
    [{ whatsapp_business_manager_messaging_limit: 'TIER_10K', messaging_limit_tier: 'TIER_1K' }, 'TIER_10K'],
    [{ messaging_limit_tier: 'TIER_1K' }, 'TIER_1K'],
    [{}, null],
  ])(
    'messaging_limit: whatsapp_business_manager_messaging_limit, else messaging_limit_tier. %j → %s',
    async (node, expected) => {
      expect((await asked(node)).platform.messaging_limit).toBe(expected);
    },
  );

  test('checked_at is when this answer was evaluated; platform.last_checked_at is the last successful upstream poll.', async () => {
    const polled = new Date(world.scene.clock.now).toISOString();
    await asked({});
    world.scene.clock.now += 60 * SECOND;
    world.scene.upstream.answers.phoneNumber = () => upstreamError(500, 2);
    const { body } = await world.line.get('/status?refresh=1');
    expect(body.checked_at).toBe(new Date(world.scene.clock.now).toISOString());
    expect(body.platform.last_checked_at).toBe(polled);
  });

  test('Quality is no longer pushed by upstream: what is polled decides of the next send', async () => {
    await asked({ quality_rating: 'RED' });
    expect((await world.line.send(imageTo(CONTACT))).status).toBe(403);
    world.scene.clock.now += 60 * SECOND;
    await asked({ quality_rating: 'YELLOW' });
    expect((await world.line.send(imageTo(CONTACT))).status).toBe(200);
    expect(world.line.sent()).toHaveLength(1);
  });

  test('A field that upstream no longer knows fails its whole request: drop the named field and ask once more.', async () => {
    const fieldsOf = (url: string) =>
      new URL(url, 'http://upstream').searchParams.get('fields')?.split(',') ?? [];
    world.scene.upstream.answers.phoneNumber = ({ url }) =>
      fieldsOf(url).includes('name_status')
        ? upstreamError(400, 100, {
            message: '(#100) Tried accessing nonexisting field (name_status) on node type (X)',
          })
        : phoneNumberNode({ name_status: undefined });
    const { body } = await world.line.get('/status?refresh=1');
    expect(body).toMatchObject({ state: 'connected', platform: { refresh: { performed: true } } });
    const [first = [], second = [], ...more] = askedForStatus(world).map(({ url }) => fieldsOf(url));
    expect(second).toEqual(first.filter((field) => field !== 'name_status'));
    expect(more).toEqual([]);
  });
});
