import { createHmac } from 'node:crypto';
import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { listening, openInbox, type Inbox, type Listening } from '../support/listening';
import { gatewayForEach, refusal } from './support/gateway';

const SECRET = 'whsec_c2VjcmV0IG9mIHRoZSBkZXN0aW5hdGlvbg==';
const TRIGGER = 'node:n8n-nodes-messaging-gateway.messagingGatewayTrigger';
const CONTACT = '5511987654321';

const gateway = gatewayForEach();
let inbox: Inbox;
let workflow: Listening;

let events = 0;
const freshId = () => `evt_${process.pid}_${++events}`;

async function open(
  parameters: INodeParameters = {},
  mode: 'webhook' | 'manual' = 'webhook',
  typeVersion?: number,
): Promise<void> {
  const registrations = [{ id: '2', url: 'http://n8n.test/webhook', secret: SECRET, test: false }];
  const staticData = { [TRIGGER]: { registrations, line: 12 } };
  workflow = listening(gateway, parameters, staticData, undefined, typeVersion);
  inbox = await openInbox(() => workflow, mode);
}
afterEach(async () => {
  jest.restoreAllMocks();
  await inbox.close();
});

const inbound = (message: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        {
          field: 'messages',
          value: {
            metadata: { phone_number_id: '106540352242922' },
            contacts: [{ wa_id: CONTACT, profile: { name: 'Ana' } }],
            messages: [{ from: CONTACT, id: 'wamid.IN', timestamp: '1750025136', ...message }],
          },
        },
      ],
    },
  ],
});
const text = (body: string, more: object = {}) => inbound({ type: 'text', text: { body }, ...more });
const tap = (id: string, timestamp = String(Math.floor(Date.now() / 1000))) =>
  inbound({
    type: 'interactive',
    context: { id: 'wamid.QUESTION' },
    interactive: { type: 'button_reply', button_reply: { id, title: 'Yes' } },
    timestamp,
  });

/** As the gateway does: an event has its own message, and an id under which each attempt at it comes. */
async function deliver(event: object, webhookId = freshId(), secret = SECRET): Promise<Response> {
  return await post(JSON.stringify(event).replace('wamid.IN', `wamid.${webhookId}`), {
    id: webhookId,
    secret,
  });
}

const minutesAgo = (minutes: number) => String(Math.floor(Date.now() / 1000) - minutes * 60);

interface Signing {
  id?: string;
  secret?: string;
  timestamp?: string;
  /** Sent instead of what it should be, or left out where it is null. */
  headers?: Record<string, string | null>;
}

async function post(
  body: string,
  { id = freshId(), secret = SECRET, timestamp = minutesAgo(0), headers = {} }: Signing = {},
): Promise<Response> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const sent = {
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
    ...headers,
  };
  const present = Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== null);
  return await fetch(inbox.url, { method: 'POST', body, headers: Object.fromEntries(present) });
}
const came = () => inbox.runs.flatMap(([messages]) => messages.map(({ json }) => json));

