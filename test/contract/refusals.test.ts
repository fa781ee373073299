import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import * as errors from '../../gateway/errors';
import { gatewayFailure } from '../../nodes/MessagingGateway/failures';
import { testCredential } from '../support/credential-check';
import { temporaryFolder } from '../support/databases';
import { until } from '../support/http-peer';
import { listening } from '../support/listening';
import { runAction } from '../support/n8n';
import { imageTo, startScene, upstreamError, type Scene, type TestLine } from '../support/scene';

const CONTACT = '5511987654321';
const TEXT = { resource: 'message', operation: 'send', to: CONTACT, messageType: 'text', text: 'Hi' };
const GET_STATUS = { resource: 'line', operation: 'getStatus' };
const GET_TEMPLATES = { resource: 'template', operation: 'getAll' };

const templateNamed = (name: string, value: object = {}, to = CONTACT) =>
  ({
    ...TEXT,
    to,
    messageType: 'template',
    template: { __rl: true, mode: 'name', value: name },
    templateLanguage: 'en_US',
    templateVariables: { mappingMode: 'defineBelow', value, schema: [] },
  }) as unknown as INodeParameters;

const upstreamTemplate = (name: string, status: string) => ({
  id: '1',
  name,
  language: 'en_US',
  category: 'UTILITY',
  status,
  components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is ready.' }],
});

let scene: Scene;
let line: TestLine;
beforeAll(async () => {
  scene = await startScene(`sqlite:${join(temporaryFolder(), 'gateway.db')}`);
});
beforeEach(async () => {
  // A minute of its own for each test: so many wrong tokens are too many for one.
  scene.clock.now += 60_000;
  line = await scene.line();
  await line.wrote(CONTACT, 1);
});
afterAll(() => scene.stop());

const credentials = () => ({ baseUrl: scene.gateway.url, line: line.phoneNumberId, token: line.token });

/** What the node says: the sentence, what follows it, and the gateway's word that a workflow can branch on. */
async function refused(parameters: INodeParameters, with_ = credentials()) {
  const { items, error } = await runAction(with_, parameters);
  expect(items).toEqual([]);
  expect(error?.name).toBe('NodeApiError');
  const continued = await runAction(with_, parameters, [{}], { onError: 'continueRegularOutput' });
  const { code } = continued.items[0].json.error as { code: string };
  return { code, message: error?.message, description: error?.description, httpCode: error?.httpCode };
}

/** Upstream answers each send like this, until the test ends. */
let before: Scene['upstream']['answers']['messages'];
beforeEach(() => {
  before = scene.upstream.answers.messages;
});
afterEach(() => {
  scene.upstream.answers.messages = before;
});
const upstreamAnswers = (answer: Scene['upstream']['answers']['messages']) => {
  scene.upstream.answers.messages = answer;
};

