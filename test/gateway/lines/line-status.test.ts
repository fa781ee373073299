import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import {
  call,
  expectRefusal,
  phoneNumberNode,
  sceneOf,
  upstreamError,
  type TestLine,
} from '../../support/scene';

const SECOND = 1000;

describe.each(DATABASES)('the status of a line ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  let line: TestLine;

  beforeEach(async () => {
    scene.upstream.answers.phoneNumber = () => phoneNumberNode();
    line = await scene.line();
  });

  const asked = () => scene.upstream.asked('phoneNumber', line.phoneNumberId);
  const answering = (more: object) => {
    scene.upstream.answers.phoneNumber = () => phoneNumberNode(more);
  };

  test('never asked → unknown with connected: null, and every field of the Line status response', async () => {
    const { status, body } = await line.get('/status');
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      connected: null,
      state: 'unknown',
      health: 'no_webhook',
      checked_at: new Date(scene.clock.now).toISOString(),
      line: {
        id: line.id,
        name: 'Test line',
        phone_number: '15550783881',
        channel: 'cloud_api',
        is_active: true,
        api_enabled: true,
      },
      platform: {
        platform_status: null,
        quality_rating: null,
        messaging_limit: null,
        verified_name: '',
        name_status: '',
        has_credentials: true,
        last_checked_at: null,
        refresh: { requested: false },
      },
    });
    expect(asked()).toEqual([]);
  });

  test('checked_at is when this answer was evaluated; platform.last_checked_at is the last successful upstream poll.', async () => {
    answering({ messaging_limit_tier: 'TIER_1K', whatsapp_business_manager_messaging_limit: 'TIER_10K' });
    const at = new Date(scene.clock.now).toISOString();
    const platform = {
      platform_status: 'CONNECTED',
      quality_rating: 'HIGH',
      messaging_limit: 'TIER_10K',
      verified_name: 'Lucky Shrub',
      name_status: 'APPROVED',
      has_credentials: true,
      last_checked_at: at,
    };
    const { body } = await line.get('/status?refresh=1');
    expect(body).toMatchObject({ connected: true, state: 'connected', checked_at: at });
    expect(body.platform).toEqual({ ...platform, refresh: { requested: true, performed: true } });

    scene.clock.now += 5 * SECOND;
    const later = (await line.get('/status')).body;
    expect(later.checked_at).toBe(new Date(scene.clock.now).toISOString());
    expect(later.platform).toEqual({ ...platform, refresh: { requested: false } });
    expect(asked()).toHaveLength(1);
    expect(asked()[0]?.headers.authorization).toBe('Bearer upstream-access-token');
  });

  test.each([
    ['connected', true, ['CONNECTED', 'LINKED', 'FLAGGED', 'RATE_LIMITED', 'RESTRICTED', 'connected']],
    ['pending', false, ['PENDING', 'UNVERIFIED']],
    ['disconnected', false, ['DISCONNECTED', 'UNLINKED', 'BANNED', 'DELETED', 'MIGRATED']],
    ['unknown', null, ['UNKNOWN', 'SOMETHING_NEW', 'constructor']],
  ])(
    'state | string | One of connected, disconnected, pending, unknown. %s (connected: %s) by what upstream says',
    async (state, connected, words) => {
      for (const word of words) {
        answering({ status: word });
        const { body } = await line.get('/status?refresh=1');
        expect([word, body.state, body.connected, body.platform.platform_status]).toEqual([
          word,
          state,
          connected,
          word,
        ]);
        scene.clock.now += 60 * SECOND;
      }
    },
  );

  test.each([
    ['GREEN', 'HIGH'],
    ['YELLOW', 'MEDIUM'],
    ['RED', 'LOW'],
    ['NA', 'UNKNOWN'],
    ['UNKNOWN', 'UNKNOWN'],
    [undefined, 'UNKNOWN'],
  ])('platform.quality_rating: HIGH, MEDIUM, LOW, UNKNOWN. %s → %s', async (rating, word) => {
    answering({ quality_rating: rating });
    expect((await line.get('/status?refresh=1')).body.platform.quality_rating).toBe(word);
  });

  test.each([
    ['null', null],
    ['a number', 7],
    ['an object', { toUpperCase: 1 }],
    ['a list', ['CONNECTED']],
    ['nothing', ''],
    ['endless', 'x'.repeat(100_000)],
  ])(
    'Upstream failing, by an answer of another shape: takes a field that is %s for one that is not there',
    async (_what, value) => {
      answering({
        status: value,
        quality_rating: value,
        verified_name: value,
        name_status: value,
        messaging_limit_tier: value,
        whatsapp_business_manager_messaging_limit: value,
      });
      const { status, body } = await line.get('/status?refresh=1');
      expect([status, body.state, body.connected]).toEqual([200, 'unknown', null]);
      expect(body.platform).toMatchObject({
        platform_status: null,
        quality_rating: 'UNKNOWN',
        messaging_limit: null,
        verified_name: '',
        name_status: '',
        last_checked_at: new Date(scene.clock.now).toISOString(),
      });
      expect((await line.get('/status')).status).toBe(200);
    },
  );

  test('is told of what was stored in whatever shape', async () => {
    for (const node of ['null', '7', '[]', '{"status":5,"quality_rating":null}']) {
      await line.edit({ upstream_node: node });
      expect((await line.get('/status')).body).toMatchObject({ state: 'unknown', connected: null });
    }
  });

  test('that a newer poll told is not replaced by an older one that was slower', async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    scene.upstream.answers.phoneNumber = async () => {
      await held;
      return phoneNumberNode({ status: 'BANNED' });
    };
    const slow = line.get('/status?refresh=1');
    await until(() => asked().length === 1);
    scene.clock.now += 60 * SECOND;
    // As another process stores it.
    await scene.change(({ store }) =>
      store.lines.storeStatus(line.id, {
        phoneNumberId: line.phoneNumberId,
        node: '{"status":"CONNECTED"}',
        startedAt: new Date(scene.clock.now).toISOString(),
        checkedAt: new Date(scene.clock.now).toISOString(),
      }),
    );
    answer();
    expect((await slow).body.state).toBe('connected');
  });

  test('messaging_limit: whatsapp_business_manager_messaging_limit, else messaging_limit_tier.', async () => {
    answering({ messaging_limit_tier: 'TIER_1K' });
    expect((await line.get('/status?refresh=1')).body.platform.messaging_limit).toBe('TIER_1K');
  });

  test('is told when the line is refreshed by its token alone, in the other address form', async () => {
    const { body } = await call(
      `${scene.gateway.url}/api/v22.0/${line.id}/status?refresh=true&access_token=${line.token}`,
    );
    expect(body.platform.refresh).toEqual({ requested: true, performed: true });
  });

  describe('where upstream no longer knows a field', () => {
    const nonexisting = (field: string) =>
      upstreamError(400, 100, {
        message: `(#100) Tried accessing nonexisting field (${field}) on node type (WhatsAppBusinessPhoneNumber)`,
      });
    const fieldsOf = (url: string) =>
      new URL(url, 'http://upstream').searchParams.get('fields')?.split(',') ?? [];

    test('A field that upstream no longer knows fails its whole request: drop the named field and ask once more.', async () => {
      const gone = ['messaging_limit_tier', 'name_status'];
      scene.upstream.answers.phoneNumber = ({ url }) => {
        const missing = gone.find((field) => fieldsOf(url).includes(field));
        return missing ? nonexisting(missing) : phoneNumberNode({ name_status: undefined });
      };
      const { status, body } = await line.get('/status?refresh=1');
      expect([status, body.state, body.platform.name_status]).toEqual([200, 'connected', '']);
      expect(asked().map(({ url }) => fieldsOf(url).length)).toEqual([11, 10, 9]);
    });

    test('is asked for without it from then on, until a day has passed', async () => {
      const gone = ['messaging_limit_tier', 'name_status', 'verified_name'];
      scene.upstream.answers.phoneNumber = ({ url }) => {
        const missing = gone.find((field) => fieldsOf(url).includes(field));
        return missing ? nonexisting(missing) : phoneNumberNode();
      };
      await line.get('/status?refresh=1');
      expect(asked()).toHaveLength(4);
      scene.clock.now += 60 * SECOND;
      await line.get('/status?refresh=1');
      expect(asked()).toHaveLength(5);
      gone.length = 0;
      scene.clock.now += 24 * 60 * 60 * SECOND;
      await line.get('/status?refresh=1');
      expect(asked().map(({ url }) => fieldsOf(url).length)).toEqual([11, 10, 9, 8, 8, 11]);
    });

    test('is given up where upstream knows none of them', async () => {
      scene.upstream.answers.phoneNumber = ({ url }) => nonexisting(fieldsOf(url)[0] ?? '');
      expectRefusal(await line.get('/status?refresh=1'), 502, 'upstream_error', 100);
      expect(asked()).toHaveLength(11);
    });

    test('is not asked for again and again when the field was none of those asked for', async () => {
      scene.upstream.answers.phoneNumber = () => nonexisting('something_else');
      expectRefusal(await line.get('/status?refresh=1'), 502, 'upstream_error', 100);
      expect(asked()).toHaveLength(1);
    });
  });

  describe('when it is asked for again', () => {
    test('is not asked upstream twice within 60 seconds, and says how long to wait', async () => {
      await line.get('/status?refresh=1');
      answering({ status: 'BANNED' });
      scene.clock.now += 23 * SECOND;
      const { body } = await line.get('/status?refresh=1');
      expect(body.state).toBe('connected');
      expect(body.platform.refresh).toEqual({
        requested: true,
        performed: false,
        reason: 'cooldown',
        retry_after: 37,
      });
      scene.clock.now += 37 * SECOND;
      expect((await line.get('/status?refresh=1')).body.state).toBe('disconnected');
      expect(asked()).toHaveLength(2);
    });

    test('is disconnected while upstream refuses its access token, and says what upstream last said', async () => {
      await line.get('/status?refresh=1');
      scene.clock.now += 60 * SECOND;
      scene.upstream.answers.phoneNumber = () => upstreamError(401, 190);
      const refused = { connected: false, state: 'disconnected' };
      expect((await line.get('/status?refresh=1')).body).toMatchObject(refused);
      const { body } = await line.get('/status');
      expect(body).toMatchObject(refused);
      expect(body.platform).toMatchObject({ platform_status: 'CONNECTED', has_credentials: true });

      scene.clock.now += 60 * SECOND;
      scene.upstream.answers.phoneNumber = () => phoneNumberNode();
      expect((await line.get('/status?refresh=1')).body).toMatchObject({
        connected: true,
        state: 'connected',
      });
    });

    test('has a cooldown of its own, beside that of the templates', async () => {
      await line.get('/templates?refresh=1');
      expect((await line.get('/status?refresh=1')).body.platform.refresh.performed).toBe(true);
    });

    test('by many at once is one upstream call', async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => line.get('/status?refresh=1')));
      expect(asked()).toHaveLength(1);
      for (const { body } of replies) expect(body.state).toBe('connected');
    });

    test('is answered with what is stored where upstream fails, and counts that as a refresh', async () => {
      await line.get('/status?refresh=1');
      const checked = new Date(scene.clock.now).toISOString();
      scene.clock.now += 60 * SECOND;
      scene.upstream.answers.phoneNumber = () => upstreamError(500, 2);
      const { status, body } = await line.get('/status?refresh=1');
      expect([status, body.state, body.platform.last_checked_at]).toEqual([200, 'connected', checked]);
      expect(body.platform.refresh).toEqual({ requested: true, performed: false, reason: 'upstream_error' });
      expect((await line.get('/status?refresh=1')).body.platform.refresh.reason).toBe('cooldown');
    });

    test.each([
      ['refuses the credentials', () => upstreamError(401, 190), 'upstream_auth_failed', 190],
      ['is down', () => ({ status: 503, body: '' }), 'upstream_unavailable', 2],
      ['answers no object', () => ({ body: '"OK"' }), 'upstream_unavailable', 2],
      ['answers an empty object', () => ({ body: {} }), 'upstream_unavailable', 2],
      ['answers a list', () => ({ body: [] }), 'upstream_unavailable', 2],
    ])('is answered 502 where nothing is stored and upstream %s', async (_name, answer, word, code) => {
      scene.upstream.answers.phoneNumber = answer;
      const reply = await line.get('/status?refresh=1');
      expectRefusal(reply, 502, word, code);
      expect((await line.get('/status')).body).toMatchObject({ state: 'unknown', connected: null });
    });
  });

  test('has_credentials | boolean | Whether upstream credentials are stored for the line: without, nobody is asked', async () => {
    const bare = await scene.line({ accessToken: null });
    const { status, body } = await bare.get('/status?refresh=1');
    expect([status, body.state]).toEqual([200, 'unknown']);
    expect(body.platform).toMatchObject({
      has_credentials: false,
      refresh: { requested: true, performed: false, reason: 'no_credentials' },
    });
    expect(scene.upstream.asked('phoneNumber', bare.phoneNumberId)).toEqual([]);
  });

  test('is answered as if a parameter that means nothing here were not there', async () => {
    expect((await line.get('/status?_=1767225600')).status).toBe(200);
    expect((await line.get(`/status?access_token=${line.token}`)).status).toBe(200);
  });

  test.each(['yes', '', 'TRUE', '1&refresh=0', '1&refresh=1', '2', '01', 'null'])(
    'is not answered for a refresh of "%s"',
    async (value) => {
      expectRefusal(await line.get(`/status?refresh=${value}`), 400, 'invalid_query', 100);
      expect(asked()).toEqual([]);
    },
  );
});