describe('an event that comes again', () => {
  test('under its webhook-id starts no second run', async () => {
    await open();
    const id = freshId();
    expect(await (await deliver(text('Hi'), id)).json()).toEqual({ received: 1 });
    const answer = await deliver(text('Hi'), id);
    expect([answer.status, await answer.json()]).toEqual([200, { received: 0, repeated: true }]);
    expect(came()).toHaveLength(1);
  });

  test('at the same moment starts one run', async () => {
    await open();
    const id = freshId();
    await Promise.all(Array.from({ length: 20 }, () => deliver(text('Hi'), id)));
    expect(came()).toHaveLength(1);
  });

  test('while it is being dealt with is asked for once more: that may still fail', async () => {
    await open();
    const event = tap(`mgw-resume:/webhook-waiting/231/node?signature=${'a'.repeat(64)}`);
    const id = freshId();
    inbox.resumeAnswers.push(
      { status: 409, body: '{"message":"running already"}' },
      { status: 503, body: '' },
    );
    const first = deliver(event, id);
    while (inbox.resumed.length === 0) await new Promise((next) => setImmediate(next));
    const during = (await deliver(event, id)).status;
    expect([during, (await first).status]).toEqual([503, 503]);
    expect((await deliver(event, id)).status).toBe(200);
    expect(inbox.resumed).toHaveLength(3);
  });

  test('under an id, or with a signature, that somebody has put to it starts no second run', async () => {
    await open();
    const captured = JSON.stringify(text('Hi', { id: 'wamid.CAPTURED' }));
    expect(await (await post(captured)).json()).toEqual({ received: 1 });
    const again = await post(captured);
    expect([again.status, await again.json()]).toEqual([200, { received: 0, repeated: true }]);
    // The platform's signature covers neither an id nor a time.
    const stripped = { 'webhook-signature': null, 'webhook-timestamp': null };
    await post(captured, { headers: stripped });
    await post(captured, { headers: { ...stripped, 'webhook-id': null } });
    expect(came()).toHaveLength(1);
  });

  test('is known by message and status: another status of the message is another event', async () => {
    await open({ events: ['sent', 'read'] });
    const status = (name: string) => {
      const one = { id: 'wamid.OUT', status: name, timestamp: '1750025136', recipient_id: CONTACT };
      return { entry: [{ changes: [{ field: 'messages', value: { statuses: [one] } }] }] };
    };
    for (const name of ['sent', 'read', 'read', 'sent'])
      expect((await deliver(status(name))).status).toBe(200);
    expect(inbox.runs.flatMap(([, statuses]) => statuses.map(({ json }) => json.messageStatus))).toEqual([
      'sent',
      'read',
    ]);
  });

  test('is welcome if it could not be dealt with the first time', async () => {
    await open();
    const id = freshId();
    expect((await deliver({ entry: 'broken' }, id)).status).toBe(500);
    expect((await deliver(text('Hi'), id)).status).toBe(200);
    expect(came()).toHaveLength(1);
  });

  test('is welcome in a test, which may be made with the same event again', async () => {
    await open({}, 'manual');
    const id = freshId();
    await deliver(text('Hi'), id);
    await deliver(text('Hi'), id);
    expect(came()).toHaveLength(2);
  });

  test('is not remembered when it is not signed', async () => {
    await open();
    const id = freshId();
    expect((await deliver(text('Hi'), id, 'wrong')).status).toBe(401);
    expect(await (await deliver(text('Hi'), id)).json()).toEqual({ received: 1 });
  });
});