describe('what is wrong with the line or its token', () => {
  test.each([
    ['another line’s token', async () => ({ ...credentials(), token: (await scene.line()).token })],
    ['a token cut short', () => ({ ...credentials(), token: line.token.slice(0, -1) })],
    ['a token that nobody made', () => ({ ...credentials(), token: 'nobodys-token' })],
    ['a line that does not exist', () => ({ ...credentials(), line: '999999' })],
  ])('%s: says that token and line do not fit, for every operation', async (_case, wrong) => {
    const with_ = await wrong();
    for (const parameters of [TEXT, GET_STATUS, GET_TEMPLATES]) {
      expect(await refused(parameters, with_)).toEqual({
        code: 'invalid_token',
        httpCode: '401',
        message: 'The gateway does not accept this token for this line',
        description: expect.stringMatching(/token.*\n.*check that Line is the one/s),
      });
    }
    expect(await testCredential(with_)).toContain('The gateway does not accept this token for this line');
    await expect(listening({ credentials: with_ }).activate()).rejects.toThrow('does not accept this token');
    expect(line.sent()).toEqual([]);
  });

  test('no token: says that it is empty', async () => {
    const without = { ...credentials(), token: ' ' };
    expect(await refused(TEXT, without)).toMatchObject({
      code: 'missing_token',
      message: 'No token was sent to the gateway',
      description: expect.stringContaining("Enter the line's token in this node's credential."),
    });
    expect(await testCredential(without)).toContain('The token is empty');
  });

  test.each([
    [
      'deactivated_at',
      'line_inactive',
      'This line is switched off',
      "Switch it on in the gateway's control panel: Lines, then Settings of this line.",
      /^The line is/,
    ],
    [
      'api_disabled_at',
      'api_disabled',
      'The API of this line is disabled',
      "Enable it in the gateway's control panel: Lines, then Settings of this line.",
      /^The API/,
    ],
  ] as const)('%s: says so, and where to change it', async (column, code, message, next, reason) => {
    await line.edit({ [column]: '2026-03-10T12:00:00.000Z' });
    expect((await runAction(credentials(), GET_STATUS)).items[0].json).toEqual({
      ready: false,
      reasons: [expect.stringMatching(reason)],
    });
    for (const parameters of [TEXT, GET_TEMPLATES]) {
      expect(await refused(parameters)).toEqual({
        code,
        httpCode: '403',
        message,
        description: expect.stringContaining(next),
      });
    }
    expect(await testCredential(credentials())).toMatch(
      /^The token is right, but.*: Lines, then Settings of this line\.$/,
    );
  });

  test('a suspended customer: says so, and whom to ask', async () => {
    const suspended_at = '2026-03-10T12:00:00.000Z';
    const customer = await scene.change(({ store }) =>
      store.customers.insert({ name: 'Loja', external_id: null, suspended_at, created_at: suspended_at }),
    );
    await line.edit({ customer_id: customer?.id ?? 0 });
    expect((await runAction(credentials(), GET_STATUS)).items[0].json).toEqual({
      ready: false,
      reasons: [expect.stringMatching(/^The customer/)],
    });
    for (const parameters of [TEXT, GET_TEMPLATES])
      expect(await refused(parameters)).toEqual({
        code: 'customer_suspended',
        httpCode: '403',
        message: 'The customer of this line is suspended',
        description: expect.stringContaining('Ask the operator of the gateway.'),
      });
    expect(await testCredential(credentials())).toMatch(
      /^The token is right, but the customer .* is suspended\./,
    );
  });

  test('too many wrong tokens: says that it is the token', async () => {
    const with_ = { ...credentials(), token: 'nobodys-token' };
    for (let count = 0; count < 20; count++) await testCredential(with_);
    expect(await testCredential(with_)).toContain('does not accept this token for this line');
    expect(await refused(TEXT, with_)).toEqual({
      code: 'invalid_token',
      httpCode: '429',
      message: 'The gateway does not accept this token for this line',
      description: expect.stringMatching(/without the right token.*\n.*check that Line is the one/s),
    });
    expect(await testCredential(credentials())).toBeUndefined();
  });

  test('too many messages to one contact: waits as long as the gateway says, and sends', async () => {
    const isRefused = async () => (await line.send(imageTo(CONTACT))).status === 429;
    while (!(await isRefused()));
    const refusals = async () => {
      const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text();
      const counts = metrics.matchAll(/^gateway_requests_total\{.*status="429".*\} (\d+)$/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const [sentBefore, refusedBefore] = [line.sent().length, await refusals()];
    const sending = runAction(credentials(), TEXT);
    await until(async () => (await refusals()) > refusedBefore);
    // The gateway's clock stands still in these tests.
    scene.clock.now += 6000;
    const { items, error, hints } = await sending;
    expect(error).toBeUndefined();
    expect(items).toHaveLength(1);
    const [, seconds] =
      /^This run waited (\d+) seconds in all\. Why: .*Too many messages/.exec(hints[0]?.message ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(6);
    expect(line.sent()).toHaveLength(sentBefore + 1);
  });

  test('a low rating: says that nothing is sent until it has recovered', async () => {
    await line.rated('RED');
    expect(await refused(TEXT)).toEqual({
      code: 'line_quality_low',
      httpCode: '403',
      message: 'The gateway sends nothing from this line because of its quality',
      description: expect.stringContaining('Wait until its rating has recovered'),
    });
    expect((await runAction(credentials(), GET_STATUS)).items[0].json).toMatchObject({
      platform: { quality_rating: 'LOW' },
    });
  });

  test('no upstream credentials: says who has to add them', async () => {
    line = await scene.line({ accessToken: null });
    await line.wrote(CONTACT, 1);
    expect(await refused(TEXT)).toMatchObject({
      code: 'line_not_configured',
      message: 'The gateway has no access to the messaging platform for this line yet',
      description: expect.stringMatching(/^The operator of the gateway enters/),
    });
  });
});

describe('what is wrong with the message', () => {
  test('a contact whose window is closed: says since when, and to send a template', async () => {
    const other = '5511900000001';
    await line.wrote(other, 31);
    expect(await refused({ ...TEXT, to: other })).toEqual({
      code: 'outside_24h_window',
      httpCode: '400',
      message: 'This contact has not written to you within the last 24 hours',
      description: expect.stringMatching(
        /31 hours ago.*\nChoose the operation Send Template, or set Outside the 24 Hours/s,
      ),
    });
    expect(line.sent()).toEqual([]);
  });

  test('a window that upstream finds closed: says the same', async () => {
    upstreamAnswers(() => upstreamError(400, 131047));
    expect(await refused(TEXT)).toMatchObject({
      code: 'outside_24h_window',
      message: 'This contact has not written to you within the last 24 hours',
      description: expect.stringContaining('Choose the operation Send Template, or'),
    });
  });

  test('a value larger than a message may be: says so', async () => {
    const parameters = templateNamed('order_update', { 'body-1': 'x'.repeat(1_100_000), 'body-2': 'y' });
    expect(await refused(parameters)).toMatchObject({
      code: 'payload_too_large',
      message: 'This is larger than what can be sent',
    });
  });

  describe('a template', () => {
    beforeEach(() => {
      scene.upstream.answers.templates = () => ({
        body: {
          data: [upstreamTemplate('order_update', 'APPROVED'), upstreamTemplate('reviewed', 'PENDING')],
        },
      });
    });

    test('that lacks a value: says by the words around it which one', async () => {
      const parameters = templateNamed('order_update', { 'body-1': 'Ana', 'body-2': ' ' });
      const { error } = await runAction(credentials(), parameters);
      expect(error).toMatchObject({
        name: 'NodeOperationError',
        message: expect.stringMatching(/^The variable ".*order \[2\].*" is empty/),
      });
      expect(line.sent()).toEqual([]);
    });

    test('that is not approved: says its state, and to choose another', async () => {
      const values = { 'body-1': 'Ana', 'body-2': 'A-1042' };
      expect(await refused(templateNamed('reviewed', values))).toEqual({
        code: 'template_not_approved',
        httpCode: '400',
        message: 'This template is not approved',
        description: expect.stringMatching(/PENDING\. Choose an approved template\./),
      });
      expect(line.sent()).toEqual([]);
    });

    test('that nobody knows: says to choose it from the list', async () => {
      upstreamAnswers(() => upstreamError(404, 132001));
      expect(await refused(templateNamed('no_such_template'))).toEqual({
        code: 'template_not_found',
        httpCode: '404',
        message: 'The gateway knows no template of this name and language',
        description: expect.stringContaining('Choose the template From List.'),
      });
    });
  });
});

describe('every refusal of the gateway', () => {
  /** The nodes ask for nothing that is refused so, or have a sentence of their own where they ask. */
  const NOT_OF_NODES = [
    'refuse',
    'quoted',
    // The nodes manage nothing.
    'invalidTemplate',
    'uploadNotFound',
    'sharedBusinessAccount',
    'callbackIsTheGateways',
    'tooManyLogIns',
    'notPermitted',
    'invalidIdempotencyKey',
    'wrongMetricsToken',
    'wrongVerifyToken',
    'wrongSignature',
    'questionNotFound',
    'questionOpen',
    'userNotFound',
    'lastRole',
    'lastOwner',
    'appRequired',
    'invitationNotFound',
    'invitationGone',
    'invitationVoid',
    'customerUnknown',
    'customerInUse',
    'externalIdTaken',
    'olderProcess',
    'accessSuspended',
    'passwordLogInOff',
    'providerUnavailable',
    'providerAnswerRefused',
    'personUnknown',
    'personLinkedElsewhere',
    'userLinkedAlready',
    'lastWayToLogIn',
    'permissionMissing',
    'lineNotNamed',
    'requestOutcomeUnknown',
    'preconditionFailed',
    'draftNotFound',
    'draftCellUnknown',
    'draftChanged',
    'tokenNotPermitted',
  ];
  const ARGUMENTS: Record<string, unknown[]> = {
    invalidPayload: [[{ path: 'to', rule: 'pattern', message: 'to is no number.', code: 131009 }]],
    invalidField: ['to', 'pattern', 'to is no number.'],
    scopeMissing: ['send', ['read']],
    tokenRateExceeded: ['admin', 'reads', 600, 1],
    templateNotApproved: [132001, 'order_update is PENDING.', 'Choose an approved template.'],
    fileNotSupported: ['a program', ['image/png']],
    mediaTypeNotSupported: ['image/gif', ['image/png']],
    fieldUnknown: ['x', 'Y', ['id']],
  };
  const refusals = Object.entries(errors).flatMap(([name, make]) => {
    if (typeof make !== 'function' || /^[A-Z]/.test(name) || NOT_OF_NODES.includes(name)) return [];
    const refused = (make as (...given: unknown[]) => unknown)(...(ARGUMENTS[name] ?? ['5', '5', '5']));
    return refused instanceof errors.Refusal ? [[name, refused] as const] : [];
  });

  test.each(refusals)('%s: says what happened, what to do, and nothing for programmers', (_name, refused) => {
    const { status, errorCode, error } = refused;
    const body = { error_code: errorCode, error } as unknown as IDataObject;
    const { message, description } = gatewayFailure(status, body);
    expect(message).not.toContain('(#');
    expect(message.length).toBeGreaterThan(15);
    const advice = description.split('\n').at(-1) ?? '';
    expect(advice).toMatch(
      /^(Add|Ask|Check|Choose|Enable|Enter|Leave|Line: Get Status|Look|Make|Send|Set|Switch|Take|The first try|Try|Unpublish|Wait|The operator|In this node)/,
    );
    const said = `${message}\n${description}`;
    expect(said).not.toMatch(
      /Authorization|Content-Type|Idempotency-Key|URL-encode|chat_message_id|multipart|GET |"fields"|scope|--/,
    );
    // No sentence twice.
    const sentences = said.split(/(?<=[.])\s+/);
    expect(new Set(sentences).size).toBe(sentences.length);
  });
});

describe('what is wrong upstream', () => {
  test.each([
    [400, 190, 'upstream_auth_failed', '502', /refuses the gateway's own credentials/, /Your token is fine/],
    [429, 130429, 'upstream_rate_limited', '429', /asks to send more slowly/, /Messages per Second/],
    [400, 131056, 'upstream_rate_limited', '429', /^Too many .* to this contact/, /Wait before you send/],
    [500, 2, 'upstream_unavailable', '502', /cannot be reached at the moment/, /Try again later/],
    [
      400,
      131026,
      'upstream_error',
      '400',
      /^The message cannot be delivered/,
      /^Check the number;.*\n.*\(#131026\)/s,
    ],
    [
      400,
      131049,
      'upstream_error',
      '400',
      /held this marketing message back/,
      /^Do not send it again at once;/,
    ],
    [400, 368, 'upstream_error', '400', /^The messaging platform has restricted/, /^Open WhatsApp Manager/],
    [400, 131031, 'upstream_error', '400', /^The messaging platform has locked/, /^Open WhatsApp Manager/],
  ])('HTTP %i with code %i: says what to do', async (status, code, word, httpCode, message, description) => {
    upstreamAnswers(() => upstreamError(status, code));
    expect(await refused(TEXT)).toEqual({
      code: word,
      httpCode,
      message: expect.stringMatching(message),
      description: expect.stringMatching(description),
    });
  });

  test('no answer: says that the message may have been sent', async () => {
    upstreamAnswers((_request, response) => {
      response.destroy();
      return 'handled';
    });
    expect(await refused(TEXT)).toEqual({
      code: 'upstream_timeout',
      httpCode: '504',
      message: expect.stringContaining('it is not known whether the message was sent'),
      description: expect.stringContaining('Look at the statuses of this contact before you send again.'),
    });
  });
});

describe('Retry On Fail', () => {
  const RETRY = { retryOnFail: true, maxTries: 2 };
  const texts = () => line.sent().map((body) => (JSON.parse(body) as { text: { body: string } }).text.body);
  /** Upstream refuses what has this text the first time. */
  const failsOnce = (text: string) => {
    let failed = false;
    upstreamAnswers((request, response) => {
      if (failed || !request.body.includes(text)) return before(request, response);
      failed = true;
      return upstreamError(500, 2);
    });
  };

  test('sends again what failed, and nothing else', async () => {
    failsOnce('m2');
    const items = ['m0', 'm1', 'm2', 'm3'].map((text) => ({ text }));
    const outcome = await runAction(credentials(), { ...TEXT, text: '={{ $json.text }}' }, items, RETRY);
    expect(outcome.error).toBeUndefined();
    expect(outcome.items).toHaveLength(4);
    expect(texts()).toEqual(['m0', 'm1', 'm2', 'm3', 'm2']);
  });

  test('never sends an item again with other content, and says why', async () => {
    upstreamAnswers((request, response) => {
      if (!request.body.includes('second')) return before(request, response);
      response.destroy();
      return 'handled';
    });
    const parameters = { ...TEXT, text: '={{ $json.text }} {{ Math.random() }}' };
    const items = [{ text: 'first' }, { text: 'second' }];
    const { error } = await runAction(credentials(), parameters, items, RETRY);
    expect(error?.message).toBe('This item was already sent with other content');
    expect(error?.description).toContain('Content that changes between tries');
    expect(texts().map((text) => text.split(' ')[0])).toEqual(['first', 'second']);
  });

  test('does not send again what may have been sent', async () => {
    upstreamAnswers((_request, response) => {
      response.destroy();
      return 'handled';
    });
    const { error } = await runAction(credentials(), TEXT, [{}], RETRY);
    expect(error?.message).toContain('it is not known whether the message was sent');
    expect(line.sent()).toHaveLength(1);
  });
});

describe('what is wrong with the address of this n8n', () => {
  test.each([
    ['http://10.1.2.3:5678', 'not a public address'],
    ['ftp://n8n.example', 'starts with https:// or http://'],
  ])('%s: says why, and which settings help', async (n8nUrl, reason) => {
    const trigger = listening({ credentials: credentials() }, {}, {}, n8nUrl);
    await expect(trigger.activate()).rejects.toMatchObject({
      message: `The gateway cannot send events to this n8n at ${trigger.productionUrl}`,
      description: expect.stringMatching(new RegExp(`${reason}.*WEBHOOK_URL`, 's')),
    });
    expect(trigger.registrations()).toEqual([]);
  });
});
