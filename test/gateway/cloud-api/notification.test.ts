import { NotANotification, readNotification, TooMuchAtOnce } from '../../../gateway/cloud-api/notification';
import { samples } from '../../support/samples';
import { type Json } from '../../support/scene';

const read = (text: string) => readNotification(Buffer.from(text));
const envelope = (...values: string[]) =>
  `{"object":"whatsapp_business_account","entry":[{"id":"102290129340398","changes":[${values.map((value) => `{"value":${value},"field":"messages"}`).join(',')}]}]}`;
const METADATA = '"metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"}';
const message = (id: string, more = '') =>
  `{"from":"16505551234","id":"${id}","timestamp":"1750030073","type":"text"${more}}`;

describe('one event alone', () => {
  test('keeps its bytes, and is told in the gateway’s words', () => {
    const text = ` ${envelope(`{ ${METADATA}, "messages" : [${message('wamid.1', ',"text":{"body":"Ol\\u00e1 \\/ 1.0"}')}]}`)}\n`;
    expect(read(text)).toEqual([
      {
        subject: 'message',
        kind: 'text',
        identity: 'message:106540352242922:wamid.1',
        phoneNumberId: '106540352242922',
        wabaId: '102290129340398',
        contact: '16505551234',
        opensWindowOf: ['16505551234'],
        people: [['16505551234']],
        wamid: 'wamid.1',
        occurredAt: 1750030073000,
        errors: null,
        clientRef: null,
        reply: { kind: 'text', choice: null, to: null },
        body: text,
      },
    ]);
  });

  test.each([
    ['"1750030073"', 1750030073000],
    ['1750030073', 1750030073000],
    ['"soon"', null],
    ['null', null],
    ['-1', null],
    ['1750030073000', null],
    ['{}', null],
  ])('happened at the seconds that the platform gives, or at no known time: %s', (timestamp, at) => {
    const [event] = read(envelope(`{${METADATA},"messages":[{"id":"1","timestamp":${timestamp}}]}`));
    expect([event?.occurredAt, event?.kind, event?.contact]).toEqual([at, 'unknown', null]);
  });
});