describe('filters', () => {
  const passed = async (filters: INodeParameters, events: object[]) => {
    await open({ filters });
    for (const event of events) expect((await deliver(event)).status).toBe(200);
    return came().map((item) => item.text ?? item.replyId ?? item.kind);
  };
  const image = inbound({ type: 'image', image: { id: '7', caption: 'Photo' } });
  const unknownKind = inbound({ type: 'hologram' });
  /** In São Paulo, with the seconds that the platform gives. */
  const hours = [
    ['Friday 08:59', '2026-11-20T11:59:59Z'],
    ['Friday 09:00', '2026-11-20T12:00:00Z'],
    ['Friday 17:59', '2026-11-20T20:59:59Z'],
    ['Friday 18:00', '2026-11-20T21:00:00Z'],
    ['Saturday 09:00', '2026-11-21T12:00:00Z'],
  ].map(([name, at]) => [name, String(Date.parse(at) / 1000)]);

  test.each([
    ['kinds', { kinds: ['text', 'image'] }, [text('Hi'), image, tap('a'), unknownKind], ['Hi', 'Photo']],
    ['taps', { kinds: ['reply'] }, [text('Hi'), image, tap('a')], ['Yes']],
    ['other kinds', { kinds: ['other'] }, [text('Hi'), image, tap('a'), unknownKind], ['hologram']],
    [
      'a sender, however the number is written',
      { from: '+55 (11) 98765-4321, +1 202 555 0147' },
      [text('Ana'), text('Bob', { from: '12025550147' }), text('Eve', { from: '12025550148' })],
      ['Ana', 'Bob'],
    ],
    [
      'a sender whose number the platform spells otherwise than people do',
      { from: '+55 11 98765-4321, +52 55 1234 5678, +54 11 15 2345 6789' },
      [
        text('Brazil', { from: '551187654321' }),
        text('landline', { from: '551127654321' }),
        text('Mexico', { from: '5215512345678' }),
        text('Argentina', { from: '5491123456789' }),
        text('Eve', { from: '5491123456780' }),
      ],
      ['Brazil', 'Mexico', 'Argentina'],
    ],
    [
      'a sender without a number',
      { from: 'US.134' },
      [text('Ana'), text('Sheena', { from: undefined, from_user_id: 'US.134' })],
      ['Sheena'],
    ],
    [
      'words',
      { textContains: 'Invoice' },
      [text('my invoice please'), text('hello'), image],
      ['my invoice please'],
    ],
    [
      'anybody but a sender, however the number is written',
      { notFrom: '+55 (11) 8765-4321, US.134' },
      [
        text('Ana', { from: '5511987654320' }),
        text('colleague', { from: '5511987654321' }),
        text('Sheena', { from: undefined, from_user_id: 'US.134' }),
      ],
      ['Ana'],
    ],
    [
      'a keyword as a word of its own, whatever its capitals and accents',
      { keywords: { keyword: { words: 'preço, opening hours', match: 'word' } } },
      [text('PRECO?'), text('os preços'), text('your Opening  Hours, please'), text('opening'), tap('a')],
      ['PRECO?', 'your Opening  Hours, please'],
    ],
    [
      'a keyword anywhere',
      { keywords: { keyword: { words: 'preco; a+b', match: 'contains' } } },
      [text('os preços'), text('is a+b it?'), text('aab'), image],
      ['os preços', 'is a+b it?'],
    ],
    [
      'a keyword alone, apart from punctuation around it',
      { keywords: { keyword: { words: 'sair, ?, 👍', match: 'exact' } } },
      [text(' ¡Sair! '), text('sair daqui'), text('?'), text('!'), text('👍'), text('')],
      [' ¡Sair! ', '?', '👍'],
    ],
    [
      'any words where no keyword is entered',
      { keywords: { keyword: { words: ' , ' } } },
      [image],
      ['Photo'],
    ],
    [
      'office hours, by the time at which it was written',
      { officeHours: { hours: { pass: 'within', timeZone: 'America/Sao_Paulo' } } },
      hours.map(([name, at]) => text(name, { timestamp: at })),
      ['Friday 09:00', 'Friday 17:59'],
    ],
    [
      'all but office hours',
      { officeHours: { hours: { pass: 'outside', timeZone: ' America/Sao_Paulo ' } } },
      hours.map(([name, at]) => text(name, { timestamp: at })),
      ['Friday 08:59', 'Friday 18:00', 'Saturday 09:00'],
    ],
    [
      'hours over midnight, which belong to the day on which they begin',
      {
        officeHours: {
          hours: { days: ['friday'], from: '17:59', to: '9:01', timeZone: 'America/Sao_Paulo' },
        },
      },
      hours.map(([name, at]) => text(name, { timestamp: at })),
      ['Friday 17:59', 'Friday 18:00', 'Saturday 09:00'],
    ],
    [
      "hours in the workflow's own time zone, which is New York",
      { officeHours: { hours: { days: ['saturday'], from: '07:00', to: '07:01' } } },
      hours.map(([name, at]) => text(name, { timestamp: at })),
      ['Saturday 09:00'],
    ],
    ['a pattern', { textMatches: '^(yes|no)\\b' }, [text('YES please'), text('maybe yes')], ['YES please']],
    ['a pattern with flags', { textMatches: '/^yes/' }, [text('YES'), text('yes')], ['yes']],
    ['a pattern with any flags', { textMatches: '/yes/gi' }, [text('YES'), text('no')], ['YES']],
    ['button IDs', { replyIds: 'stop, order_*' }, [tap('order_12'), tap('stop'), tap('x')], ['Yes', 'Yes']],
    ['all of them', { kinds: ['text'], textContains: 'a' }, [text('abc'), text('xyz'), tap('a')], ['abc']],
    [
      'what expressions come to, also where that is no text',
      {
        from: '={{ [5511987654321, "US.134"] }}',
        notFrom: '={{ null }}',
        keywords: { keyword: { words: '={{ 42 }}' } },
        textContains: '={{ 4 }}',
        textMatches: '={{ 2 }}',
        replyIds: '={{ null }}',
        officeHours: { hours: { pass: 'outside', timeZone: '={{ null }}', from: '00:00', to: '00:01' } },
      },
      [text('42', { from: '5511987654321' }), text('42', { from: '5511987654320' }), text('24')],
      ['42'],
    ],
    ['none where all are empty', { kinds: [], from: ' ', textContains: '' }, [text('Hi')], ['Hi']],
  ] as Array<[string, INodeParameters, object[], string[]]>)(
    'let through by %s',
    async (_what, filters, events, expected) => {
      expect(await passed(filters, events)).toEqual(expected);
    },
  );
});

