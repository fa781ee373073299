import { LINE, startObserved, startTestSandbox, template, WABA } from '../support';

const NODE = `/v22.0/${LINE}`;
const BUSINESS = '12025550123';

describe('a line', () => {
  it.each([
    [{ quality_rating: 'RED' }, { quality_rating: 'RED', quality_score: { score: 'RED' } }],
    [{ quality_rating: 'UNKNOWN' }, { quality_rating: 'UNKNOWN' }],
    [{ status: 'FLAGGED' }, { status: 'FLAGGED' }],
    [
      { messaging_limit: 'TIER_10K' },
      { messaging_limit_tier: 'TIER_10K', whatsapp_business_manager_messaging_limit: 'TIER_10K' },
    ],
    [{ name_status: 'PENDING_REVIEW' }, { name_status: 'PENDING_REVIEW' }],
  ])('that is set to %j is told so to whoever asks', async (change, told) => {
    const sandbox = await startTestSandbox();
    expect(await sandbox.play(`lines/${LINE}`, change)).toMatchObject({ line: LINE, ...change });
    const fields = Object.keys(told).join(',');
    expect((await sandbox.call('GET', `${NODE}?fields=${fields}`)).json).toEqual({ ...told, id: LINE });
    const { json } = await sandbox.call('GET', `/v22.0/${WABA}/phone_numbers?fields=${fields}`);
    expect(json.data).toEqual([{ ...told, id: LINE }]);
    expect((await sandbox.call('GET', '/sandbox')).json.lines[0]).toMatchObject(change);
  });

  it('whose field has vanished fails each request that names it, and no other', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play(`lines/${LINE}`, { vanished_fields: ['messaging_limit_tier', 'throughput'] });
    expect(await sandbox.call('GET', `${NODE}?fields=status,messaging_limit_tier`)).toMatchObject({
      code: 400,
      json: {
        error: {
          message:
            '(#100) Tried accessing nonexisting field (messaging_limit_tier) on node type (WhatsAppBusinessPhoneNumber)',
        },
      },
    });
    expect((await sandbox.call('GET', `${NODE}?fields=status`)).json.status).toBe('CONNECTED');
    const unasked = (await sandbox.call('GET', NODE)).json;
    expect(unasked).toHaveProperty('quality_rating');
    expect(unasked).not.toHaveProperty('throughput');
    await sandbox.play(`lines/${LINE}`, { vanished_fields: [] });
    expect((await sandbox.call('GET', `${NODE}?fields=messaging_limit_tier`)).code).toBe(200);
  });

  it.each([
    ['RESTRICTED', 368],
    ['RATE_LIMITED', 131048],
    ['BANNED', 131031],
    ['DISCONNECTED', 133010],
    ['DELETED', 33],
    ['FLAGGED', undefined],
    ['LINKED', undefined],
  ])('that is %s answers a send with %s', async (status, code) => {
    const sandbox = await startTestSandbox();
    await sandbox.play(`lines/${LINE}`, { status });
    expect((await sandbox.send(template('hello_world'))).json.error?.code).toBe(code);
    await sandbox.play(`lines/${LINE}`, { status: 'CONNECTED' });
    expect((await sandbox.send(template('hello_world'))).code).toBe(200);
  });

  it.each([
    [
      {},
      { status: 'FLAGGED', quality_rating: 'RED' },
      'phone_number_quality_update',
      {
        display_phone_number: BUSINESS,
        event: 'FLAGGED',
        current_limit: 'TIER_1K',
        max_daily_conversations_per_business: 'TIER_1K',
      },
    ],
    [
      {},
      { messaging_limit: 'TIER_250' },
      'phone_number_quality_update',
      {
        display_phone_number: BUSINESS,
        event: 'DOWNGRADE',
        old_limit: 'TIER_1K',
        current_limit: 'TIER_250',
        max_daily_conversations_per_business: 'TIER_250',
      },
    ],
    [
      {},
      { status: 'RESTRICTED' },
      'account_update',
      {
        phone_number: BUSINESS,
        event: 'ACCOUNT_RESTRICTION',
        restriction_info: [
          { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1772445600 + 7 * 86_400 },
        ],
      },
    ],
    [
      {},
      { status: 'BANNED' },
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'March 2, 2026' } },
    ],
    [
      { status: 'BANNED' },
      { status: 'CONNECTED' },
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE', waba_ban_date: 'March 2, 2026' } },
    ],
    [{}, { status: 'DELETED' }, 'account_update', { phone_number: BUSINESS, event: 'PHONE_NUMBER_REMOVED' }],
    [
      {},
      { name_status: 'DECLINED' },
      'phone_number_name_update',
      {
        display_phone_number: BUSINESS,
        decision: 'REJECTED',
        requested_verified_name: 'Demo Shop',
        rejection_reason: 'NAME_DOES_NOT_MEET_GUIDELINES',
      },
    ],
  ])('once set to %j, that is set to %j is announced by %s', async (before, change, field, value) => {
    const { receiver, sandbox } = await startObserved();
    const first = (await sandbox.play(`lines/${LINE}`, before)).notifications.length;
    const { notifications } = await sandbox.play(`lines/${LINE}`, change);
    expect(notifications).toEqual([{ field, value }]);
    const received = await receiver.accepted(first + 1);
    expect(received[first].json).toEqual({
      object: 'whatsapp_business_account',
      entry: [{ id: WABA, time: 1772445600, changes: [{ field, value }] }],
    });
  });

  it.each([{ quality_rating: 'RED' }, { messaging_limit: 'TIER_1K' }, { name_status: 'EXPIRED' }])(
    'that is set to %j is announced by nothing',
    async (change) => {
      const sandbox = await startTestSandbox();
      expect((await sandbox.play(`lines/${LINE}`, change)).notifications).toEqual([]);
    },
  );

  it.each([
    [LINE, { quality_rating: 'GREAT' }, '"quality_rating" is one of "GREEN", "YELLOW", "RED"'],
    [LINE, { status: 7 }, '"status" is one of "CONNECTED"'],
    [LINE, { vanished_fields: 'status' }, '"vanished_fields" is a list of fields'],
    [LINE, { vanished_fields: ['shoe_size'] }, '"vanished_fields" is one of'],
    [LINE, { colour: 'red' }, 'The field "colour" is not known here'],
    ['7', { status: 'FLAGGED' }, 'There is no line "7"'],
  ])('%s is not changed by %j', async (line, change, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', `/sandbox/lines/${line}`, change);
    expect([answer.code, answer.json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('any other account notification', () => {
  it('goes out as it is given', async () => {
    const { receiver, sandbox } = await startObserved();
    const given = { field: 'account_review_update', value: { decision: 'APPROVED' } };
    await sandbox.play('notifications', given);
    const [{ json }] = await receiver.accepted(1);
    expect(json.entry[0]).toEqual({ id: WABA, time: 1772445600, changes: [given] });
  });

  it.each([
    [{ value: {} }, '"field" is a text'],
    [{ field: 'account_update', value: [] }, '"value" is a JSON object'],
  ])('does not of %j', async (body, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', '/sandbox/notifications', body);
    expect([answer.code, answer.json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});
