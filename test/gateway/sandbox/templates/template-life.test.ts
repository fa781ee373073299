import { mock } from 'node:test';
import { Callbacks } from '../../../../gateway/sandbox/platform/callbacks';
import { STARTER_TEMPLATES } from '../../../../gateway/sandbox/templates/starter-templates';
import { changeTemplate } from '../../../../gateway/sandbox/templates/template-life';
import { TemplateReviews } from '../../../../gateway/sandbox/templates/template-review';
import { TemplateStore } from '../../../../gateway/sandbox/templates/template-store';
import { issuesOfCreation } from '../../../../gateway/templates/rules/template-issues';
import { randomTemplate } from '../../../support/random-templates';
import {
  bodyOf,
  HOUR,
  LINE,
  lineWith,
  silent,
  startObserved,
  startTestSandbox,
  template,
  type TestSandbox,
  valueOf,
  WABA,
} from '../support';

const TEMPLATES = `/v22.0/${WABA}/message_templates`;
const HELLO = '1094370815520011';

const newTemplate = (more: object = {}) => ({
  name: 'spring_sale',
  language: 'en_US',
  category: 'MARKETING',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Spring' },
    { type: 'BODY', text: 'Hello {{1}}, it is spring.', example: { body_text: [['Ana']] } },
    { type: 'FOOTER', text: 'Shop' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Stop' },
        { type: 'URL', text: 'See it', url: 'https://shop.example' },
        { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+12025550123' },
      ],
    },
  ],
  ...more,
});

const body = (text: string) => ({ components: [{ type: 'BODY', text }] });

async function listed(sandbox: TestSandbox, name: string) {
  const fields = 'name,status,category,language,rejected_reason,quality_score,components';
  return (await sandbox.call('GET', `${TEMPLATES}?name=${name}&fields=${fields}`)).json.data;
}