describe('several events', () => {
  const two = (first: string, second: string, around = '') =>
    read(envelope(`{${around}${METADATA},"messages":[${first},${second}]}`)).map(({ body }) => body);

  test('are rebuilt each in the envelope of its own, unknown keys included', () => {
    const bodies = two(
      message('a', ',"later":{"x":[1,{"y":null}]}'),
      message('b'),
      '"messaging_product":"whatsapp","new":{"k":true},',
    );
    expect(bodies.map((body) => JSON.parse(body))).toEqual(
      ['a', 'b'].map((id) => ({
        object: 'whatsapp_business_account',
        entry: [
          {
            id: '102290129340398',
            changes: [
              {
                value: {
                  messaging_product: 'whatsapp',
                  new: { k: true },
                  metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
                  messages: [JSON.parse(message(id, id === 'a' ? ',"later":{"x":[1,{"y":null}]}' : ''))],
                },
                field: 'messages',
              },
            ],
          },
        ],
      })),
    );
  });

  test('keep their numbers digit for digit', () => {
    const numbers = '"n":[12345678901234567890,9007199254740993,1.0,1.50,-0,1e3,1E+400,0.1]';
    const [body] = two(message('a', `,${numbers}`), message('b'));
    expect(body).toContain(numbers);
  });

  test('are ASCII with escapes in lower case, of which both readings are the same', () => {
    const [body] = two(
      message('a', ',"text":{"body":"Zoë 😀 字 \u2028 \u007f \\u00E9 \\ud800 \\/"}'),
      message('b'),
    );
    expect(body).toContain('"Zo\\u00eb \\ud83d\\ude00 \\u5b57 \\u2028 \u007f \\u00e9 \\ud800 /"');
    expect(body).toMatch(/^[\x00-\x7f]+$/);
  });

  test('keep what looks like a prototype as the plain key that it is', () => {
    const [body] = two(
      message('a', ',"__proto__":{"polluted":1},"constructor":1'),
      message('b'),
      '"__proto__":{"x":1},',
    );
    expect(body).toContain('"__proto__":{"polluted":1}');
    expect(body).toContain('"__proto__":{"x":1}');
    expect(({} as Json).polluted).toBeUndefined();
  });

  test('are not mixed up by numbers where objects belong', () => {
    const text = envelope(`{${METADATA},"messages":[1.0,${message('a')},1e999,${message('b')}]}`);
    const found = read(text);
    expect(
      found.map(({ wamid, body }) => [wamid, JSON.parse(body).entry[0].changes[0].value.messages[0].id]),
    ).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  test('of messages and statuses in one value are told apart', () => {
    const status =
      '{"id":"b","status":"read","timestamp":"1","recipient_id":"2","biz_opaque_callback_data":"own"}';
    const found = read(
      envelope(`{${METADATA},"messages":[${message('a')}],"statuses":[${status}],"errors":[{"code":1}]}`),
    );
    expect(found.map(({ subject, kind, clientRef }) => [subject, kind, clientRef])).toEqual([
      ['message', 'text', null],
      ['messageStatus', 'read', 'own'],
    ]);
    const values = found.map(({ body }) => JSON.parse(body).entry[0].changes[0].value);
    expect(values.map((value) => Object.keys(value))).toEqual([
      ['metadata', 'messages', 'errors'],
      ['metadata', 'statuses', 'errors'],
    ]);
  });

  test('of a group have the contact of the participant whom each is about', () => {
    const ofPhone = '{"profile":{"name":"Ana"},"wa_id":"16505551111"}';
    const ofUser = '{"profile":{"name":"Ben"},"user_id":"US.2"}';
    const status = (participant: string) =>
      `{"id":"g","status":"read","timestamp":"1","recipient_type":"group","recipient_id":"group",${participant}}`;
    const found = read(
      envelope(
        `{${METADATA},"contacts":[${ofPhone},${ofUser}],"statuses":[${status('"recipient_participant_id":"16505551111"')},${status('"recipient_participant_user_id":"US.2"')}]}`,
      ),
    );
    expect(found.map(({ body }) => JSON.parse(body).entry[0].changes[0].value.contacts)).toEqual([
      [JSON.parse(ofPhone)],
      [JSON.parse(ofUser)],
    ]);
  });
});

describe('too much at once', () => {
  const times = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => text(index)).join(',');
  const messages = (list: string, around = '') => envelope(`{${around}${METADATA},"messages":[${list}]}`);

  test.each([
    ['messages', (count: number) => messages(times(count, () => '{}'))],
    ['changes', (count: number) => `{"entry":[{"changes":[${times(count, () => '{}')}]}]}`],
    ['entries', (count: number) => `{"entry":[${times(count, () => '{}')}]}`],
  ])('is more than ten thousand events: %s', (_name, of) => {
    expect(read(of(10_000))).toHaveLength(10_000);
    expect(() => read(of(10_001))).toThrow(TooMuchAtOnce);
    expect(() => read(of(900_000))).toThrow(TooMuchAtOnce);
  });

  test('is what becomes far longer by what each event carries of the whole', () => {
    const shared = `"shared":"${'x'.repeat(100_000)}",`;
    const of = (count: number) =>
      messages(
        times(count, (index) => message(`wamid.${index}`)),
        shared,
      );
    expect(read(of(300))).toHaveLength(300);
    expect(() => read(of(400))).toThrow('32 MB');
  });

  test('is what has the same contact thousands of times, and that is known before it takes the memory', () => {
    const contacts = `"contacts":[${times(100_000, () => '{"wa_id":"16505551234"}')}],`;
    const text = messages(
      times(5_000, (index) => message(`wamid.${index}`)),
      contacts,
    );
    expect(() => read(text)).toThrow('32 MB');
  });

  test('is not a thousand events with as many contacts of which none belongs to any', () => {
    const contacts = (count: number) => `"contacts":[${times(count, (index) => `{"wa_id":"${index}"}`)}],`;
    const contactsIn = ({ body }: { body: string }) => JSON.parse(body).entry[0].changes[0].value.contacts;
    const of = (count: number) =>
      read(
        messages(
          times(count, (index) => message(`wamid.${index}`)),
          contacts(count),
        ),
      );
    expect(of(1_000).map(contactsIn)).toEqual(Array(1_000).fill([]));
    expect(of(10).map((event) => contactsIn(event).length)).toEqual(Array(10).fill(10));
  });
});

describe('what is not understood', () => {
  test.each(['', '{', 'null', '[]', '7', '"x"'])(
    'is no notification where it is no JSON object: %j',
    (text) => {
      expect(() => read(text)).toThrow(NotANotification);
    },
  );

  test('is no notification where it is not UTF-8', () => {
    const bytes = Buffer.from(envelope(`{${METADATA},"messages":[${message('\u00e9')}]}`), 'latin1');
    expect(() => readNotification(bytes)).toThrow(NotANotification);
  });

  test('becomes one account event for each change, and for each entry without any', () => {
    const text =
      '{"entry":[{"id":"1","changes":[{"field":"history","value":{"messages":[{"id":"x"}]}},{"value":7}]},{"id":"2","standby":[]}]}';
    const found = read(text);
    expect(found.map(({ subject, kind, wabaId }) => [subject, kind, wabaId])).toEqual([
      ['account', 'history', '1'],
      ['account', 'unknown', '1'],
      ['account', 'unknown', '2'],
    ]);
    expect(found.map(({ body }) => body)).toEqual([
      '{"entry":[{"id":"1","changes":[{"field":"history","value":{"messages":[{"id":"x"}]}}]}]}',
      '{"entry":[{"id":"1","changes":[{"value":7}]}]}',
      '{"entry":[{"id":"2","standby":[]}]}',
    ]);
    expect(new Set(found.map(({ identity }) => identity)).size).toBe(3);
    expect(read(text).map(({ identity }) => identity)).toEqual(found.map(({ identity }) => identity));
  });
});

test('every real payload that is at hand is read, and nothing in it is lost', () => {
  for (const { file, payload } of ['webhook_inbound', 'webhook_status', 'webhook_account'].flatMap(samples)) {
    const changes = payload.entry.flatMap((entry: Json) => entry.changes);
    const isAccount = ({ field, value }: Json) => field !== 'messages' || !(value.messages || value.statuses);
    const items = changes.flatMap((change: Json) =>
      isAccount(change) ? [change] : [...(change.value.messages ?? []), ...(change.value.statuses ?? [])],
    );
    const found = read(JSON.stringify(payload));
    expect([file, found.length]).toEqual([file, items.length]);
    for (const [index, event] of found.entries()) {
      const [entry, ...entries] = JSON.parse(event.body).entry;
      const [change, ...others] = entry.changes;
      expect([file, entries, others]).toEqual([file, [], []]);
      if (event.subject === 'account') {
        expect([file, change]).toEqual([file, items[index]]);
        continue;
      }
      const { messages = [], statuses = [], metadata } = change.value;
      expect([...messages, ...statuses]).toEqual([items[index]]);
      const { from, from_user_id: userId, recipient_id: to, recipient_user_id: toUser, id } = items[index];
      expect([
        file,
        event.subject,
        event.contact,
        event.wamid,
        event.phoneNumberId,
        typeof event.occurredAt,
      ]).toEqual([
        file,
        messages.length ? 'message' : 'messageStatus',
        from ?? userId ?? to ?? toUser,
        id,
        metadata.phone_number_id,
        'number',
      ]);
      const opens = messages.length > 0 && items[index].type !== 'system';
      expect([file, event.opensWindowOf.slice(0, 1)]).toEqual([file, opens ? [event.contact] : []]);
    }
  }
});

test('no two events have the same identity, whatever their ids hold, and those of today have what they had', () => {
  const status = (id: string, more: object) =>
    JSON.stringify({
      entry: [
        {
          changes: [
            {
              field: 'messages',
              value: { metadata: { phone_number_id: '1' }, statuses: [{ id, status: 'sent', ...more }] },
            },
          ],
        },
      ],
    });
  const identityOf = (text: string) => readNotification(Buffer.from(text))[0]?.identity;
  expect(identityOf(status('wamid.A+/=', { timestamp: '2', recipient_participant_id: '3' }))).toBe(
    'status:1:wamid.A+/=:sent:2:3',
  );
  const all = [
    status('a', { timestamp: '2', recipient_participant_id: '3' }),
    status('a', { timestamp: '2:3' }),
    status('a:sent', { status: '2', timestamp: '3' }),
    status('a', { timestamp: '2%3A3' }),
    status('a', { timestamp: '\ud800:' }),
  ].map(identityOf);
  expect(new Set(all).size).toBe(all.length);
});
