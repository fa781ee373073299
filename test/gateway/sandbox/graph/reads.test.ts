import { LINE, startTestSandbox, TOKEN, WABA } from '../support';

const TEMPLATES = `/v22.0/${WABA}/message_templates`;

describe('the templates', () => {
  it('are listed with what the platform gives unasked', async () => {
    const sandbox = await startTestSandbox();
    const { code, json } = await sandbox.call('GET', TEMPLATES);
    expect(code).toBe(200);
    expect(json.data.map((each: { name: string; status: string }) => [each.name, each.status])).toEqual([
      ['hello_world', 'APPROVED'],
      ['order_update', 'APPROVED'],
      ['order_update', 'APPROVED'],
      ['appointment_reminder', 'APPROVED'],
      ['payment_received', 'APPROVED'],
      ['new_collection', 'APPROVED'],
      ['delivery_feedback', 'PENDING'],
      ['flash_sale', 'REJECTED'],
    ]);
    expect(Object.keys(json.data[0])).toEqual([
      'name',
      'parameter_format',
      'components',
      'language',
      'status',
      'category',
      'id',
    ]);
    expect(json.paging).toEqual({ cursors: { before: 'MAZDZD', after: 'NwZDZD' } });
  });

  it('come in pages that `next` leads through to the end', async () => {
    const sandbox = await startTestSandbox();
    const ids: string[] = [];
    let next: string | undefined = `${sandbox.url}${TEMPLATES}?fields=name&limit=3`;
    const sizes: number[] = [];
    while (next) {
      const answer = await fetch(next, { headers: { authorization: `Bearer ${TOKEN}` } });
      const page = (await answer.json()) as { data: { id: string }[]; paging: { next?: string } };
      ids.push(...page.data.map((each) => each.id));
      sizes.push(page.data.length);
      next = page.paging.next;
    }
    expect(sizes).toEqual([3, 3, 2]);
    expect(new Set(ids).size).toBe(8);
  });

  it('lead back by `previous`, and end empty after the last', async () => {
    const sandbox = await startTestSandbox();
    const names = async (query: string) => {
      const { json } = await sandbox.call('GET', `${TEMPLATES}?fields=language,name&${query}`);
      return { names: json.data.map((each: { name: string }) => each.name), paging: json.paging };
    };
    const second = await names('limit=2&after=MQZDZD');
    expect(second.names).toEqual(['order_update', 'appointment_reminder']);
    expect(second.paging.previous).toContain('before=MgZDZD');
    expect((await names('limit=2&before=MgZDZD')).names).toEqual(['hello_world', 'order_update']);
    expect(await names('limit=2&after=NwZDZD')).toEqual({ names: [], paging: undefined });
  });

  it('carry the token in their links only where it came in the query', async () => {
    const sandbox = await startTestSandbox();
    const byHeader = await sandbox.call('GET', `${TEMPLATES}?limit=1`);
    expect(byHeader.json.paging.next).not.toContain(TOKEN);
    const byQuery = await fetch(`${sandbox.url}${TEMPLATES}?limit=1&access_token=${TOKEN}`);
    expect(byQuery.status).toBe(200);
    const { paging } = (await byQuery.json()) as { paging: { next: string } };
    expect(paging.next).toContain(`access_token=${TOKEN}`);
  });

  it('can be cut to fields and filtered', async () => {
    const sandbox = await startTestSandbox();
    const query = 'fields=name,quality_score,rejected_reason&status=rejected';
    expect((await sandbox.call('GET', `${TEMPLATES}?${query}`)).json.data).toEqual([
      {
        name: 'flash_sale',
        quality_score: { score: 'UNKNOWN', date: 1767603600 },
        rejected_reason: 'TAG_CONTENT_MISMATCH',
        id: '1094370815520077',
      },
    ]);
  });

  it('tell of a summary what is asked for, and nothing of a field that has nothing to tell', async () => {
    const sandbox = await startTestSandbox();
    const ask = async (query: string) => (await sandbox.call('GET', `${TEMPLATES}?${query}`)).json;
    const all = (await ask('limit=100')).data.length;
    const words = 'total_count,message_template_count,message_template_limit,are_translations_complete';
    const { data, summary } = await ask(`fields=name,sub_category&status=rejected&summary=${words}`);
    expect(data).toEqual([{ name: 'flash_sale', id: '1094370815520077' }]);
    expect(summary).toEqual({
      total_count: 1,
      message_template_count: all,
      message_template_limit: 6000,
      are_translations_complete: true,
    });
    expect((await ask('summary=true')).summary).toEqual({ total_count: all });
    expect(await ask('limit=100')).not.toHaveProperty('summary');
  });

  it.each([
    ['limit=0', 'Invalid parameter'],
    ['limit=many', 'Invalid parameter'],
    ['after=nonsense', 'Invalid cursors values'],
    [
      'fields=name,colour',
      'Tried accessing nonexisting field (colour) on node type (WhatsAppMessageTemplate)',
    ],
  ])('are refused for %s', async (query, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('GET', `${TEMPLATES}?${query}`);
    expect(answer).toMatchObject({ code: 400, json: { error: { code: 100 } } });
    expect(answer.json.error.message).toContain(words);
  });

  it('are those of a business account, not of a line', async () => {
    const sandbox = await startTestSandbox();
    expect(await sandbox.call('GET', `/v22.0/${LINE}/message_templates`)).toMatchObject({
      code: 400,
      json: { error: { code: 100, error_subcode: 33 } },
    });
  });
});

describe('the phone number', () => {
  it('is given with the platform’s default fields', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.call('GET', `/v22.0/${LINE}`)).json).toEqual({
      verified_name: 'Demo Shop',
      code_verification_status: 'VERIFIED',
      display_phone_number: '+1 202-555-0123',
      quality_rating: 'GREEN',
      platform_type: 'CLOUD_API',
      throughput: { level: 'STANDARD' },
      id: LINE,
    });
  });

  it('is given with the fields asked for, and its id', async () => {
    const sandbox = await startTestSandbox();
    const fields =
      'status,name_status,messaging_limit_tier,whatsapp_business_manager_messaging_limit,throughput{level}';
    expect((await sandbox.call('GET', `/v22.0/${LINE}?fields=${fields}`)).json).toEqual({
      status: 'CONNECTED',
      name_status: 'APPROVED',
      messaging_limit_tier: 'TIER_1K',
      whatsapp_business_manager_messaging_limit: 'TIER_1K',
      throughput: { level: 'STANDARD' },
      id: LINE,
    });
  });

  it('is refused whole for one field that it does not have', async () => {
    const sandbox = await startTestSandbox();
    expect(await sandbox.call('GET', `/v22.0/${LINE}?fields=status,constructor`)).toMatchObject({
      code: 400,
      json: {
        error: {
          message:
            '(#100) Tried accessing nonexisting field (constructor) on node type (WhatsAppBusinessPhoneNumber)',
          type: 'OAuthException',
          code: 100,
        },
      },
    });
  });

  it('is listed among those of the account', async () => {
    const sandbox = await startTestSandbox();
    const { json } = await sandbox.call('GET', `/v22.0/${WABA}/phone_numbers?fields=status`);
    expect(json.data).toEqual([{ status: 'CONNECTED', id: LINE }]);
  });
});

it.each(['/', '/v12.0/1', '/v27.0/1', '/v22.0', '/v22.0/1/nothing', '/favicon.ico'])(
  'answers the unknown path %s as Graph does',
  async (path) => {
    const sandbox = await startTestSandbox();
    expect(await sandbox.call('GET', path)).toMatchObject({ code: 400, json: { error: { code: 2500 } } });
  },
);
