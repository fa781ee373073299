import { adminToken, askAdmin } from '../../../support/admin-api';
import { addCustomer } from '../../../support/customer-things';
import { DATABASES } from '../../../support/databases';
import { expectRefusal, sceneOf, type Json, type TestLine } from '../../../support/scene';
import { type Received } from '../../../support/http-peer';

const content = (text: string) => ({
  parameter_format: 'positional',
  languages: [{ language: 'en_US', components: [{ type: 'BODY', text, example: { body_text: [['Ana']] } }] }],
});
const GOOD = 'Hello {{1}}, your order is ready.';

describe.each(DATABASES)('templates in the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  let token: string;
  let customer: number;
  let line: TestLine;
  let waba: string;
  let templates: Json[] = [];
  const ask = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
    askAdmin(scene, token, method, path, body, headers);
  const draft = async (text = GOOD, name = 'order_ready'): Promise<Json> =>
    (
      await ask('POST', '/template-drafts', {
        customer_id: customer,
        name,
        category: 'UTILITY',
        content: content(text),
      })
    ).body;

  beforeAll(async () => {
    token = await adminToken(scene);
    customer = await addCustomer(scene, 'Lucky Shrub');
    line = await scene.line();
    waba = await scene.change(async ({ store }) => {
      await store.lines.update(line.id, { customer_id: customer });
      return (await store.lines.find(line.id))?.waba_id ?? '';
    });
    scene.upstream.answers.templates = ({ method, body, url }: Received) => {
      if (method === 'GET') return { body: { data: templates } };
      if (method === 'DELETE') {
        templates = templates.filter(({ name }) => !url.includes(`name=${name}`));
        return { body: { success: true } };
      }
      const made = { id: String(900 + templates.length), status: 'PENDING', ...JSON.parse(body) };
      templates.push(made);
      return { body: { id: made.id, status: 'PENDING', category: made.category } };
    };
  });

  test('creates, changes, duplicates and deletes a draft', async () => {
    const made = await draft();
    expect(made).toMatchObject({ customer_id: customer, name: 'order_ready', revision: 1 });
    const path = `/template-drafts/${made.id}`;
    const read = await ask('GET', path);
    expect(read.body).toEqual(made);
    const changed = await ask('PATCH', path, { name: 'order_is_ready' });
    expect(changed.body).toMatchObject({ name: 'order_is_ready', revision: 2, content: made.content });
    expectRefusal(await ask('PATCH', path, { name: 'late', revision: 1 }), 409, 'draft_changed', 100);
    const old = { 'if-match': read.headers.get('etag') ?? '' };
    expectRefusal(await ask('PATCH', path, { name: 'late' }, old), 412, 'precondition_failed', 100);
    const copy = (await ask('POST', `${path}/duplicate`)).body;
    expect(copy).toMatchObject({ name: 'order_is_ready_copy', content: made.content });
    const listed = (await ask('GET', `/template-drafts?customer_id=${customer}`)).body.data;
    expect(listed).toEqual([changed.body, copy]);
    for (const { id } of listed) expect((await ask('DELETE', `/template-drafts/${id}`)).status).toBe(204);
    expectRefusal(await ask('GET', path), 404, 'not_found', 100);
    expectRefusal(
      await ask('POST', '/template-drafts', { name: 'x', category: '', content: { languages: 1 } }),
      400,
      'invalid_payload',
      131009,
    );
  });

  test('says what the rules find, submits, follows the state, and deletes at the platform', async () => {
    const bad = await draft('{{1}}');
    const found = (await ask('GET', `/template-drafts/${bad.id}/submissions`)).body;
    expect(found.languages[0].issues.map(({ level }: Json) => level)).toContain('refused');
    expect(found.accounts[0].templates[0]).toMatchObject({ action: null, template: null });

    const good = await draft();
    const path = `/template-drafts/${good.id}/submissions`;
    const places = { submissions: [{ waba_id: waba, language: 'en_US' }] };
    const dry = await ask('POST', `${path}?dry_run=1`, places);
    expect([dry.body.data[0].accepted, templates]).toEqual([null, []]);
    expect((await ask('POST', path, places)).body.data).toEqual([
      { waba_id: waba, language: 'en_US', accepted: true, failure: null },
    ]);
    const { accounts } = (await ask('GET', path)).body;
    expect(accounts).toEqual([
      {
        waba_id: waba,
        line_ids: [line.id],
        templates: [
          expect.objectContaining({
            language: 'en_US',
            template: expect.objectContaining({ id: '900', status: 'pending' }),
            differs: false,
            failure: null,
          }),
        ],
      },
    ]);
    expectRefusal(
      await ask('POST', path, { submissions: [{ waba_id: '1', language: 'en_US' }] }),
      400,
      'invalid_payload',
      100,
    );
    const listed = (await ask('GET', `/templates?line_id=${line.id}&name=order_ready`)).body.data;
    expect(listed).toMatchObject([{ id: '900', name: 'order_ready', status: 'pending' }]);
    const query = `line_id=${line.id}&name=order_ready`;
    expect((await ask('DELETE', `/templates?${query}&dry_run=1`)).status).toBe(204);
    expect(templates).toHaveLength(1);
    expect((await ask('DELETE', `/templates?${query}`)).status).toBe(204);
    expect(templates).toEqual([]);
    expectRefusal(await ask('DELETE', `/templates?${query}`), 404, 'template_not_found', 100);
  });
});
