import { createHmac } from 'node:crypto';
import { WebhookContext } from 'n8n-core';
import type {
  IDataObject,
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
  QUESTIONS,
  refusal,
  TEMPLATES,
} from './support/gateway';

const CONTACT = '5511987654321';
const ASK = { resource: 'message', operation: 'sendAndWait', to: CONTACT, message: 'How many?' };
const FREE = { ...ASK, responseType: 'freeText' };
const KEY = Buffer.from('the secret of this question');
const SECRET = `whsec_${KEY.toString('base64')}`;

const gateway = gatewayForEach();
beforeEach(() => {
  gateway.on('POST', QUESTIONS, () => ({
    statusCode: 201,
    body: {
      success: true,
      id: `qst_${asked().length}`,
      message_id: `wamid.${asked().length}`,
      expires_at: '2030-01-01T00:00:00.000Z',
      secret: SECRET,
    },
  }));
  gateway.on('POST', MESSAGES, (request) => accepted(request));
  gateway.on('GET', DESTINATIONS, () => ({ body: { success: true, count: 0, data: [] } }));
  gateway.on('POST', DESTINATIONS, () => ({ statusCode: 201, body: { success: true, id: 7, secret: 's' } }));
});

interface Asked extends IDataObject {
  message: { type: string; text: { body: string }; biz_opaque_callback_data?: string };
  callback_url: string;
  key: string;
}
const asked = () => gateway.requests('POST', QUESTIONS).map(({ body }) => body as Asked);
const texts = () => asked().map(({ message }) => message.text.body);
const paths = () => gateway.received.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);

interface Answered {
  /** What the run goes on with; undefined where it keeps waiting. */
  json?: IDataObject;
  status: number;
}

/** A run of the node that waits, and a contact who answers the question that was asked last. */
async function waiting(
  parameters: INodeParameters,
  credentials = gateway.credentials,
  item: IDataObject = {},
) {
  const { run, error, items } = await runAction(credentials, parameters, [item]);
  expect(error).toBeUndefined();
  const action = node(ACTION, parameters);
  const ofThisRun = additionalData(credentials);

  async function receives(
    message: object,
    { url = asked().at(-1)!.callback_url, key = KEY as Buffer | null } = {},
  ) {
    const inbound = {
      id: 'wamid.IN',
      from: CONTACT,
      timestamp: String(Math.floor(Date.now() / 1000)),
      ...message,
    };
    const body = {
      entry: [
        {
          changes: [
            { value: { contacts: [{ wa_id: CONTACT, profile: { name: 'Ana' } }], messages: [inbound] } },
          ],
        },
      ],
    };
    const rawBody = Buffer.from(JSON.stringify(body));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature =
      key && createHmac('sha256', key).update(`evt_1.${timestamp}.${rawBody.toString()}`).digest('base64');
    const answer: Answered = { status: 200 };
    const httpResponse = {
      writeHead(status: number) {
        answer.status = status;
        return this;
      },
      end() {},
    };
    const httpRequest = {
      body,
      rawBody,
      headers: {
        'webhook-id': 'evt_1',
        'webhook-timestamp': timestamp,
        ...(signature && { 'webhook-signature': `v1,${signature}` }),
      },
      query: Object.fromEntries(new URL(url).searchParams),
      path: new URL(url).pathname,
    };
    const context = new WebhookContext(
      workflow([action]),
      action,
      {
        ...ofThisRun,
        httpRequest,
        httpResponse,
      } as unknown as IWorkflowExecuteAdditionalData,
      'webhook',
      {} as IWebhookData,
      [],
      structuredClone(run.data),
    ) as unknown as IWebhookFunctions;
    const { workflowData } = await new MessagingGateway().webhook.call(context);
    answer.json = workflowData?.[0][0].json;
    return answer;
  }
  const says = (body: string, more: Parameters<typeof receives>[1] = {}) =>
    receives({ type: 'text', text: { body } }, more);
  return { run, items, receives, says };
}

/** What goes on when the time is over. */
const keptItem = (run: IRun) => run.data.executionData?.nodeExecutionStack[0]?.data.main[0]?.[0]?.json;