describe('a template that is created', () => {
  it('waits for its review, and can be sent once it is approved', async () => {
    const { receiver, sandbox } = await startObserved();
    const created = await sandbox.call('POST', TEMPLATES, newTemplate());
    expect(created).toMatchObject({ code: 200, json: { status: 'PENDING', category: 'MARKETING' } });
    const { id } = created.json;
    expect(await listed(sandbox, 'spring_sale')).toMatchObject([
      { id, status: 'PENDING', components: newTemplate().components },
    ]);
    const send = () =>
      sandbox.send(template('spring_sale', [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }]));
    expect((await send()).json.error.code).toBe(132001);

    expect(await sandbox.play('templates/spring_sale', { event: 'APPROVED' })).toMatchObject({
      id,
      status: 'APPROVED',
    });
    const [{ json }] = await receiver.accepted(1);
    expect(json.entry[0]).toEqual({
      id: WABA,
      time: 1772445600,
      changes: [
        {
          field: 'message_template_status_update',
          value: {
            event: 'APPROVED',
            message_template_id: Number(id),
            message_template_name: 'spring_sale',
            message_template_language: 'en_US',
            reason: 'NONE',
            message_template_category: 'MARKETING',
          },
        },
      ],
    });
    expect((await send()).code).toBe(200);
    expect((await sandbox.call('GET', `/v22.0/${id}?fields=status`)).json).toEqual({
      status: 'APPROVED',
      id,
    });
  });

  it.each([
    [{ name: 'Spring Sale' }, 2388046, 'can only have lowercase letters'],
    [{ name: undefined }, undefined, 'The parameter name is required.'],
    [{ language: 'english' }, undefined, 'The platform has no language "english"'],
    [{ category: 'FUN' }, undefined, 'must be one of {UTILITY, MARKETING, AUTHENTICATION}'],
    [{ components: undefined }, undefined, 'The parameter components is required.'],
    [{ components: undefined, library_template_name: 'a' }, undefined, 'no template a in en_US'],
    [{ components: [7] }, undefined, '"components[0]" must be an object'],
    [body('x'.repeat(1025)), 2388040, 'The limit is 1,024.'],
    [body('{{1}}, hello and welcome'), 2388299, "can't be at the start or end"],
    [body('Hello {{1}}, it is spring again'), 2388043, 'Add a sample for {{1}}'],
    [{ name: 'hello_world', category: 'UTILITY' }, 2388024, 'already en_US content'],
    [{ name: 'hello_world', language: 'es' }, undefined, 'this template is UTILITY in its other languages'],
    [
      { components: [{ type: 'BODY', text: 'a' }, { type: 'HOLOGRAM' }] },
      undefined,
      'must be one of {HEADER, BODY, FOOTER, BUTTONS, ',
    ],
    [
      {
        components: [
          { type: 'BODY', text: 'a' },
          { type: 'BUTTONS', buttons: [{ type: 'PAYMENT_REQUEST', text: 'b' }] },
        ],
      },
      undefined,
      'must be one of {QUICK_REPLY, CATALOG, MPM, SPM, VOICE_CALL, ',
    ],
  ])('is refused with %j', async (more, subcode, words) => {
    const sandbox = await startTestSandbox();
    const { code, json } = await sandbox.call('POST', TEMPLATES, newTemplate(more));
    const { message, error_data, error_user_title, error_user_msg } = json.error;
    expect([code, json.error.code, json.error.error_subcode]).toEqual([400, 100, subcode]);
    expect([message, error_user_msg, error_data?.details].join(' ')).toContain(words);
    if (subcode !== undefined) expect(error_user_title).toEqual(expect.any(String));
  });

  it('is accepted and refused as the rules say', async () => {
    const sandbox = await startTestSandbox();
    const seeds = Array.from({ length: 200 }, (_, seed) => 1000 + seed);
    for (const seed of seeds) {
      // Within the limit of creations.
      if (seed % 90 === 0) await sandbox.play('clock', { advance: '1h' });
      const given = randomTemplate(seed);
      const { code, json } = await sandbox.call('POST', TEMPLATES, given);
      const refused = issuesOfCreation(given, null).find(({ level }) => level === 'refused');
      expect([seed, code, json.error?.error_subcode]).toEqual([seed, refused ? 400 : 200, refused?.subcode]);
    }
  });

  it('counts against the hundred that an account may create in an hour, also if it is deleted', async () => {
    const sandbox = await startTestSandbox();
    const create = (name: string) => sandbox.call('POST', TEMPLATES, newTemplate({ name }));
    for (let index = 0; index < 100; index++) {
      const name = `spring_${index}`;
      expect((await create(name)).code).toBe(200);
      await sandbox.call('DELETE', `${TEMPLATES}?name=${name}`);
    }
    expect(await create('one_too_many')).toMatchObject({
      code: 400,
      json: { error: { code: 80008, message: expect.stringContaining('too many calls') } },
    });
    await sandbox.play('clock', { advance: '1h' });
    expect((await create('one_too_many')).code).toBe(200);
  });

  it('from the library is approved at once, with the own address behind its button', async () => {
    const sandbox = await startTestSandbox();
    const library = (query: string) => sandbox.call('GET', `/v22.0/message_template_library?${query}`);
    const names = async (query: string) =>
      (await library(query)).json.data.map(({ name }: { name: string }) => name);
    expect(await names('topic=PAYMENTS')).toEqual(['bill_is_due']);
    expect(await names('search=parcel&language=pt_BR')).toEqual(['parcel_on_its_way']);
    expect((await library('limit=2')).json).toMatchObject({
      data: [{ body_params: ['Ana', '#1042', 'May 4'] }, {}],
      paging: { next: expect.stringContaining('after=') },
    });
    const ofLibrary = (more: object = {}) => ({
      ...{ name: 'shipped', language: 'en_US', category: 'UTILITY' },
      library_template_name: 'parcel_on_its_way',
      library_template_button_inputs: JSON.stringify([
        {
          type: 'URL',
          url: { base_url: 'https://shop.example/{{1}}', url_suffix_example: 'https://shop.example/1' },
        },
      ]),
      ...more,
    });
    for (const more of [
      { library_template_button_inputs: undefined },
      { category: 'MARKETING' },
      { language: 'de' },
    ])
      expect((await sandbox.call('POST', TEMPLATES, ofLibrary(more))).code).toBe(400);
    expect(await sandbox.call('POST', TEMPLATES, ofLibrary())).toMatchObject({
      code: 200,
      json: { status: 'APPROVED', category: 'UTILITY' },
    });
    const fields = 'library_template_name,status,components';
    const { json } = await sandbox.call('GET', `${TEMPLATES}?name=shipped&fields=${fields}`);
    expect(json.data).toMatchObject([
      {
        ...{ library_template_name: 'parcel_on_its_way', status: 'APPROVED' },
        components: [
          { type: 'HEADER', text: 'Your parcel' },
          { type: 'BODY', example: { body_text: [['Ana', '#1042', 'May 4']] } },
          { type: 'BUTTONS', buttons: [{ text: 'Track it', url: 'https://shop.example/{{1}}' }] },
        ],
      },
    ]);
  });

  it('for codes has the texts of the platform, and is sent with the code twice', async () => {
    const sandbox = await startTestSandbox();
    const components = [
      { type: 'body', add_security_recommendation: true },
      { type: 'footer', code_expiration_minutes: 5 },
      { type: 'buttons', buttons: [{ type: 'otp', otp_type: 'copy_code' }] },
    ];
    await sandbox.call('POST', TEMPLATES, newTemplate({ category: 'authentication', components }));
    expect((await listed(sandbox, 'spring_sale'))[0].components).toMatchObject([
      { type: 'BODY', text: '*{{1}}* is your verification code. For your security, do not share this code.' },
      { type: 'FOOTER', text: 'This code expires in 5 minutes.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Copy code' }] },
    ]);
    await sandbox.play('templates/spring_sale', { event: 'APPROVED' });
    const parameters = [{ type: 'text', text: '1234' }];
    const sent = template('spring_sale', [
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: '0', parameters },
    ]);
    expect((await sandbox.send(sent)).code).toBe(200);
  });

  it('is refused where it is no JSON, or the account another’s', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.call('POST', TEMPLATES, '{"name":')).code).toBe(400);
    expect(
      (await sandbox.call('POST', '/v22.0/7/message_templates', newTemplate())).json.error,
    ).toMatchObject({
      code: 100,
      error_subcode: 33,
    });
  });
});

