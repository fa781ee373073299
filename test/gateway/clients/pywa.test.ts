/**
 * The requests that pywa sends, a client for Python, word for word, and what it takes from the answers: a key that it
 * reads without asking whether it is there is one without which it stops. The sandbox is the platform here.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../../support/databases';
import { call, type Json } from '../../support/scene';
import {
  addTestLine,
  PHONE_NUMBER_ID,
  settings,
  startTestGateway,
  WABA_ID,
  type TestGateway,
} from '../../support/test-gateway';

const TEMPLATE_FIELDS = [
  ...['id', 'name', 'language', 'category', 'status', 'components', 'parameter_format'],
  ...['message_send_ttl_seconds', 'correct_category', 'previous_category', 'rejected_reason'],
  ...['library_template_name', 'quality_score', 'cta_url_link_tracking_opted_out', 'sub_category'],
  'degrees_of_freedom_spec',
];

const SUMMARY_FIELDS = [
  ...['total_count', 'message_template_count', 'message_template_limit', 'are_translations_complete'],
];

const PHONE_NUMBER_FIELDS = [
  ...['id', 'verified_name', 'display_phone_number', 'conversational_automation', 'status', 'quality_rating'],
  ...['quality_score', 'webhook_configuration', 'name_status', 'new_name_status', 'code_verification_status'],
  ...[
    'account_mode',
    'is_on_biz_app',
    'is_official_business_account',
    'is_pin_enabled',
    'is_preverified_number',
  ],
  ...['search_visibility', 'platform_type', 'throughput', 'eligibility_for_api_business_global_search'],
  ...['health_status', 'certificate', 'new_certificate', 'last_onboarded_time', 'country_code'],
  ...['country_dial_code', 'whatsapp_business_manager_messaging_limit'],
];

let gateway: TestGateway;
let id: number;
let token: string;

beforeAll(async () => {
  const databaseUrl = `sqlite:${join(temporaryFolder(), 'gateway.db')}`;
  gateway = await startTestGateway(settings(databaseUrl, { GATEWAY_UPSTREAM_URL: 'sandbox' }));
  ({ id, token } = await addTestLine(gateway.env));
  await gateway.refresh();
});
afterAll(() => gateway.stop());

const get = async (address: string): Promise<Json> => {
  const reply = await call(address, { headers: { authorization: `Bearer ${token}` } });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  expect(reply.text).not.toContain('upstream-access-token');
  return reply.body;
};

/** As httpx writes a query. */
const query = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString();

/** The parts of a page that pywa takes without asking. */
function read({ data, summary, paging }: Json) {
  for (const template of data) {
    for (const key of ['id', 'name', 'language', 'status', 'category', 'parameter_format', 'components'])
      expect(template).toHaveProperty(key);
    expect(template.quality_score).toEqual({ score: expect.any(String), date: expect.any(Number) });
  }
  for (const key of SUMMARY_FIELDS) expect(summary).toHaveProperty(key);
  return { names: data.map(({ name }: Json) => name) as string[], next: paging?.next as string | undefined };
}

test.each(['the business account', 'the phone number', 'the line'])(
  'get_templates() reads all pages, by the id of %s',
  async (of) => {
    const address = { 'the business account': WABA_ID, 'the phone number': PHONE_NUMBER_ID }[of] ?? id;
    const parameters = {
      limit: '4',
      fields: TEMPLATE_FIELDS.join(','),
      summary: SUMMARY_FIELDS.join(','),
    };
    const first = await get(`${gateway.url}/v25.0/${address}/message_templates?${query(parameters)}`);
    const all: string[] = [];
    for (let page = first; ;) {
      const { names, next } = read(page);
      all.push(...names);
      if (next === undefined) break;
      page = await get(next);
    }
    expect(all).toHaveLength(first.summary.total_count);
    expect(all).toContain('hello_world');
  },
);

test('get_templates(statuses=[…], name=…) finds what the platform finds', async () => {
  const parameters = {
    status: 'APPROVED',
    name: 'hello_world',
    fields: TEMPLATE_FIELDS.join(','),
    summary: SUMMARY_FIELDS.join(','),
  };
  const page = await get(`${gateway.url}/v25.0/${WABA_ID}/message_templates?${query(parameters)}`);
  expect(new Set(read(page).names)).toEqual(new Set(['hello_world']));
});

test('get_business_phone_number() reads the number', async () => {
  const fields = query({ fields: PHONE_NUMBER_FIELDS.join(',') });
  expect(await get(`${gateway.url}/v25.0/${PHONE_NUMBER_ID}?${fields}`)).toMatchObject({
    id: PHONE_NUMBER_ID,
    verified_name: 'Test line',
    account_mode: 'SANDBOX',
    is_pin_enabled: false,
    throughput: { level: 'STANDARD' },
  });
});