describe('a question that the gateway keeps', () => {
  test('is sent and waited for in one request, with the IDs that the workflow knows', async () => {
    const { run, items } = await waiting({ ...ASK, options: { clientRef: 'order 1' } });
    expect(paths()).toEqual(['POST questions']);
    expect(asked()).toEqual([
      {
        contact: CONTACT,
        message: {
          type: 'interactive',
          interactive: {
            type: 'button',
            body: { text: 'How many?' },
            action: {
              buttons: [
                { type: 'reply', reply: { id: 'approve', title: 'Approve' } },
                { type: 'reply', reply: { id: 'decline', title: 'Decline' } },
              ],
            },
          },
          biz_opaque_callback_data: 'order 1',
        },
        accepts: ['button'],
        choices: ['approve', 'decline'],
        expires_in: 24 * 3600,
        callback_url: expect.stringMatching(/^http:\/\/n8n\.test\/webhook-waiting\/\d+\/[^?]+\?signature=/),
        key: expect.stringMatching(/^n8n-[0-9a-f]{40}$/),
      },
    ]);
    expect(run.waitTill).toBeTruthy();
    expect(items[0].json).toMatchObject({ answered: false, reason: 'timeLimit', questionId: 'qst_1' });
    expect(items[0].json).toEqual(keptItem(run));
    expect(JSON.stringify(items)).not.toContain(SECRET);
  });

  test('is answered by the tap that it is handed', async () => {
    const { receives } = await waiting(ASK);
    const tap = {
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: 'decline', title: 'Decline' } },
    };
    expect((await receives(tap)).json).toMatchObject({
      answered: true,
      reason: null,
      approved: false,
      answer: 'decline',
      answerTitle: 'Decline',
      from: CONTACT,
      name: 'Ana',
      questionId: 'qst_1',
    });
  });

  test('is answered by words, and by what is accepted beside them', async () => {
    const { says, receives } = await waiting({ ...FREE, alsoAccept: ['audio'] });
    expect(asked()[0]).toMatchObject({ accepts: ['text', 'audio'], replaces: true });
    expect((await says('Two')).json).toMatchObject({ answered: true, answer: 'Two', answerKind: 'text' });
    const voice = { type: 'audio', audio: { id: '8', mime_type: 'audio/ogg', voice: true } };
    expect((await receives(voice)).json).toMatchObject({ answerKind: 'audio', media: { id: '8' } });
  });

  test.each([
    ['unsigned', null],
    ['signed by somebody else', Buffer.from('another')],
  ])('is not answered by what comes %s', async (_what, key) => {
    const { says } = await waiting(FREE);
    expect(await says('Two', { key })).toEqual({ status: 401, json: undefined });
  });

  test('is the same for every try of one run, and another one for a retry in the list of executions', async () => {
    gateway.on('POST', QUESTIONS, () => refusal(500, 'internal_error', 1, 'Broken', 'Broken.'));
    const { retry } = await runAction(gateway.credentials, FREE, [{}], { retryOnFail: true, maxTries: 2 });
    expect(asked()).toHaveLength(2);
    expect(asked()[1]).toEqual(asked()[0]);
    await retry();
    expect(asked()[2]?.key).not.toBe(asked()[0]?.key);
  });

  test('also starts triggers where that is wanted', async () => {
    await waiting({ ...FREE, options: { alsoForward: true } });
    expect(asked()[0]).toMatchObject({ also_forward: true });
  });

  describe('outside the window', () => {
    const INSTEAD = {
      outsideWindow: 'template',
      fallbackTemplate: { __rl: true, mode: 'list', value: 'confirm|en_US' },
      fallbackVariables: { mappingMode: 'defineBelow', value: null, schema: [] },
    };
    beforeEach(() => {
      gateway.on('GET', `/v22.0/${LINE}/window/${CONTACT}`, () => ({ body: { success: true, open: false } }));
      gateway.on('GET', TEMPLATES, () => ({
        body: {
          success: true,
          data: [
            {
              name: 'confirm',
              language: 'en_US',
              header: null,
              body: 'Tomorrow?',
              buttons: [
                { type: 'quick_reply', text: 'Yes' },
                { type: 'quick_reply', text: 'No' },
              ],
            },
          ],
        },
      }));
    });

    test('is a template, whose quick replies carry the same IDs', async () => {
      const { items } = await waiting({ ...ASK, ...INSTEAD });
      const payload = (index: string, id: string) => ({
        type: 'button',
        sub_type: 'quick_reply',
        index,
        parameters: [{ type: 'payload', payload: id }],
      });
      expect(asked()).toEqual([
        expect.objectContaining({
          message: expect.objectContaining({
            type: 'template',
            template: expect.objectContaining({
              components: [payload('0', 'approve'), payload('1', 'decline')],
            }),
          }),
          key: expect.stringMatching(/-fallback$/),
        }),
      ]);
      expect(items[0].json).toMatchObject({ usedFallback: true });
    });

    // The platform would refuse its buttons minutes later.
    test('is a template also where one of the choices is asked for, whose quick replies answer', async () => {
      const choice = { ...FREE, answerType: 'choice', answerChoices: 'Yes, No' };
      const { items, receives } = await waiting({ ...choice, ...INSTEAD });
      expect(asked()).toMatchObject([{ message: { type: 'template' } }]);
      expect(items[0].json).toMatchObject({ usedFallback: true });
      const tap = await receives({ type: 'button', button: { payload: 'No', text: 'No' } });
      expect(tap.json).toMatchObject({ answered: true, value: 'No' });
    });
  });
});

