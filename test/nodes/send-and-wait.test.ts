import { WebhookContext } from 'n8n-core';
import type {
  INodeParameters,
  IRun,
  IWebhookData,
  IWebhookFunctions,
  IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { ACTION, additionalData, node, runAction, workflow } from '../support/n8n';
import {
  accepted,
  DESTINATIONS,
  gatewayForEach,
  LINE,
  MESSAGES,
  refusal,
  TEMPLATES,
} from './support/gateway';

const CONTACT = '5511987654321';
const ASK = {
  resource: 'message',
  operation: 'sendAndWait',
  to: CONTACT,
  message: 'May we deliver tomorrow?',
};

const gateway = gatewayForEach();
let others: object[];
beforeEach(() => {
  others = [];
  gateway.on('POST', MESSAGES, (request) => accepted(request));
  gateway.on('GET', DESTINATIONS, () => ({ body: { success: true, count: others.length, data: others } }));
  gateway.on('POST', DESTINATIONS, ({ body }) => ({
    statusCode: 201,
    body: { success: true, id: 7, ...(body as object), secret: 'whsec' },
  }));
  gateway.on('DELETE', `${DESTINATIONS}/7`, () => ({ body: { success: true } }));
});

interface Buttons {
  interactive: { action: { buttons: Array<{ reply: { id: string; title: string } }> } };
}
const bodies = () => gateway.requests('POST', MESSAGES).map(({ body }) => body);
const buttons = () => (bodies()[0] as Buttons).interactive.action.buttons.map(({ reply }) => reply);
const registered = () => gateway.requests('POST', DESTINATIONS).map(({ body }) => body);

test('asks with two buttons, each of which carries the signed way back to this run', async () => {
  const { run, items, error } = await runAction(gateway.credentials, ASK);
  expect(error).toBeUndefined();
  expect(run.waitTill!.getTime()).toBeGreaterThan(Date.now() + 23.9 * 3600_000);
  expect(buttons().map(({ title }) => title)).toEqual(['Approve', 'Decline']);
  for (const [index, { id }] of buttons().entries()) {
    expect(id).toMatch(
      new RegExp(`^mgw-resume:/webhook-waiting/\\d+/[^/?]+\\?choice=${index}&signature=[0-9a-f]{64}$`),
    );
  }
  expect(items[0].json).toMatchObject({
    answered: false,
    approved: false,
    messageId: 'wamid.1',
    waId: CONTACT,
  });
});

test('has the gateway send answers to the run until a minute after its time', async () => {
  await runAction(gateway.credentials, { ...ASK, limitAmount: 2, limitUnit: 'minutes' });
  expect(registered()).toEqual([
    {
      url: expect.stringMatching(/^http:\/\/n8n\.test\/webhook-waiting\/\d+\/.+\?signature=[0-9a-f]{64}$/),
      events: ['messages'],
      mode: 'split',
      expires_in: 180,
    },
  ]);
});

test('needs nothing at the gateway where a trigger of this n8n listens', async () => {
  others = [{ id: 1, url: 'http://n8n.test/webhook/abc/webhook', events: ['messages'], paused_at: null }];
  await runAction(gateway.credentials, ASK);
  expect(registered()).toEqual([]);
  expect(buttons()).toHaveLength(2);
});

test.each([
  ['of another n8n', { url: 'http://elsewhere.test/webhook/abc/webhook', events: ['messages'] }],
  ['that is paused', { url: 'http://n8n.test/webhook/abc/webhook', events: ['messages'], paused_at: '2026' }],
  [
    'of another node, whose address a person entered',
    {
      url: 'http://n8n.test/webhook/abc/webhook',
      events: ['messages'],
      origin: 'forwarding',
    },
  ],
  ['for statuses only', { url: 'http://n8n.test/webhook/abc/webhook', events: ['read'] }],
  ['that is a test', { url: 'http://n8n.test/webhook-test/abc/webhook', events: ['messages'] }],
])('does not count on a trigger %s', async (_case, destination) => {
  others = [{ id: 1, ...destination }];
  await runAction(gateway.credentials, ASK);
  expect(registered()).toHaveLength(1);
});

test('listens for free text although a trigger listens, because a text carries no way back', async () => {
  others = [{ id: 1, url: 'http://n8n.test/webhook/abc/webhook', events: ['messages'], paused_at: null }];
  await runAction(gateway.credentials, { ...ASK, responseType: 'freeText' });
  expect(registered()).toHaveLength(1);
  expect(bodies()[0]).toMatchObject({ type: 'text', text: { body: ASK.message } });
});

test('stops listening when the question cannot be sent', async () => {
  gateway.on('POST', MESSAGES, () => refusal(400, 'outside_24h_window', 131047, 'Too late', 'Too late.'));
  const { error, run } = await runAction(gateway.credentials, ASK);
  expect(error?.message).toBe('This contact has not written to you within the last 24 hours');
  expect(run.waitTill).toBeFalsy();
  expect(gateway.requests('DELETE', `${DESTINATIONS}/7`)).toHaveLength(1);
});

test('says why the question could not be sent, even where the gateway does not let go of the address', async () => {
  gateway.on('POST', MESSAGES, () => refusal(400, 'outside_24h_window', 131047, 'Too late', 'Too late.'));
  gateway.on('DELETE', `${DESTINATIONS}/7`, () => refusal(500, 'internal_error', 1, 'Broken', 'Broken.'));
  const { error } = await runAction(gateway.credentials, ASK);
  expect(error?.message).toBe('This contact has not written to you within the last 24 hours');
});

test('sends nothing when the gateway cannot reach this n8n', async () => {
  gateway.on('POST', DESTINATIONS, () => refusal(400, 'invalid_payload', 131009, 'Bad', 'It is not public.'));
  const { error } = await runAction(gateway.credentials, ASK);
  expect(error?.message).toBe('The gateway cannot send answers to this n8n at http://n8n.test');
  expect(error?.description).toContain('WEBHOOK_URL');
  expect(bodies()).toEqual([]);
});

describe('choices that the data has', () => {
  const times = [
    { title: '9 to 10', id: 'slot_9', part: 'Morning' },
    { title: '12 to 13', id: 'slot_12', part: 'Noon' },
  ];
  interface List {
    interactive: {
      action: { sections: Array<{ title: string; rows: Array<{ id: string; title: string }> }> };
    };
  }

  test('rows of an array lead back to this run, and are told by the IDs of the data', async () => {
    const { items, error } = await runAction(
      gateway.credentials,
      {
        ...ASK,
        responseType: 'list',
        choicesFrom: 'array',
        choicesArray: '={{ $json.times }}',
        sectionField: 'part',
      },
      [{ times }],
    );
    expect(error).toBeUndefined();
    const { sections } = (bodies()[0] as List).interactive.action;
    expect(sections.map(({ title, rows }) => [title, rows.map((row) => row.title)])).toEqual([
      ['Morning', ['9 to 10']],
      ['Noon', ['12 to 13']],
    ]);
    expect(sections[1].rows[0].id).toMatch(/^mgw-resume:.*choice=1&signature=/);
    expect(items[0].json.waiting).toMatchObject({ choices: [{ id: 'slot_9' }, { id: 'slot_12' }] });
  });

  test('buttons that are the items that come in make one question', async () => {
    const { items, error } = await runAction(
      gateway.credentials,
      { ...ASK, responseType: 'buttons', choicesFrom: 'items' },
      times,
    );
    expect(error).toBeUndefined();
    expect(buttons().map(({ title }) => title)).toEqual(['9 to 10', '12 to 13']);
    expect(items).toHaveLength(1);
  });
});

test('waits for one answer only: several items are refused before anything is sent', async () => {
  const { error } = await runAction(gateway.credentials, ASK, [{}, {}]);
  expect(error?.message).toBe('There are 2 items, and a run can wait for one answer only [item 0]');
  expect(error?.description).toContain('put Loop Over Items before Execute Sub-workflow');
  expect(gateway.received).toEqual([]);
});

/** The item with which n8n goes on when the time is over. */
const keptItem = (run: IRun) => run.data.executionData?.nodeExecutionStack[0]?.data.main[0]?.[0]?.json;

test('what goes on when the time is over tells nothing of how the run waited', async () => {
  const { run } = await runAction(gateway.credentials, ASK);
  expect(keptItem(run)).toMatchObject({ answered: false, answer: null, to: CONTACT, messageId: 'wamid.1' });
  expect(keptItem(run)).not.toHaveProperty('waiting');
});

test.each([
  ['too_many_registrations', 'Too many runs wait for an answer on this line'],
  ['rate_limited', 'Too many questions on this line within a minute'],
])('of %s at the registration says what can be done with this operation', async (code, message) => {
  gateway.on('POST', DESTINATIONS, () => refusal(429, code, 130429, 'Too many', 'Too many.'));
  const { error } = await runAction(gateway.credentials, { ...ASK, responseType: 'freeText' });
  expect(error?.message).toBe(message);
  expect(error?.description).toContain('Questions with buttons or a list need none');
  expect(error?.description).not.toMatch(/Messages per Second|Unpublish/);
  expect(bodies()).toEqual([]);
});

test.each([
  [{ message: 'x'.repeat(1025) }, 'Message is 1025 characters long, 1 more than the 1024 allowed'],
  [{ message: ' ', responseType: 'freeText' }, 'Message is empty'],
  [{ message: ' ' }, 'Message is empty'],
])('names the field as the panel does (%#)', async (parameters, message) => {
  const { error } = await runAction(gateway.credentials, { ...ASK, ...parameters });
  expect(error?.message).toBe(message);
  expect(gateway.received).toEqual([]);
});

describe('outside the window', () => {
  const listed = (types: string[]) =>
    gateway.on('GET', TEMPLATES, () => ({
      body: {
        success: true,
        data: [
          {
            name: 'confirm',
            language: 'en_US',
            header: null,
            body: 'Tomorrow?',
            buttons: types.map((type) => ({ type, text: type })),
          },
        ],
      },
    }));
  const WITH_TEMPLATE = {
    ...ASK,
    outsideWindow: 'template',
    fallbackTemplate: { __rl: true, mode: 'list', value: 'confirm|en_US' },
    fallbackVariables: { mappingMode: 'defineBelow', value: null, schema: [] },
  } as never as Record<string, string>;
  beforeEach(() => {
    gateway.on('GET', `/v22.0/${LINE}/window/${CONTACT}`, () => ({ body: { success: true, open: false } }));
  });

  test('the quick replies of the template carry the same way back', async () => {
    listed(['url', 'quick_reply', 'quick_reply']);
    const { error, items } = await runAction(gateway.credentials, WITH_TEMPLATE);
    expect(error).toBeUndefined();
    const payload = (choice: number) => ({
      type: 'payload',
      payload: expect.stringMatching(new RegExp(`^mgw-resume:/.*choice=${choice}&`)),
    });
    expect(bodies()).toEqual([
      expect.objectContaining({
        type: 'template',
        template: {
          name: 'confirm',
          language: { code: 'en_US' },
          components: [
            { type: 'button', sub_type: 'quick_reply', index: '1', parameters: [payload(0)] },
            { type: 'button', sub_type: 'quick_reply', index: '2', parameters: [payload(1)] },
          ],
        },
      }),
    ]);
    expect(items[0].json).toMatchObject({ usedFallback: true });
  });

  test('a template with too few of them is refused', async () => {
    listed(['quick_reply']);
    const { error } = await runAction(gateway.credentials, WITH_TEMPLATE);
    expect(error?.message).toMatch(/has 1 quick reply, and 2 answers are possible/);
    expect(bodies()).toEqual([]);
  });
});

describe('what the contact writes next answers a question for free text', () => {
  /** Has the contact write that, as the gateway hands it to the waiting run; returns what the run goes on with. */
  async function writes(
    message: object,
    more: INodeParameters = {},
    { name = ACTION, asBefore = (_run: IRun) => {} } = {},
  ) {
    const parameters = { ...ASK, responseType: 'freeText', ...more };
    const { run } = await runAction(gateway.credentials, parameters, [{}], { name });
    asBefore(run);
    const inbound = { id: 'wamid.IN', from: CONTACT, timestamp: '1760000000', ...message };
    const body = { entry: [{ changes: [{ value: { messages: [inbound] } }] }] };
    const action = node(ACTION, parameters, { name });
    const data = { ...additionalData(gateway.credentials), httpRequest: { body, query: {} } };
    const context = new WebhookContext(
      workflow([action]),
      action,
      data as unknown as IWorkflowExecuteAdditionalData,
      'webhook',
      {} as IWebhookData,
      [],
      run.data,
    ) as unknown as IWebhookFunctions;
    const { workflowData } = await new MessagingGateway().webhook.call(context);
    return workflowData?.[0][0].json;
  }

  test.each([
    ['a text', { type: 'text', text: { body: 'Yes, please' } }, 'Yes, please'],
    ['the caption of a picture', { type: 'image', image: { id: '1', caption: 'This door' } }, 'This door'],
    [
      'a button of another message',
      {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: 'later', title: 'Later' } },
      },
      'Later',
    ],
    [
      'an emoji on the question',
      { type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '👍' } },
      '👍',
    ],
  ])('with %s', async (_what, message, answer) => {
    expect(await writes(message)).toMatchObject({ answered: true, answer, from: CONTACT });
    expect(gateway.requests('DELETE', `${DESTINATIONS}/7`)).toHaveLength(1);
  });

  test.each(['Ask "{{ Ana }}"', "What's up? \\ {0}"])('in a node called %s', async (name) => {
    const text = { type: 'text', text: { body: 'Yes' } };
    expect(await writes(text, {}, { name })).toMatchObject({ answered: true, answer: 'Yes' });
  });

  test('of a run that an earlier version of the node had wait', async () => {
    const asBefore = (run: IRun) => {
      const { contextData } = run.data.executionData ?? {};
      const context = contextData?.[`node:${ACTION}`] ?? {};
      Object.assign(keptItem(run) ?? {}, { waiting: context.waiting });
      delete context.waiting;
    };
    const text = { type: 'text', text: { body: 'Yes' } };
    expect(await writes(text, {}, { asBefore })).toMatchObject({ answered: true, answer: 'Yes' });
    expect(gateway.requests('DELETE', `${DESTINATIONS}/7`)).toHaveLength(1);
  });

  const VOICE = { type: 'audio', audio: { id: '8', mime_type: 'audio/ogg', voice: true } };
  const PLACE = { type: 'location', location: { latitude: 1.5, longitude: 2.5 } };
  test('with a voice message or a place, where these are accepted', async () => {
    const accepts = { alsoAccept: ['audio', 'location'] };
    expect(await writes(VOICE, accepts)).toMatchObject({
      answered: true,
      answer: null,
      answerKind: 'audio',
      media: { id: '8', mimeType: 'audio/ogg', voice: true },
      location: null,
    });
    expect(await writes(PLACE, accepts)).toMatchObject({
      answerKind: 'location',
      location: { latitude: 1.5, longitude: 2.5 },
      media: null,
    });
    expect(await writes({ type: 'image', image: { id: '9' } }, accepts)).toBeUndefined();
  });

  const RESUME = `mgw-resume:/webhook-waiting/9/other?choice=0&signature=${'a'.repeat(64)}`;
  test.each([
    [
      'the answer to another question that waits',
      {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: RESUME, title: 'Approve' } },
      },
    ],
    ['an emoji on another message', { type: 'reaction', reaction: { message_id: 'wamid.OLD', emoji: '👍' } }],
    ['a notice of the platform', { type: 'system', system: { body: 'Ana changed her number' } }],
    ['a file without words', { type: 'audio', audio: { id: '1' } }],
  ])('but not with %s', async (_what, message) => {
    expect(await writes(message)).toBeUndefined();
    expect(gateway.requests('DELETE', `${DESTINATIONS}/7`)).toEqual([]);
  });
});