describe('a template', () => {
  it.each([
    ['REJECTED', { reason: 'SCAM' }, 'REJECTED', 'SCAM', {}],
    [
      'REJECTED',
      {},
      'REJECTED',
      'INVALID_FORMAT',
      { rejection_info: { reason: expect.any(String), recommendation: expect.any(String) } },
    ],
    [
      'PAUSED',
      {},
      'PAUSED',
      'NONE',
      { other_info: { title: 'FIRST_PAUSE', description: expect.any(String) } },
    ],
    ['DISABLED', {}, 'DISABLED', 'NONE', { disable_info: { disable_date: 1772445600 } }],
    ['FLAGGED', {}, 'APPROVED', 'NONE', { disable_info: { disable_date: 1772445600 + 7 * 86_400 } }],
    ['REINSTATED', {}, 'APPROVED', 'NONE', {}],
    ['IN_APPEAL', {}, 'IN_APPEAL', 'NONE', {}],
    ['PENDING_DELETION', {}, 'PENDING_DELETION', null, {}],
  ])('to which %s %j happens is %s from then on', async (event, more, status, reason, told) => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.play('templates/hello_world', { event, ...more });
    expect(await listed(sandbox, 'hello_world')).toMatchObject([{ id: HELLO, status }]);
    expect(valueOf((await receiver.accepted(1))[0])).toEqual({
      event,
      message_template_id: Number(HELLO),
      message_template_name: 'hello_world',
      message_template_language: 'en_US',
      reason,
      message_template_category: 'UTILITY',
      ...told,
    });
  });

  it('that is paused or disabled is not sent, and unpaused it is again', async () => {
    const { receiver, sandbox } = await startObserved();
    const code = async () => (await sandbox.send(template('hello_world'))).json.error?.code;
    await sandbox.play('templates/hello_world', { event: 'PAUSED' });
    expect(await code()).toBe(132015);
    await sandbox.play('templates/hello_world', { event: 'DISABLED' });
    expect(await code()).toBe(132016);
    await sandbox.play('templates/hello_world', { event: 'PAUSED' });
    await sandbox.play('templates/hello_world', { event: 'APPROVED' });
    expect(valueOf((await receiver.accepted(4))[3]).other_info.title).toBe('UNPAUSE');
    expect(await code()).toBeUndefined();
  });

  it('is rated, and moved to another category', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.play(`templates/${HELLO}`, { quality: 'YELLOW', category: 'MARKETING' });
    const named = {
      message_template_id: Number(HELLO),
      message_template_name: 'hello_world',
      message_template_language: 'en_US',
    };
    expect((await receiver.accepted(2)).map(({ json }) => json.entry[0].changes[0])).toEqual([
      {
        field: 'message_template_quality_update',
        value: { previous_quality_score: 'GREEN', new_quality_score: 'YELLOW', ...named },
      },
      {
        field: 'template_category_update',
        value: { ...named, previous_category: 'UTILITY', new_category: 'MARKETING' },
      },
    ]);
    expect(await listed(sandbox, 'hello_world')).toMatchObject([
      { category: 'MARKETING', quality_score: { score: 'YELLOW', date: 1772445600 } },
    ]);
  });

  it('is edited, and waits for its review again', async () => {
    const { receiver, sandbox } = await startObserved();
    const { components } = newTemplate();
    expect((await sandbox.call('POST', `/v22.0/${HELLO}`, { components })).json).toEqual({ success: true });
    expect(await listed(sandbox, 'hello_world')).toMatchObject([{ status: 'PENDING', components }]);
    const [, changed] = await receiver.accepted(2);
    expect(changed.json.entry[0].changes[0]).toEqual({
      field: 'message_template_components_update',
      value: {
        message_template_id: Number(HELLO),
        message_template_name: 'hello_world',
        message_template_language: 'en_US',
        message_template_title: 'Spring',
        message_template_element: 'Hello {{1}}, it is spring.',
        message_template_footer: 'Shop',
        message_template_buttons: [
          { message_template_button_type: 'QUICK_REPLY', message_template_button_text: 'Stop' },
          {
            message_template_button_type: 'URL',
            message_template_button_text: 'See it',
            message_template_button_url: 'https://shop.example',
          },
          {
            message_template_button_type: 'PHONE_NUMBER',
            message_template_button_text: 'Call us',
            message_template_button_phone_number: '+12025550123',
          },
        ],
      },
    });
    const again = await sandbox.call('POST', `/v22.0/${HELLO}`, { components });
    expect(again).toMatchObject({ code: 400, json: { error: { code: 100, error_subcode: 2388039 } } });
    await sandbox.play('templates/hello_world', { event: 'APPROVED' });
    expect((await sandbox.call('POST', `/v22.0/${HELLO}`, { category: 'MARKETING' })).code).toBe(400);
    expect((await sandbox.call('POST', `/v22.0/${HELLO}`, {})).code).toBe(400);
    expect((await sandbox.call('POST', '/v22.0/7', { components })).json.error.error_subcode).toBe(33);
  });

  it('is edited once a day and ten times in thirty days while it is approved', async () => {
    const sandbox = await startTestSandbox();
    const { components } = newTemplate();
    const edit = async () => {
      const { code, json } = await sandbox.call('POST', `/v22.0/${HELLO}`, { components });
      await sandbox.play('templates/hello_world', { event: 'APPROVED' });
      return code === 200 ? 'edited' : json.error.error_user_msg;
    };
    expect(await edit()).toBe('edited');
    expect(await edit()).toContain('once a day. Edit it again after 3 Mar, 10:00 UTC.');
    for (let day = 1; day <= 9; day++) {
      sandbox.later(24 * HOUR);
      expect(await edit()).toBe('edited');
    }
    sandbox.later(24 * HOUR);
    expect(await edit()).toContain('10 times in 30 days. Edit it again after 1 Apr, 10:00 UTC.');
    sandbox.later(20 * 24 * HOUR);
    expect(await edit()).toBe('edited');
  });

  it('that was approved and is deleted locks its name for thirty days', async () => {
    const sandbox = await startTestSandbox();
    const create = async (more: object = {}) => {
      const { json } = await sandbox.call('POST', TEMPLATES, newTemplate({ name: 'hello_world', ...more }));
      return json.error?.error_subcode ?? json.status;
    };
    expect(await create()).toBe(2388024);
    await sandbox.call('DELETE', `${TEMPLATES}?name=hello_world`);
    expect([await create(), await create({ language: 'es' })]).toEqual([2388023, 2388023]);
    sandbox.later(30 * 24 * HOUR);
    expect(await create()).toBe('PENDING');
    // It was in review, so its name is free at once.
    await sandbox.call('DELETE', `${TEMPLATES}?name=hello_world`);
    expect(await create()).toBe('PENDING');
  });

  it('is deleted by its name in all languages, or one of them by its id', async () => {
    const { receiver, sandbox } = await startObserved();
    const [, portuguese] = await listed(sandbox, 'order_update');
    const remove = (query: string) => sandbox.call('DELETE', `${TEMPLATES}?${query}`);
    expect((await remove(`name=order_update&hsm_id=${portuguese.id}`)).json).toEqual({ success: true });
    expect(await listed(sandbox, 'order_update')).toHaveLength(1);
    expect((await remove('name=order_update')).json).toEqual({ success: true });
    expect(await listed(sandbox, 'order_update')).toEqual([]);
    expect(await remove('name=order_update')).toMatchObject({
      code: 400,
      json: { error: { error_subcode: 2593002 } },
    });
    expect((await remove('limit=1')).code).toBe(400);
    await sandbox.play('templates/hello_world', { event: 'DELETED' });
    expect(await listed(sandbox, 'hello_world')).toEqual([]);
    expect((await receiver.accepted(3)).map((each) => valueOf(each).event)).toEqual([
      'DELETED',
      'DELETED',
      'DELETED',
    ]);
  });

  it('is rejected, edited, approved, paused and disabled in turn', async () => {
    const { receiver, sandbox } = await startObserved();
    const life: string[] = [];
    const happens = async (...events: string[]) => {
      life.push(...events);
      const values = (await receiver.accepted(life.length)).map(valueOf);
      expect(values.map((value) => value.event ?? 'content')).toEqual(life);
      const [{ status, rejected_reason }] = await listed(sandbox, 'spring_sale');
      return [status, rejected_reason];
    };
    const send = async () => (await sandbox.send(template('spring_sale', [bodyOf('Ana')]))).json.error.code;
    const edit = () => sandbox.call('POST', `/v22.0/${id}`, { components: newTemplate().components });

    await sandbox.play('review', { mode: 'reject', reason: 'PROMOTIONAL' });
    const created = await sandbox.call('POST', TEMPLATES, newTemplate());
    const { id } = created.json;
    expect(created.json.status).toBe('PENDING');
    expect(await happens('REJECTED')).toEqual(['REJECTED', 'PROMOTIONAL']);

    await sandbox.play('review', { mode: 'approve' });
    expect((await edit()).json).toEqual({ success: true });
    expect(await happens('PENDING', 'content', 'APPROVED')).toEqual(['APPROVED', 'NONE']);

    // As on the platform, an edit that passes its review leaves the template approved.
    await edit();
    expect(await happens('PENDING', 'content', 'APPROVED')).toEqual(['APPROVED', 'NONE']);
    expect((await edit()).json.error.error_user_msg).toContain('once a day');
    await sandbox.play('clock', { advance: '1d' });
    await edit();
    expect(await happens('PENDING', 'content', 'APPROVED')).toEqual(['APPROVED', 'NONE']);

    await sandbox.play('templates/spring_sale', { event: 'PAUSED' });
    expect([await happens('PAUSED'), await send()]).toEqual([['PAUSED', 'NONE'], 132015]);
    await sandbox.play('templates/spring_sale', { event: 'DISABLED' });
    expect([await happens('DISABLED'), await send()]).toEqual([['DISABLED', 'NONE'], 132016]);
    expect((await edit()).code).toBe(400);
  });

  it('of one business account is none of another’s', async () => {
    const other = lineWith({ phoneNumberId: '2001', wabaId: '200000000000001' });
    const sandbox = await startTestSandbox({ lines: () => [lineWith({ phoneNumberId: LINE }), other] });
    await sandbox.play('templates/hello_world', { event: 'PAUSED', line: '2001' });
    expect(await listed(sandbox, 'hello_world')).toMatchObject([{ status: 'APPROVED' }]);
    const { json } = await sandbox.call('GET', '/v22.0/200000000000001/message_templates?fields=status,name');
    expect(json.data[0]).toMatchObject({ name: 'hello_world', status: 'PAUSED' });
    expect(json.data[0].id).toMatch(/^\d{16}$/);
    expect(json.data[0].id).not.toBe(HELLO);
  });

  it.each([
    ['hello_world', {}, 400, 'Say what happens'],
    ['hello_world', { event: 'LOST' }, 400, '"event" is one of "APPROVED"'],
    ['hello_world', { event: 'REJECTED', reason: 'UGLY' }, 400, '"reason" is one of'],
    ['hello_world', { event: 'PAUSED', reason: 'SCAM' }, 400, '"reason" is why a template is rejected'],
    ['hello_world', { quality: 'GOOD' }, 400, '"quality" is one of'],
    ['hello_world', { category: 'FUN' }, 400, '"category" is one of'],
    ['order_update', { event: 'PAUSED' }, 400, 'say which with "language": "en_US", "pt_BR"'],
    ['no_such', { event: 'PAUSED' }, 404, 'There is no such template'],
    ['hello_world', { event: 'PAUSED', language: 'fr' }, 404, 'There is no such template'],
  ])('%s is not changed by %j', async (name, change, code, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', `/sandbox/templates/${name}`, change);
    expect([answer.code, answer.json.error.message]).toEqual([code, expect.stringContaining(words)]);
  });

  it('is listed for the person who plays', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('templates/order_update', { event: 'PAUSED', language: 'pt_BR' });
    const { json } = await sandbox.call('GET', '/sandbox/templates');
    expect(json.waba).toBe(WABA);
    expect(json.templates).toHaveLength(8);
    expect(json.templates[2]).toEqual({
      id: '1094370815520033',
      name: 'order_update',
      language: 'pt_BR',
      status: 'PAUSED',
      category: 'UTILITY',
      quality: 'UNKNOWN',
    });
  });
});