describe('where another question to the contact is open', () => {
  beforeEach(() =>
    gateway.on('POST', QUESTIONS, ({ body }) =>
      (body as IDataObject).replaces
        ? { statusCode: 201, body: { success: true, id: 'qst_2', message_id: 'wamid.2', secret: SECRET } }
        : refusal(409, 'question_open', 131000, 'Open', 'Another question is open.'),
    ),
  );

  test('buttons are asked beside it', async () => {
    await waiting(ASK);
    expect(paths()).toEqual(['POST questions', 'GET destinations', 'POST destinations', 'POST messages']);
  });

  test.each([ASK, FREE])('it is replaced where that is chosen', async (parameters) => {
    const { items } = await waiting({ ...parameters, options: { ifOpen: 'replace' } });
    expect(items[0].json).toMatchObject({ questionId: 'qst_2' });
    expect(paths()).toEqual(['POST questions']);
  });

  test.each([ASK, FREE])('the node fails where that is chosen, and says what to do', async (parameters) => {
    const { error } = await runAction(gateway.credentials, { ...parameters, options: { ifOpen: 'fail' } });
    expect(error?.message).toBe('Another question to this contact is still open');
    expect(error?.description).toContain('If a Question Is Open');
    expect(paths()).toEqual(['POST questions']);
  });
});

test('a gateway without questions cannot check answers, and nothing is sent', async () => {
  gateway.on('POST', QUESTIONS, () => refusal(404, 'not_found', 2500, 'Unknown path', 'Nothing here.'));
  const { error } = await runAction(gateway.credentials, { ...FREE, answerType: 'number' });
  expect(error?.message).toMatch(/^This gateway is too old/);
  expect(paths()).toEqual(['POST questions']);
});