describe('a tap', () => {
  const PATH = '/v22.0/106540352242922/messages/wamid.OUT%3D';
  const tapOn = (id: string) =>
    inbound({
      ...{ type: 'interactive', context: { id }, timestamp: '1750025136' },
      interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
    });

  test('comes with the reference and the text of the message that was tapped', async () => {
    gateway.on('GET', PATH, () => ({
      body: { client_ref: 'order A-1042', text: 'Shall we deliver today?' },
    }));
    await open();
    await deliver(tapOn('wamid.OUT='));
    await deliver(text('Hi', { context: { id: 'wamid.OUT=' } }));
    expect(came()).toEqual([
      expect.objectContaining({ clientRef: 'order A-1042', questionText: 'Shall we deliver today?' }),
      expect.objectContaining({ clientRef: null, questionText: null }),
    ]);
    expect(gateway.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer gwl_right']);
  });

  test('comes without them where the gateway does not know that message, or does not answer', async () => {
    gateway.on('GET', PATH, () => refusal(404, 'not_found', 100, 'Message not found', 'Unknown.'));
    await open();
    await deliver(tapOn('wamid.OUT='));
    gateway.on('GET', PATH, () => ({ statusCode: 502, body: '<html>' }));
    await deliver(tapOn('wamid.OUT='));
    const unknown = { replyId: 'yes', clientRef: null, questionText: null };
    expect(came()).toEqual([expect.objectContaining(unknown), expect.objectContaining(unknown)]);
  });

  test('that no filter lets through asks nothing', async () => {
    await open({ filters: { replyIds: 'no' } });
    await deliver(tapOn('wamid.OUT='));
    expect(gateway.received).toEqual([]);
  });
});

describe('files', () => {
  const photo = inbound({
    type: 'image',
    image: { id: '1003', mime_type: 'image/jpeg; x=1', caption: 'Taj' },
  });
  const serve = (bytes: string, size: number | string = bytes.length) => {
    gateway.on('GET', '/v22.0/1003', () => ({ body: { id: '1003', file_size: size } }));
    gateway.on('GET', '/v22.0/1003/content', () => ({ body: bytes }));
  };

  test('stay at the gateway unless they are asked for', async () => {
    await open();
    await deliver(photo);
    expect(gateway.received).toEqual([]);
    expect(inbox.runs[0][0][0].binary).toBeUndefined();
  });

  test('come as binary data, loaded with the token, into the field that is named', async () => {
    serve('the bytes');
    await open({ downloadFiles: true, options: { mediaField: 'photo' } });
    await deliver(photo);
    const [{ json, binary }] = inbox.runs[0][0];
    expect(json).toMatchObject({ text: 'Taj', media: { id: '1003', mimeType: 'image/jpeg; x=1' } });
    expect(json.media).not.toHaveProperty('downloadError');
    expect(binary?.photo).toMatchObject({ mimeType: 'image/jpeg', fileName: '1003.jpg' });
    expect(Buffer.from(binary!.photo.data, 'base64').toString()).toBe('the bytes');
    expect(gateway.received.every(({ headers }) => headers.authorization === 'Bearer gwl_right')).toBe(true);
  });

  test.each([
    ['a photo', { type: 'image', image: { id: '1003', mime_type: 'image/png' } }, '1003.png'],
    [
      'a voice message',
      { type: 'audio', audio: { id: '1003', mime_type: 'audio/ogg; codecs=opus', voice: true } },
      '1003.oga',
    ],
    ['a song', { type: 'audio', audio: { id: '1003', mime_type: 'audio/mpeg' } }, '1003.mpga'],
    ['a video', { type: 'video', video: { id: '1003', mime_type: 'video/mp4' } }, '1003.mp4'],
    ['a sticker', { type: 'sticker', sticker: { id: '1003', mime_type: 'image/webp' } }, '1003.webp'],
    [
      'a document without a name',
      { type: 'document', document: { id: '1003', mime_type: 'application/pdf' } },
      '1003.pdf',
    ],
    [
      'a document whose name ends with no type',
      { type: 'document', document: { id: '1003', mime_type: 'application/pdf', filename: 'Offer 1.2' } },
      'Offer 1.2.pdf',
    ],
    [
      'a document with its own ending',
      { type: 'document', document: { id: '1003', mime_type: 'application/pdf', filename: 'Offer.PDF' } },
      'Offer.PDF',
    ],
  ])('of %s has a name with the ending of its type', async (_what, message, fileName) => {
    serve('the bytes');
    await open({ downloadFiles: true });
    await deliver(inbound(message));
    const binary = inbox.runs[0]?.[0]?.[0]?.binary?.data;
    expect(binary).toMatchObject({ fileName, fileExtension: /[^.]+$/.exec(fileName)?.[0] });
  });

  test.each([
    ['is too large', () => serve('x', 17 * 1024 * 1024), /17 MB, more than the 16 MB.*File Size Limit/],
    [
      'is larger than it was said',
      () => serve('x'.repeat(1024 * 1024 + 1), 5),
      /larger than the gateway said/,
    ],
    ['has no size', () => serve('x', 'unknown'), /unknown number of MB/],
    ['is gone', () => undefined, /^The messaging platform has no file with this ID\. It keeps/],
    [
      'is refused half way',
      () => {
        serve('x');
        gateway.on('GET', '/v22.0/1003/content', () =>
          refusal(502, 'upstream_error', 2, 'Gone', 'It expired.'),
        );
      },
      /^The messaging platform refused this: Gone\. It expired/,
    ],
    [
      'takes longer than the gateway waits',
      () => {
        serve('x');
        const now = Date.now.bind(Date);
        gateway.on('GET', '/v22.0/1003/content', () => {
          jest.spyOn(Date, 'now').mockImplementation(() => now() + 16_000);
          return { body: 'the bytes' };
        });
      },
      /^The file did not arrive in time\. Download it with the operation Download/,
    ],
  ])('when one %s, the message comes all the same and says so', async (what, prepare, said) => {
    prepare();
    const mediaLimit = what === 'is larger than it was said' ? 1 : 16;
    await open({ downloadFiles: true, options: { mediaLimit } });
    expect((await deliver(photo)).status).toBe(200);
    const [{ json, binary }] = inbox.runs[0][0];
    expect(binary).toBeUndefined();
    expect(json).toMatchObject({ text: 'Taj', media: { downloadError: expect.stringMatching(said) } });
  });

  test('come as they did before, where the switch was saved among the options', async () => {
    serve('the bytes');
    await open({ options: { downloadMedia: true } }, 'webhook', 1);
    await deliver(photo);
    expect(inbox.runs[0]?.[0]?.[0]?.binary?.data).toMatchObject({ fileName: '1003.jpg' });
  });

  test('when the gateway is away, the message comes all the same', async () => {
    await open({ downloadFiles: true });
    await gateway.close();
    await deliver(photo);
    expect(came()).toEqual([
      expect.objectContaining({ media: expect.objectContaining({ downloadError: expect.any(String) }) }),
    ]);
  });
});

describe('an alert', () => {
  const lineOf = { id: 12, name: 'My shop', phone_number_id: '106540352242922' };
  const alert = (what: string, more: object = {}) => ({
    type: `alert.${what}`,
    timestamp: '2026-11-23T03:00:10.000Z',
    data: {
      id: `alrt_${freshId()}`,
      what,
      condition: 'line_disconnected',
      severity: 'critical',
      title: 'My shop is not connected',
      text: 'WhatsApp says that the line is disconnected.',
      action: 'Register the number again.',
      url: null,
      since: '2026-11-23T03:00:00.000Z',
      ended: null,
      waiting: null,
      count: 1,
      incidents: [{ id: 7, line: lineOf }],
      gateway: 'https://gateway.example.com',
      ...more,
    },
  });
  const told = () => inbox.runs.flatMap(([, , alerts = []]) => alerts.map(({ json }) => json));

  test.each([
    [['messages'], ['Message', 'Status']],
    [
      ['failed', 'alerts'],
      ['Message', 'Status', 'Alert'],
    ],
  ])('has an output where it is chosen: %j', async (events, names) => {
    await open({ events });
    const node = workflow.workflow.nodes[TRIGGER.slice('node:'.length)];
    const { description } = workflow.workflow.nodeTypes.getByNameAndVersion(node.type);
    const outputs = NodeHelpers.getNodeOutputs(workflow.workflow, node, description);
    expect(outputs.map((one) => (typeof one === 'string' ? one : one.displayName))).toEqual(names);
  });

  test('leaves by an output of its own, in words, and starts one run however often it comes', async () => {
    await open({ events: ['messages', 'alerts'] });
    const opened = alert('opened');
    for (const received of [1, 0]) {
      expect(await (await post(JSON.stringify(opened))).json()).toMatchObject({ received });
    }
    expect(inbox.runs).toHaveLength(1);
    expect(inbox.runs[0]?.slice(0, 2)).toEqual([[], []]);
    expect(told()).toEqual([
      {
        alertId: opened.data.id,
        happened: 'began',
        isOver: false,
        urgency: 'Urgent',
        title: 'My shop is not connected',
        text: 'WhatsApp says that the line is disconnected.',
        whatToDo: 'Register the number again.',
        message:
          'Urgent: My shop is not connected\nWhatsApp says that the line is disconnected.\nWhat to do: Register the number again.',
        condition: 'line_disconnected',
        since: '2026-11-23T03:00:00.000Z',
        ended: null,
        waiting: null,
        count: 1,
        lineName: 'My shop',
        line: 12,
        phoneNumberId: '106540352242922',
        raw: opened.data,
      },
    ]);
  });

  test('that has become urgent, goes on or is over says so', async () => {
    await open({ events: ['alerts'] });
    for (const what of ['escalated', 'reminder']) await post(JSON.stringify(alert(what)));
    expect(told().map(({ happened, isOver }) => ({ happened, isOver }))).toEqual([
      { happened: 'has become urgent', isOver: false },
      { happened: 'goes on', isOver: false },
    ]);
    const over = { title: 'My shop is connected again', text: '', action: '' };
    await post(JSON.stringify(alert('recovered', { ...over, ended: '2026-11-23T03:30:00.000Z' })));
    expect(told().slice(2)).toEqual([
      expect.objectContaining({
        happened: 'is over',
        isOver: true,
        message: 'Over: My shop is connected again',
        whatToDo: null,
      }),
    ]);
  });

  test('that nobody asked for, or that is not signed, starts no run', async () => {
    await open({ events: ['messages'] });
    const unwanted = await post(JSON.stringify(alert('opened')));
    expect([unwanted.status, await unwanted.json()]).toEqual([200, { received: 0 }]);
    await open({ events: ['alerts'] });
    expect((await post(JSON.stringify(alert('opened')), { secret: 'wrong' })).status).toBe(401);
    expect(told()).toEqual([]);
  });
});

describe('a reply that a waiting run has asked for', () => {
  const SIGNATURE = 'a'.repeat(64);
  const PATH = `/webhook-waiting/231/0c2a4cf3-3b7e-4dcb-9f0a-1f5a1d2a7a11?signature=${SIGNATURE}`;

  test('goes on with that run, by a POST to this n8n alone, and starts none', async () => {
    await open({ filters: { kinds: ['text'] } });
    const answer = await deliver(tap(`mgw-resume:${PATH}`));
    expect([answer.status, await answer.json()]).toEqual([200, { received: 0 }]);
    expect(inbox.resumed).toEqual([
      {
        path: PATH,
        method: 'POST',
        body: {
          id: `mgw-resume:${PATH}`,
          title: 'Yes',
          text: 'Yes',
          from: CONTACT,
          fromUserId: null,
          name: 'Ana',
          messageId: expect.stringMatching(/^wamid\./),
          timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      },
    ]);
    expect(inbox.runs).toEqual([]);
  });

  test('keeps the prefix that n8n has behind a proxy, and what else is signed', async () => {
    await open();
    await inbox.close();
    inbox = await openInbox(() => workflow, 'webhook', '/n8n.app');
    const path = `/n8n.app/webhook-waiting/231/node-1?choice=2&approved=true&signature=${SIGNATURE}`;
    await deliver(tap(`mgw-resume:${path}`));
    await deliver(inbound({ type: 'button', button: { payload: `mgw-resume:${path}`, text: 'Yes' } }));
    expect(inbox.resumed.map((one) => one.path)).toEqual([path, path]);
  });

  test('is offered again while the run is not saved as waiting yet', async () => {
    await open();
    const running = { status: 409, body: '{"message":"The execution \\"231\\" is running already."}' };
    inbox.resumeAnswers.push(running, running);
    expect((await deliver(tap(`mgw-resume:${PATH}`))).status).toBe(200);
    expect(inbox.resumed).toHaveLength(3);
  });

  test('is offered once where it is old and n8n says in words of its own that the run does not wait', async () => {
    await open();
    inbox.resumeAnswers.push({ status: 409, body: '{"message":"Die Ausführung wartet nicht."}' });
    const timestamp = String(Math.floor(Date.now() / 1000) - 3600);
    expect((await deliver(tap(`mgw-resume:${PATH}`, timestamp))).status).toBe(200);
    expect(inbox.resumed).toHaveLength(1);
  });

  test.each([
    ['has been answered', { status: 200, body: '<html>No action required' }],
    [
      'has finished with an error',
      { status: 409, body: '{"message":"The execution has finished with error."}' },
    ],
    ['is not there', { status: 404, body: '{}' }],
    ['does not know the signature', { status: 401, body: '{"error":"Invalid token"}' }],
  ])(
    'for a run that %s is offered once, and starts the trigger as a late answer',
    async (_what, n8nAnswer) => {
      await open();
      inbox.resumeAnswers.push(n8nAnswer);
      expect((await deliver(tap(`mgw-resume:${PATH}`))).status).toBe(200);
      expect(inbox.resumed).toHaveLength(1);
      expect(inbox.runs).toHaveLength(1);
      expect(came()).toEqual([
        expect.objectContaining({ replyId: 'Yes', replyTitle: 'Yes', lateAnswerTo: 'wamid.QUESTION' }),
      ]);
    },
  );

  test('is asked for again from the gateway when n8n cannot take it', async () => {
    await open();
    inbox.resumeAnswers.push({ status: 503, body: 'Database is not ready!' });
    const id = freshId();
    const answer = await deliver(tap(`mgw-resume:${PATH}`), id);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('503') });
    expect((await deliver(tap(`mgw-resume:${PATH}`), id)).status).toBe(200);
    expect(inbox.resumed).toHaveLength(2);
  });

  test.each([
    `http://evil.example/webhook-waiting/231/n?signature=${SIGNATURE}`,
    `//evil.example/webhook-waiting/231/n?signature=${SIGNATURE}`,
    `/\\evil.example/webhook-waiting/231/n?signature=${SIGNATURE}`,
    `@evil.example/231/n?signature=${SIGNATURE}`,
    `.evil.example/a/231/n?signature=${SIGNATURE}`,
    `:8080/a/231/n?signature=${SIGNATURE}`,
    `/a/../rest/workflows/231/n?signature=${SIGNATURE}`,
    `/a/./rest/231/n?signature=${SIGNATURE}`,
    `/a/%2e%2e/rest/231/n?signature=${SIGNATURE}`,
    `/a//231/n?signature=${SIGNATURE}`,
    `/rest/workflows?signature=${SIGNATURE}`,
    `/rest/workflows/1?signature=${SIGNATURE}`,
    `/rest/workflows/1/run?signature=${SIGNATURE}`,
    `/webhook/orders/5?signature=${SIGNATURE}`,
    `/webhook/5/n?signature=${SIGNATURE}`,
    `/webhook/webhook-waiting/5/n?signature=${SIGNATURE}`,
    `/rest/webhook-waiting/5/n?signature=${SIGNATURE}`,
    `/shop/webhook-waiting/5/n?signature=${SIGNATURE}`,
    `/webhook-waiting/orders/5?signature=${SIGNATURE}`,
    `/form-waiting/231/n?signature=${SIGNATURE}`,
    `/api/v1/workflows/1?signature=${SIGNATURE}`,
    `/webhook-waiting/231/n`,
    `/webhook-waiting/231/n?signature=short`,
    `/webhook-waiting/231/n?signature=${SIGNATURE}&more=1`,
    `/webhook-waiting/231/n?signature=${SIGNATURE}#x`,
    `/webhook-waiting/231/n?signature=${SIGNATURE}\n`,
    `/webhook-waiting/231/n?signature=${SIGNATURE} HTTP/1.1\r\nHost: evil`,
    ` /webhook-waiting/231/n?signature=${SIGNATURE}`,
  ])('with the forged path %j goes nowhere, and is a message like any other', async (path) => {
    await open();
    expect((await deliver(tap(`mgw-resume:${path}`))).status).toBe(200);
    expect(inbox.resumed).toEqual([]);
    // Asked is what was tapped, and nothing that the reply names.
    expect(gateway.received.map((asked) => asked.path)).toEqual([
      '/v22.0/106540352242922/messages/wamid.QUESTION',
    ]);
    expect(came()).toEqual([expect.objectContaining({ replyId: `mgw-resume:${path}`, text: 'Yes' })]);
  });
});