describe('a rule for reviews', () => {
  it('can approve a template in another category', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.play('review', { mode: 'recategorise', category: 'MARKETING' });
    const created = await sandbox.call('POST', TEMPLATES, newTemplate({ category: 'UTILITY' }));
    expect(created.json).toMatchObject({ status: 'PENDING', category: 'UTILITY' });
    const [moved, approved] = (await receiver.accepted(2)).map(({ json }) => json.entry[0].changes[0]);
    expect(moved).toMatchObject({
      field: 'template_category_update',
      value: { previous_category: 'UTILITY', new_category: 'MARKETING' },
    });
    expect(approved.value).toMatchObject({ event: 'APPROVED', message_template_category: 'MARKETING' });
    expect(await listed(sandbox, 'spring_sale')).toMatchObject([
      { status: 'APPROVED', category: 'MARKETING' },
    ]);
  });

  it('applies to one business account, and is shown', async () => {
    const lines = [LINE, '2001'].map((phoneNumberId, index) =>
      lineWith({ phoneNumberId, wabaId: [WABA, '200000000000001'][index] }),
    );
    const { receiver, sandbox } = await startObserved({ lines: () => lines });
    const shown = async () => (await sandbox.call('GET', `/sandbox/review?line=${LINE}`)).json;
    const rule = { mode: 'reject', after: '1s', line: LINE };
    expect(await shown()).toEqual({ waba: WABA, mode: 'manual' });
    await sandbox.play('review', rule);
    expect(await shown()).toEqual({ waba: WABA, mode: 'reject', reason: 'INVALID_FORMAT', after: '1s' });
    await sandbox.play('review', { mode: 'approve', line: '2001' });
    await sandbox.call('POST', '/v22.0/200000000000001/message_templates', newTemplate());
    expect(valueOf((await receiver.accepted(1))[0]).event).toBe('APPROVED');
    expect((await shown()).mode).toBe('reject');
  });

  it('is forgotten by a reset', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('review', { mode: 'approve', after: '1d' });
    await sandbox.play('reset');
    expect((await sandbox.call('GET', '/sandbox/review')).json).toEqual({ waba: WABA, mode: 'manual' });
  });

  it.each([
    [{}, '"mode" is one of "manual", "approve", "reject", "recategorise"'],
    [{ mode: 'approve', reason: 'SCAM' }, '"reason" requires another "mode"'],
    [{ mode: 'reject', reason: 'UGLY' }, '"reason" is one of'],
    [{ mode: 'reject', category: 'UTILITY' }, '"category" requires another "mode"'],
    [{ mode: 'recategorise', category: 'FUN' }, '"category" is one of'],
    [{ mode: 'manual', after: '1s' }, '"after" requires another "mode"'],
    [{ mode: 'approve', after: '2d' }, '"after" is a duration'],
    [{ mode: 'approve', event: 'APPROVED' }, 'The field "event" is not known here'],
  ])('is not set by %j', async (rule, words) => {
    const sandbox = await startTestSandbox();
    const { code, json } = await sandbox.call('POST', '/sandbox/review', rule);
    expect([code, json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('a review that has started', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  function submitted() {
    const deps = {
      templates: new TemplateStore(STARTER_TEMPLATES),
      callbacks: new Callbacks(undefined, [], silent),
      now: () => new Date(),
    };
    const reviews = new TemplateReviews(deps);
    const [hello] = deps.templates.of(WABA);
    reviews.change(WABA, { mode: 'reject', after: '5s' });
    hello.status = 'PENDING';
    reviews.start(WABA, hello);
    return { deps, reviews, hello };
  }

  it('ends by the rule of its start', () => {
    const { reviews, hello } = submitted();
    reviews.change(WABA, { mode: 'manual' });
    mock.timers.tick(4999);
    expect(hello.status).toBe('PENDING');
    mock.timers.tick(1);
    expect(hello.status).toBe('REJECTED');
  });

  it('starts again with the next submission', () => {
    const { reviews, hello } = submitted();
    mock.timers.tick(3000);
    reviews.change(WABA, { mode: 'approve', after: '5s' });
    reviews.start(WABA, hello);
    mock.timers.tick(3000);
    expect(hello.status).toBe('PENDING');
    mock.timers.tick(2000);
    expect(hello.status).toBe('APPROVED');
  });

  it('does not change a template that the user decided or deleted', () => {
    const { deps, reviews, hello } = submitted();
    changeTemplate(deps, WABA, hello, { event: 'PAUSED' });
    const [, other] = deps.templates.of(WABA);
    other.status = 'PENDING';
    reviews.start(WABA, other);
    deps.templates.remove(WABA, other, 0);
    mock.timers.tick(5000);
    expect([hello.status, other.status]).toEqual(['PAUSED', 'PENDING']);
  });

  it.each(['forget', 'close'] as const)('never ends after %s', (end) => {
    const { reviews, hello } = submitted();
    reviews[end]();
    mock.timers.tick(5000);
    expect(hello.status).toBe('PENDING');
  });
});