describe('an answer that must be a number', () => {
  const NUMBER = { ...FREE, answerType: 'number', saying: 'Please write only the number.' };

  test('is asked for again until it fits', async () => {
    const { says, receives } = await waiting({ ...NUMBER, limitAmount: 1, limitUnit: 'hours' });
    expect(asked()[0]?.accepts).toEqual([
      'text',
      'image',
      'audio',
      'video',
      'document',
      'location',
      'contacts',
    ]);
    expect(await says('a few')).toEqual({ status: 200, json: undefined });
    expect(await receives({ type: 'image', image: { id: '1' } })).toEqual({ status: 200, json: undefined });
    expect(texts()).toEqual(['How many?', 'Please write only the number.', 'Please write only the number.']);
    expect(new Set(asked().map(({ key }) => key)).size).toBe(3);
    expect(asked()[2]?.expires_in).toBeLessThanOrEqual(3600);
    expect((await says('1.234,5')).json).toMatchObject({
      answered: true,
      answer: '1.234,5',
      value: 1234.5,
      messageId: 'wamid.1',
    });
  });

  test('the run goes on without one after the last time', async () => {
    const { says } = await waiting({ ...NUMBER, askAgain: 1 });
    await says('a few');
    expect((await says('some')).json).toMatchObject({
      answered: false,
      reason: 'notUnderstood',
      answer: 'some',
      value: null,
    });
  });

  test('is asked again by the line that an expression named for the first', async () => {
    const ofOther = QUESTIONS.replace(LINE, '106540352242900');
    gateway.on('POST', ofOther, gateway.routeOf('POST', QUESTIONS));
    const byItem = { ...NUMBER, line: { __rl: true, mode: 'id', value: '={{ $json.line }}' } };
    const several = { ...gateway.credentials, line: '', token: 'gwa_all' };
    const { run } = await waiting(byItem, several, { line: '106540352242900' });
    expect(keptItem(run)).toMatchObject({ phoneNumberId: '106540352242900' });
    const { says } = await waiting(byItem, several, { line: '106540352242900' });
    const [{ body }] = gateway.requests('POST', ofOther);
    expect(await says('a few', { url: (body as Asked).callback_url })).toEqual({ status: 200 });
    expect(gateway.requests('POST', ofOther)).toHaveLength(3);
  });

  test('an answer that comes twice asks the same again', async () => {
    const { says } = await waiting(NUMBER);
    const url = asked()[0]?.callback_url;
    await says('a few', { url });
    await says('a few', { url });
    expect(asked()[2]).toEqual(asked()[1]);
  });

  test('an address that somebody made up is refused, and holds nothing to read', async () => {
    const { says } = await waiting({
      ...FREE,
      responseType: 'questions',
      questions: { question: QUESTIONS_ASKED },
    });
    await says('Ana Souza');
    const url = asked()[1]!.callback_url;
    expect(url).not.toMatch(/Ana|Souza/);
    expect(Buffer.from(new URL(url).searchParams.get('progress')!, 'base64url').toString()).not.toContain(
      'Ana',
    );
    const forged = url.replace(/progress=./, (start) => (start.endsWith('A') ? 'progress=B' : 'progress=A'));
    expect(await says('3', { url: forged })).toEqual({ status: 401, json: undefined });
  });

  test('what cannot be asked for now is asked when the gateway hands over the answer again', async () => {
    const { says } = await waiting(NUMBER);
    const route = gateway.routeOf('POST', QUESTIONS);
    const url = asked()[0]?.callback_url;
    gateway.on('POST', QUESTIONS, () => refusal(503, 'database_unavailable', 1, 'Away', 'Away.'));
    expect(await says('a few', { url })).toEqual({ status: 503, json: undefined });
    gateway.on('POST', QUESTIONS, route);
    expect(await says('a few', { url })).toEqual({ status: 200, json: undefined });
  });

  test('a contact who cannot be asked again does not keep the run waiting', async () => {
    const { says } = await waiting(NUMBER);
    gateway.on('POST', QUESTIONS, () =>
      refusal(403, 'contact_opted_out', 131050, 'Opted out', 'They said stop.'),
    );
    expect((await says('STOP')).json).toMatchObject({
      answered: false,
      reason: 'notSent',
      problem: 'This contact wants no more messages from this line',
      answer: 'STOP',
    });
  });
});

const QUESTIONS_ASKED = [
  { message: 'Your name?', name: 'name', answerType: 'text' },
  { message: 'How many people?', name: 'people', answerType: 'number', saying: 'A number, please.' },
  { message: 'When?', name: 'date', answerType: 'date' },
];
const SEVERAL = { ...ASK, message: '', responseType: 'questions', questions: { question: QUESTIONS_ASKED } };