describe('set up by hand', () => {
  const byHand = async (signingSecret: string) => {
    const credentials = { ...gateway.credentials, signingSecret };
    workflow = listening({ credentials }, { registration: 'manual', events: ['messages', 'alerts'] });
    inbox = await openInbox(() => workflow);
  };

  test('alerts of a channel with the same secret leave by their own output', async () => {
    await byHand('typed in by hand');
    const alert = { type: 'alert.test', data: { id: 'alrt_1', what: 'test', title: 'A test' } };
    await post(JSON.stringify(alert), { secret: 'typed in by hand' });
    expect(inbox.runs.map(([, , alerts = []]) => alerts.map(({ json }) => json))).toEqual([
      [expect.objectContaining({ happened: 'test', title: 'A test' })],
    ]);
  });

  test('events are checked with the secret that was typed in', async () => {
    await byHand(' typed in by hand ');
    expect((await deliver(text('Hi'), freshId(), 'typed in by hand')).status).toBe(200);
    expect((await deliver(text('Hi'), freshId(), 'another')).status).toBe(401);
    expect(came()).toHaveLength(1);
    expect(came()[0]).toMatchObject({ line: null, phoneNumberId: '106540352242922' });
  });

  test('without a secret no event is accepted', async () => {
    await byHand('');
    expect((await deliver(text('Hi'), freshId(), '')).status).toBe(401);
    expect(inbox.runs).toEqual([]);
  });

  test('while the secret is being exchanged, one of the signatures of Standard Webhooks counts', async () => {
    await byHand(SECRET);
    const id = freshId();
    const body = JSON.stringify(text('Hi', { id: 'wamid.EXCHANGED' }));
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const timestamp = minutesAgo(0);
    const sign = (signed: string) => createHmac('sha256', key).update(signed).digest('base64');
    const previous = {
      'x-hub-signature-256': `sha256=${createHmac('sha256', 'previous').update(body).digest('hex')}`,
    };
    const both = (signed: string) => ({ ...previous, 'webhook-signature': `v1,AAAA v1,${sign(signed)}` });
    expect((await post(body, { id, timestamp, headers: both(`${id}.${timestamp}.${body}`) })).status).toBe(
      200,
    );
    expect((await post(body, { id, timestamp, headers: both(body) })).status).toBe(401);
  });
});

