import { DatabaseSync } from 'node:sqlite';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { samples } from '../../support/samples';
import { call, sceneOf, upstreamError, type Json, type TestLine } from '../../support/scene';
import { notify } from '../../support/test-gateway';

const SECOND = 1000;

const upstreamTemplate = (name: string, more: object = {}) => ({
  id: '1689556908129832',
  name,
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  quality_score: { score: 'GREEN' },
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Your order' },
    { type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['Ana']] } },
    { type: 'FOOTER', text: 'Bye' },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
  ],
  ...more,
});

describe.each(DATABASES)('what the platform tells of an account ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  let line: TestLine;
  let wabaId: string;
  let accounts = 0;

  beforeEach(async () => {
    wabaId = `20229012934${String(++accounts).padStart(4, '0')}`;
    line = await scene.line({ wabaId });
    scene.upstream.answers.templates = listOf(upstreamTemplate('order'));
    scene.clock.now += 60 * SECOND;
  });

  const listOf =
    (...templates: object[]) =>
    () => ({ body: { data: templates } });
  const asked = () => scene.upstream.asked('templates', wabaId).length;
  const polled = (of: TestLine = line) => scene.upstream.asked('phoneNumber', of.phoneNumberId).length;
  const now = () => Math.floor(scene.clock.now / SECOND);
  /** The platform's notification of one change. @param ago seconds */
  const tell = async (field: string, value: object, ago: number | null = 0) => {
    const entry = { id: wabaId, ...(ago !== null && { time: now() - ago }), changes: [{ field, value }] };
    expect(await notify(scene.gateway, { object: 'whatsapp_business_account', entry: [entry] })).toBe(200);
  };
  const of = (name: string, more: object = {}) => ({
    message_template_id: 1689556908129832,
    message_template_name: name,
    message_template_language: 'en_US',
    ...more,
  });
  const tellStatus = (event: string, ago = 0, more: object = {}) =>
    tell('message_template_status_update', of('order', { event, reason: 'NONE', ...more }), ago);
  const stored = async (name = 'order', from: TestLine = line): Promise<Json> =>
    (await from.get('/templates?limit=500')).body.data.find((one: { name: string }) => one.name === name);
  const shows = (expected: object, name = 'order', from: TestLine = line) =>
    until(
      async () => {
        const template = await stored(name, from);
        return Object.entries(expected).every(
          ([key, value]) => JSON.stringify(template?.[key]) === JSON.stringify(value),
        );
      },
      5000,
      () => `not ${JSON.stringify(expected)}`,
    );
  /** After everything that was told so far: what is told now is applied after it. */
  const settled = async () => {
    await tell('template_category_update', of('order', { new_category: `MARKER_${now()}` }), -1);
    await shows({ category: `MARKER_${now()}` });
  };
  const synced = async () => {
    expect((await line.get('/templates?refresh=1')).body.refresh.performed).toBe(true);
    scene.clock.now += 60 * SECOND;
  };

  /** Changes the database behind the gateway's back. */
  const execute = async (sql: string) => {
    if (!scene.databaseUrl.startsWith('sqlite:')) return void (await rows(scene.databaseUrl, sql));
    const database = new DatabaseSync(scene.databaseUrl.slice('sqlite:'.length));
    database.exec(sql);
    database.close();
  };

  describe('of a template', () => {
    test.each([
      ['REJECTED', 'rejected'],
      ['PAUSED', 'disabled'],
      ['DISABLED', 'disabled'],
      ['ARCHIVED', 'disabled'],
      ['LIMIT_EXCEEDED', 'disabled'],
      ['PENDING_DELETION', 'disabled'],
      ['DELETED', 'disabled'],
      ['PENDING', 'pending'],
      ['IN_APPEAL', 'pending'],
      ['FLAGGED', 'approved'],
      ['REINSTATED', 'approved'],
    ])('%s counts at once, as %s, without asking the platform', async (word, status) => {
      await synced();
      await tellStatus(word);
      await shows({ status, platform_status: word });
      expect(asked()).toBe(1);
    });

    test('why it was rejected is kept until it has another status, whether a list or an event told it', async () => {
      const reason = async () => {
        const [row] = await rows(
          scene.databaseUrl,
          `select rejected_reason from templates where line_id = ${line.id} and name = 'order'`,
        );
        return row?.rejected_reason;
      };
      scene.upstream.answers.templates = listOf(
        upstreamTemplate('order', { status: 'REJECTED', rejected_reason: 'SCAM' }),
      );
      await synced();
      expect(await reason()).toBe('SCAM');
      await tellStatus('REJECTED', 0, { reason: 'INVALID_FORMAT' });
      await until(async () => (await reason()) === 'INVALID_FORMAT');
      await tellStatus('APPROVED');
      await shows({ status: 'approved' });
      expect(await reason()).toBeNull();
      expect(scene.upstream.asked('templates', wabaId)[0]?.url).toContain('rejected_reason');
    });

    test('message_template_status_update changes it on every line of the account, and on no other', async () => {
      const second = await scene.line({ wabaId });
      const other = await scene.line();
      for (const one of [line, second, other]) await one.get('/templates?refresh=1');
      scene.clock.now += 60 * SECOND;
      await tellStatus('PAUSED');
      await shows({ status: 'disabled' });
      await shows({ status: 'disabled' }, 'order', second);
      expect(await stored('order', other)).toMatchObject({ status: 'approved' });
    });

    test('message_template_quality_update and template_category_update change its quality and its category', async () => {
      await synced();
      await tell(
        'message_template_quality_update',
        of('order', { previous_quality_score: 'GREEN', new_quality_score: 'RED' }),
      );
      await shows({ quality_score: 'LOW', category: 'UTILITY' });
      // In the platform's own shape it has the date on which the platform told it; the list's own holds before and
      // after.
      const scored = async () => {
        const { body } = await call(
          `${scene.gateway.url}/v22.0/${wabaId}/message_templates?fields=quality_score`,
          { headers: { authorization: `Bearer ${line.token}` } },
        );
        return body.data[0].quality_score;
      };
      expect(await scored()).toEqual({ score: 'RED', date: now() });
      await tell(
        'template_category_update',
        of('order', { previous_category: 'UTILITY', new_category: 'MARKETING' }),
      );
      await shows({ quality_score: 'LOW', category: 'MARKETING', status: 'approved' });
      expect(asked()).toBe(1);
      scene.clock.now += 60 * SECOND;
      await line.get('/templates?refresh=1');
      expect(await scored()).toEqual({ score: 'GREEN' });
    });

    test('tells the category of today where it announces another', async () => {
      await synced();
      const announced = { correct_category: 'MARKETING', new_category: 'UTILITY' };
      await tell('template_category_update', of('order', { ...announced, category_update_timestamp: 1 }));
      await settled();
      await tell('template_category_update', of('order', announced), -2);
      await shows({ category: 'UTILITY' });
    });

    test('changes its texts at once, and the list that is asked for then tells the rest', async () => {
      await synced();
      let answer = () => {};
      const held = new Promise<void>((resolve) => (answer = resolve));
      scene.upstream.answers.templates = async () => {
        await held;
        return listOf(
          upstreamTemplate('order', {
            status: 'PENDING',
            components: [{ type: 'BODY', text: 'Good day {{1}} {{2}}' }],
          }),
        )();
      };
      await tell('message_template_components_update', {
        ...of('order'),
        message_template_title: 'Order {{1}}',
        message_template_element: 'Good day {{1}} {{2}}',
        message_template_buttons: [
          { message_template_button_type: 'URL', message_template_button_text: 'Track' },
        ],
      });
      await shows({
        header: { type: 'text', text: 'Order {{1}}' },
        header_variables: ['1'],
        body: 'Good day {{1}} {{2}}',
        variables: 2,
        footer: null,
        buttons: [{ index: 0, type: 'quick_reply', text: 'Thanks', variables: 0 }],
        status: 'approved',
      });
      answer();
      await shows({ header: null, buttons: [], status: 'pending' });
      expect(asked()).toBe(2);
    });

    test('leaves a header that is no text as it is when its texts change', async () => {
      scene.upstream.answers.templates = listOf(
        upstreamTemplate('order', { components: [{ type: 'HEADER', format: 'IMAGE' }] }),
      );
      await synced();
      scene.upstream.answers.templates = () => upstreamError(500, 2);
      await tell('message_template_components_update', of('order', { message_template_element: 'New' }));
      await shows({ body: 'New', header: { type: 'image', text: null } });
    });

    test('is told in the platform’s order: an older one that arrives later changes nothing', async () => {
      await synced();
      await tellStatus('APPROVED', 10);
      await tellStatus('PAUSED', 5);
      await shows({ status: 'disabled' });
      await tellStatus('REJECTED', 8);
      await tell('message_template_quality_update', of('order', { new_quality_score: 'YELLOW' }), 9);
      // The other facts have times of their own.
      await shows({ quality_score: 'MEDIUM', platform_status: 'PAUSED' });
      await tellStatus('REINSTATED', 4);
      await shows({ platform_status: 'REINSTATED', status: 'approved' });
    });

    test('is told in the platform’s order within one notification too', async () => {
      await synced();
      const change = (event: string) => ({
        field: 'message_template_status_update',
        value: of('order', { event }),
      });
      const entry = [
        { id: wabaId, time: now() - 1, changes: [change('PAUSED')] },
        { id: wabaId, time: now() - 3, changes: [change('REJECTED')] },
      ];
      expect(await notify(scene.gateway, { object: 'whatsapp_business_account', entry })).toBe(200);
      await shows({ platform_status: 'PAUSED' });
      await settled();
      expect(await stored()).toMatchObject({ platform_status: 'PAUSED' });
    });

    test('that is older than the list changes nothing; one that came while the list was read stays', async () => {
      await synced();
      await tellStatus('PAUSED', 3600);
      await settled();
      expect(await stored()).toMatchObject({ platform_status: 'APPROVED' });

      let answer = () => {};
      const held = new Promise<void>((resolve) => (answer = resolve));
      scene.upstream.answers.templates = async () => {
        await held;
        return listOf(upstreamTemplate('order'), upstreamTemplate('other', { id: '2' }))();
      };
      const refresh = line.get('/templates?refresh=1');
      await until(() => asked() === 2);
      scene.clock.now += 2 * SECOND;
      await tellStatus('DISABLED');
      await shows({ platform_status: 'DISABLED' });
      answer();
      const { body } = await refresh;
      expect(body.refresh.performed).toBe(true);
      expect(await stored()).toMatchObject({ platform_status: 'DISABLED', status: 'disabled' });
      expect(await stored('other')).toMatchObject({ platform_status: 'APPROVED' });
      scene.clock.now += 60 * SECOND;
      await synced();
      expect(await stored()).toMatchObject({ platform_status: 'APPROVED' });
    });

    test('of the second in which the list began to be read is no older than the list', async () => {
      await synced();
      scene.clock.now = now() * SECOND + 100;
      let answer = () => {};
      const held = new Promise<void>((resolve) => (answer = resolve));
      scene.upstream.answers.templates = async () => {
        await held;
        return listOf(upstreamTemplate('order'))();
      };
      const refresh = line.get('/templates?refresh=1');
      await until(() => asked() === 2);
      await tellStatus('PAUSED');
      await shows({ platform_status: 'PAUSED' });
      answer();
      expect((await refresh).body.refresh.performed).toBe(true);
      expect(await stored()).toMatchObject({ platform_status: 'PAUSED', status: 'disabled' });
    });

    test('counts from its arrival where it has no time, and never from far ahead of ours', async () => {
      await synced();
      await tell('message_template_status_update', of('order', { event: 'PAUSED' }), null);
      await shows({ platform_status: 'PAUSED' });
      await tellStatus('REJECTED', -1_000_000);
      await shows({ platform_status: 'REJECTED' });
      scene.clock.now += 600 * SECOND;
      await tellStatus('APPROVED');
      await shows({ platform_status: 'APPROVED' });
    });

    test('is of the language that the list writes with an underscore', async () => {
      await synced();
      await tellStatus('PAUSED', 0, { message_template_language: 'en-US' });
      await shows({ platform_status: 'PAUSED' });
      expect(asked()).toBe(1);
    });

    test('that is not stored has the list asked for, so that it appears', async () => {
      await synced();
      scene.upstream.answers.templates = listOf(
        upstreamTemplate('order'),
        upstreamTemplate('fresh', { id: '7' }),
      );
      await tell(
        'message_template_status_update',
        of('fresh', { event: 'APPROVED', message_template_id: 7 }),
      );
      await shows({ status: 'approved', id: '7' }, 'fresh');
      expect(asked()).toBe(2);
    });

    test('that is not stored appears within the cooldown as soon as that ends, by one more request', async () => {
      await line.get('/templates?refresh=1');
      const fresh = upstreamTemplate('fresh', { id: '7' });
      scene.upstream.answers.templates = listOf(upstreamTemplate('order'), fresh);
      scene.clock.now += 10 * SECOND;
      for (const event of ['PENDING', 'APPROVED'])
        await tell('message_template_status_update', of('fresh', { event, message_template_id: 7 }));
      await settled();
      await scene.gateway.pollDue();
      expect(asked()).toBe(1);
      scene.clock.now += 50 * SECOND;
      await scene.gateway.pollDue();
      expect(await stored('fresh')).toMatchObject({ status: 'approved' });
      await scene.gateway.pollDue();
      expect(asked()).toBe(2);
    });

    test('of which the gateway has only a starter has the list asked for: the texts may differ', async () => {
      await synced();
      const ours = upstreamTemplate('order_update', { id: '9' });
      scene.upstream.answers.templates = listOf(upstreamTemplate('order'), ours);
      await tell(
        'message_template_status_update',
        of('order_update', { event: 'APPROVED', message_template_id: 9 }),
      );
      await shows({ status: 'approved', body: 'Hello {{1}}', is_starter: true }, 'order_update');
    });

    test.each(['LOCKED', 'UNLOCKED', 'UNARCHIVED'])(
      '%s is no status: the list is asked for, and nothing is changed by the word',
      async (word) => {
        await synced();
        scene.upstream.answers.templates = listOf(upstreamTemplate('order', { status: 'PAUSED' }));
        await tellStatus(word);
        await shows({ platform_status: 'PAUSED' });
        expect(asked()).toBe(2);
      },
    );

    test('status: anything else → pending, logged once; the list is asked for', async () => {
      await synced();
      const word = `WORD_${accounts}_${createUrl.name}`.toUpperCase();
      scene.upstream.answers.templates = listOf(
        upstreamTemplate('order', { status: word }),
        upstreamTemplate('more', { id: '2', status: word }),
      );
      await tellStatus(word);
      await until(() => asked() === 2);
      await shows({ status: 'pending', platform_status: word }, 'more');
      await shows({ status: 'pending', platform_status: word });
      expect(scene.gateway.logged().split(`"word":"${word}"`)).toHaveLength(2);
    });

    test.each([
      ['no value', null],
      ['a list', []],
      ['no name', { event: 'PAUSED', message_template_language: 'en_US' }],
      [
        'a name that is none',
        { event: 'PAUSED', message_template_name: { a: 1 }, message_template_language: 'en_US' },
      ],
      ['an event that is none', { ...of('order'), event: ['PAUSED'] }],
      ['a body that is none', { ...of('order'), message_template_element: 7 }],
    ])('that cannot be read changes nothing: %s', async (_what, value) => {
      await synced();
      const before = await stored();
      for (const field of [
        'message_template_status_update',
        'message_template_quality_update',
        'message_template_components_update',
        'template_category_update',
      ])
        await tell(field, value as object);
      await settled();
      expect(await stored()).toEqual({ ...before, category: expect.any(String) });
      expect(scene.gateway.logged()).not.toContain('account events not applied');
    });

    test('is not told twice by what the platform repeats', async () => {
      await synced();
      const at = 1;
      await tellStatus('PAUSED', at);
      await shows({ platform_status: 'PAUSED' });
      await tellStatus('APPROVED', at);
      await shows({ platform_status: 'APPROVED' });
      await tellStatus('PAUSED', at);
      await settled();
      expect(await stored()).toMatchObject({ platform_status: 'APPROVED' });
    });
  });

  describe('of a phone number', () => {
    const display = { display_phone_number: '+1 555-078-3881' };

    test.each([
      ['phone_number_quality_update', { ...display, event: 'THROUGHPUT_UPGRADE', current_limit: 'TIER_10K' }],
      ['phone_number_name_update', { ...display, decision: 'APPROVED', requested_verified_name: 'Shop' }],
      ['account_update', { event: 'ACCOUNT_RESTRICTION', phone_number: '15550783881' }],
      ['account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } }],
      ['account_review_update', { decision: 'APPROVED' }],
      ['business_capability_update', { max_daily_conversation_per_phone: 10000 }],
      ['account_update', null],
    ])('%s has its status polled', async (field, value) => {
      await tell(field, value as object);
      await until(() => polled() === 1);
      await until(async () => (await line.get('/status')).body.state === 'connected');
      expect(asked()).toBe(0);
    });

    test('has the line of that number polled, and every line of the account where none is named', async () => {
      const second = await scene.line({ wabaId, phoneNumber: '15550999999' });
      await tell('phone_number_quality_update', { ...display, event: 'ONBOARDING' });
      await until(() => polled() === 1);
      scene.clock.now += 60 * SECOND;
      await tell('account_update', { event: 'ACCOUNT_VIOLATION' });
      await until(() => polled() === 2 && polled(second) === 1);
    });

    test('polls it once for many events within a cooldown, and once more after it', async () => {
      for (let ago = 0; ago < 5; ago++) {
        await tell('phone_number_quality_update', { ...display, event: 'FLAGGED' }, ago);
        await until(() => polled() === 1);
      }
      await until(async () => {
        const [row] = await rows(
          scene.databaseUrl,
          `select status_wanted_at from lines where id = ${line.id}`,
        );
        return row?.status_wanted_at !== null;
      });
      expect(polled()).toBe(1);
      scene.clock.now += 60 * SECOND;
      await scene.gateway.pollDue();
      expect(polled()).toBe(2);
    });

    test('polls no line that is deactivated, or has no credentials', async () => {
      await line.edit({ deactivated_at: new Date(scene.clock.now).toISOString() });
      const bare = await scene.line({ wabaId, accessToken: null });
      await tell('account_update', { event: 'ACCOUNT_VIOLATION' });
      const witness = await scene.line({ wabaId });
      await tell('account_update', { event: 'ACCOUNT_DELETED' });
      await until(() => polled(witness) === 1);
      expect([polled(), polled(bare)]).toEqual([0, 0]);
    });
  });

  test('is recorded and forwarded, whatever comes of applying it', async () => {
    scene.upstream.answers.phoneNumber = () => upstreamError(500, 2);
    await tell('account_update', { event: 'ACCOUNT_VIOLATION' });
    await until(() => polled() === 1);
    const events = await rows(scene.databaseUrl, `select * from events where waba_id = '${wabaId}'`);
    expect(events).toHaveLength(1);
    scene.upstream.answers.phoneNumber = () => ({ body: { id: '1', status: 'CONNECTED' } });
  });

  test('is answered 200 where it cannot be applied, and found by the next list', async () => {
    await synced();
    await execute('alter table templates rename to templates_away');
    try {
      await tellStatus('PAUSED');
      await until(() => scene.gateway.logged().includes('account events not applied'));
    } finally {
      await execute('alter table templates_away rename to templates');
    }
    expect(await stored()).toMatchObject({ platform_status: 'APPROVED' });
    scene.upstream.answers.templates = listOf(upstreamTemplate('order', { status: 'PAUSED' }));
    scene.clock.now += 3600 * SECOND * 1.2;
    await scene.gateway.pollDue();
    expect(await stored()).toMatchObject({ platform_status: 'PAUSED' });
  });

  test('is taken in every shape that the platform is known to send', async () => {
    const before = scene.gateway.logged().length;
    for (const { payload } of samples('webhook_account')) {
      expect(await notify(scene.gateway, payload)).toBe(200);
    }
    await tell('account_update', { event: 'ACCOUNT_VIOLATION' });
    await until(() => polled() === 1);
    expect(scene.gateway.logged().slice(before)).not.toContain('account events not applied');
  });
});