describe('several questions', () => {
  test('are asked one after the other, and each answer has a field of its own', async () => {
    const { says } = await waiting(SEVERAL);
    await says('Ana Souza');
    await says('many');
    await says('3');
    expect(texts()).toEqual(['Your name?', 'How many people?', 'A number, please.', 'When?']);
    expect((await says('31/3/2027')).json).toMatchObject({
      answered: true,
      reason: null,
      answers: { name: 'Ana Souza', people: 3, date: '2027-03-31' },
      text: 'Your name?',
      answerMessageId: 'wamid.IN',
    });
  });

  test('a day such as tomorrow counts from when the answer was written, however late it is delivered', async () => {
    const { receives } = await waiting({
      ...SEVERAL,
      questions: { question: [QUESTIONS_ASKED[2], QUESTIONS_ASKED[0]] },
    });
    await receives({ type: 'text', text: { body: 'tomorrow' }, timestamp: '1774872000' });
    const name = await receives({ type: 'text', text: { body: 'Ana' } });
    expect(name.json).toMatchObject({ answers: { date: '2026-03-31', name: 'Ana' } });
  });

  test('what was not understood is named, with the answers before it', async () => {
    const { says } = await waiting({ ...SEVERAL, askAgain: 0 });
    await says('Ana Souza');
    expect((await says('many')).json).toMatchObject({
      answered: false,
      reason: 'notUnderstood',
      question: 'people',
      answers: { name: 'Ana Souza' },
      answer: 'many',
    });
  });

  test('an answer too long for the address is asked for again', async () => {
    const { says } = await waiting(SEVERAL);
    await says('x'.repeat(4000));
    expect(texts()).toEqual(['Your name?', 'Your name?']);
  });

  test.each([
    [[], 'There are no questions'],
    [[QUESTIONS_ASKED[0], QUESTIONS_ASKED[0]], 'Two field names are the same: "name"'],
    [[{ ...QUESTIONS_ASKED[0], name: ' ' }], 'Field Name of question 1 is empty'],
    [[{ ...QUESTIONS_ASKED[0], message: ' ' }], 'Question 1 is empty'],
    [
      [{ ...QUESTIONS_ASKED[0], answerType: 'choice', answerChoices: 'Yes' }],
      'Choices of Question 1 holds fewer than two',
    ],
  ])('that cannot be asked are refused before anything is sent (%#)', async (question, message) => {
    const { error } = await runAction(gateway.credentials, {
      ...SEVERAL,
      questions: { question },
    } as INodeParameters);
    expect(error?.message).toBe(message);
    expect(gateway.received).toEqual([]);
  });

  test('need a credential that can be read when an answer comes', async () => {
    const credentials = { ...gateway.credentials, token: '={{ $json.token }}' };
    const { error } = await runAction(credentials, SEVERAL, [{ token: 'gwl_right' }]);
    expect(error?.message).toMatch(/^With expressions in the credential/);
    expect(gateway.received).toEqual([]);
  });
});

describe('one of the choices', () => {
  const CHOICE = { ...FREE, answerType: 'choice' };
  const tap = (id: string) => ({
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id, title: id } },
  });

  test('is tapped or written, where they are short and few', async () => {
    const { says, receives } = await waiting({ ...CHOICE, answerChoices: 'Amanhã, Depois' });
    expect(asked()[0]).toMatchObject({
      accepts: expect.arrayContaining(['text', 'button']),
      choices: ['Amanhã', 'Depois'],
      message: { interactive: { type: 'button', body: { text: 'How many?' } } },
    });
    expect((await says('amanha!')).json).toMatchObject({
      answered: true,
      value: 'Amanhã',
      answer: 'amanha!',
    });
    expect((await receives(tap('Depois'))).json).toMatchObject({ value: 'Depois', answer: 'Depois' });
    expect((await says('never')).json).toBeUndefined();
  });

  test('is written by its number, where they are a list', async () => {
    const { says } = await waiting({ ...CHOICE, answerChoices: 'Red\nGreen\nBlue\nOther' });
    expect(texts()).toEqual(['How many?\n\n1. Red\n2. Green\n3. Blue\n4. Other']);
    expect((await says('2')).json).toMatchObject({ value: 'Green' });
    expect((await says('blue')).json).toMatchObject({ value: 'Blue' });
    expect((await says('5')).json).toBeUndefined();
  });
});

const media = (type: string, file: object = {}) => ({ type, [type]: { id: '8', ...file } });
const said = (body: string) => ({ type: 'text', text: { body } });
const PLACE = { type: 'location', location: { latitude: 1.5, longitude: 2.5 } };
test.each([
  ['text', [said('Yes')], [media('image', { caption: 'Yes' }), PLACE]],
  ['email', [said('It is ana@example.com.')], [said('ana@example'), said('a@b.com or c@d.com')]],
  [
    'photo',
    [media('image'), media('document', { mime_type: 'image/png' })],
    [said('Here'), media('document')],
  ],
  ['voice', [media('audio')], [media('video'), said('Hello')]],
  ['file', [media('document'), media('image'), media('video'), media('audio')], [said('later'), PLACE]],
  ['place', [PLACE], [said('At home')]],
])('an answer that must be of kind %s', async (answerType, fitting, others) => {
  const { receives } = await waiting({ ...FREE, answerType, askAgain: 0 });
  for (const message of fitting) expect((await receives(message)).json).toMatchObject({ answered: true });
  for (const message of others)
    expect((await receives(message)).json).toMatchObject({ reason: 'notUnderstood' });
});