describe('a signature of Standard Webhooks', () => {
  const body = () => JSON.stringify(text('Hi', { id: `wamid.${freshId()}` }));

  test.each([
    ['now', 0, 200],
    ['4 minutes ago, by a slow clock or way', 4, 200],
    ['in 4 minutes, by a fast clock', -4, 200],
    ['6 minutes ago', 6, 401],
    ['in 6 minutes', -6, 401],
    ['a year ago', 525_600, 401],
  ])('that was made %s', async (_when, minutes, status) => {
    await open();
    const answer = await post(body(), { timestamp: minutesAgo(minutes) });
    expect(answer.status).toBe(status);
    if (status === 401)
      expect(await answer.json()).toEqual({
        error: expect.stringContaining('Set the clocks of the gateway and of n8n'),
      });
    expect(came()).toHaveLength(status === 200 ? 1 : 0);
  });

  test.each([
    ['for another id', { 'webhook-id': 'evt_another' }],
    ['for another time', { 'webhook-timestamp': minutesAgo(-1) }],
    ['of nobody', { 'webhook-signature': 'v1,AAAA' }],
    ['that is empty', { 'webhook-signature': '' }],
    ['without an id', { 'webhook-id': null }],
    ['without a time', { 'webhook-timestamp': null }],
    ['of another version', { 'webhook-signature': 'v2,AAAA' }],
  ])('%s is refused, although the one of the platform is right', async (_how, headers) => {
    await open();
    expect((await post(body(), { headers })).status).toBe(401);
    expect(inbox.runs).toEqual([]);
  });

  test('whose time is no number is refused', async () => {
    await open();
    expect((await post(body(), { timestamp: 'now' })).status).toBe(401);
    expect(inbox.runs).toEqual([]);
  });
});
