import { randomBytes } from 'node:crypto';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { call, CONTACT, freshLineOf, imageTo, sceneOf, type Json, type TestLine } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

const SECOND = 1000;

describe.each(DATABASES)('what a notification tells ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);
  let receiver: HttpPeer;

  beforeAll(async () => {
    receiver = await startPeer();
  });
  beforeEach(async () => {
    await forwardTo(line, 'hook');
    receiver.received.length = 0;
  });
  afterAll(() => receiver.close());

  const forwardTo = async (of: TestLine, path: string, events?: string[], more: object = {}) => {
    const { status } = await call(`${scene.gateway.url}/v22.0/${of.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${of.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.url}/${path}`, events, ...more }),
    });
    expect(status).toBe(201);
  };
  const seconds = (ago = 0) => String(scene.clock.now / SECOND - ago);
  const status = (wamid: string, state: string, ago = 0, more: object = {}) => ({
    id: wamid,
    status: state,
    timestamp: seconds(ago),
    recipient_id: CONTACT,
    ...more,
  });
  const tell = async (value: object, of: TestLine = line) =>
    expect(await notify(scene.gateway, notification(value, of.phoneNumberId))).toBe(200);
  const message = async (wamid: string) =>
    (
      await rows(
        scene.databaseUrl,
        `select * from messages where wamid = '${wamid}' and line_id = ${line.id}`,
      )
    )[0];
  const deliveries = () =>
    rows(
      scene.databaseUrl,
      `select d.* from deliveries d join events e on e.id = d.event_id where e.line_id = ${line.id}`,
    );
  const iso = (ago = 0) => new Date(scene.clock.now - ago * SECOND).toISOString();
  /** What destinations received: the one message or status of each, without the envelope. */
  const forwarded = (): Json[] =>
    receiver.received.map(({ body }) => {
      const { value } = JSON.parse(body).entry[0].changes[0];
      return value.messages?.[0] ?? value.statuses?.[0] ?? value;
    });

  describe('of a message that was sent', () => {
    test('is kept with its failure beside what came before, with the words of upstream and the own reference', async () => {
      const errors = [
        { code: 131047, title: 'Re-engagement message', error_data: { details: 'More than 24 hours' } },
      ];
      await tell({ statuses: [status('wamid.failed', 'sent', 5, { biz_opaque_callback_data: 'order 7' })] });
      await tell({ statuses: [status('wamid.failed', 'failed', 1, { errors })] });
      const kept = await message('wamid.failed');
      expect(kept).toMatchObject({ sent_at: iso(5), failed_at: iso(1), client_ref: 'order 7' });
      expect(JSON.parse(String(kept?.failure))).toEqual(errors);
    });

    test('may come before the answer to the send, which is joined to it', async () => {
      let answer = () => {};
      const held = new Promise<void>((resolve) => (answer = resolve));
      scene.upstream.answers.messages = async () => {
        await held;
        return { body: { contacts: [{ wa_id: CONTACT }], messages: [{ id: 'wamid.early' }] } };
      };
      const sending = line.send(imageTo(CONTACT));
      await until(() => line.sent().length === 1);
      await tell({ statuses: [status('wamid.early', 'delivered', 0)] });
      expect(await message('wamid.early')).toMatchObject({
        accepted_at: null,
        type: null,
        delivered_at: iso(),
      });
      answer();
      expect((await sending).status).toBe(200);
      expect(await message('wamid.early')).toMatchObject({
        accepted_at: iso(),
        type: 'image',
        delivered_at: iso(),
      });
    });

    test('of a kind that nobody knows is forwarded and changes no record', async () => {
      await tell({ statuses: [status('wamid.odd', 'pinned')] });
      await tell({ statuses: [status('wamid.odd', 'constructor', 1)] });
      await receiver.untilReceived(2);
      expect(
        forwarded()
          .map(({ status: state }) => state)
          .sort(),
      ).toEqual(['constructor', 'pinned']);
      expect(await message('wamid.odd')).toBeUndefined();
    });

    test('is not moved by what is told of its payment, which is forwarded byte for byte', async () => {
      const told = (state: string, more: object = {}) => status('wamid.bill', state, 0, more);
      const payment = {
        type: 'payment',
        from: CONTACT,
        payment: { reference_id: 'r-1', transaction: { id: 't-1', status: 'failed' } },
      };
      await tell({ statuses: [told('delivered', { type: 'message' })] });
      await tell({ statuses: [told('failed', payment)] });
      await tell({ statuses: [told('failed', payment)] });
      await tell({ statuses: [told('failed', { ...payment, payment: { reference_id: 'r-2' } })] });
      await receiver.untilReceived(3);
      expect(await message('wamid.bill')).toMatchObject({
        delivered_at: iso(),
        failed_at: null,
        failure: null,
      });
      expect(receiver.received.map(({ body }) => body)).toContain(
        JSON.stringify(notification({ statuses: [told('failed', payment)] }, line.phoneNumberId)),
      );
      // The failure of a payment and that of the message, told in the same second, are two events.
      await tell({ statuses: [told('failed')] });
      await receiver.untilReceived(4);
      expect(
        await rows(scene.databaseUrl, `select kind from events where wamid = 'wamid.bill' order by id`),
      ).toEqual(['delivered', 'payment_failed', 'payment_failed', 'failed'].map((kind) => ({ kind })));
      expect(await message('wamid.bill')).toMatchObject({ failed_at: iso() });
    });

    test('to a group comes once for each who is in it', async () => {
      const inGroup = { recipient_id: 'group', recipient_type: 'group' };
      for (const participant of ['1', '2', '1'])
        await tell({
          statuses: [status('wamid.group', 'read', 0, { ...inGroup, recipient_participant_id: participant })],
        });
      await receiver.untilReceived(2);
      expect(
        forwarded()
          .map(({ recipient_participant_id: one }) => one)
          .sort(),
      ).toEqual(['1', '2']);
      expect(await deliveries()).toHaveLength(2);
    });
  });

  describe('of a message from the phone app', () => {
    const echo = (wamid: string, more: object = {}) => ({
      from: '15550783881',
      to: CONTACT,
      id: wamid,
      timestamp: seconds(60),
      type: 'text',
      text: { body: 'From the phone' },
      ...more,
    });
    const contacts = [{ profile: { name: 'Ada' }, wa_id: CONTACT }];
    const tellEchoes = async (...echoes: object[]) => {
      const told = JSON.stringify(
        notification({ contacts, message_echoes: echoes }, line.phoneNumberId),
      ).replace('"field":"messages"', '"field":"smb_message_echoes"');
      expect(await notify(scene.gateway, JSON.parse(told))).toBe(200);
      return told;
    };

    test('is kept as sent, opens no window, and goes one by one to who asks for it', async () => {
      await forwardTo(line, 'echoes', ['echoes']);
      await forwardTo(line, 'account', ['account']);
      // What asked whether these addresses answer.
      receiver.received.length = 0;
      const alone = await tellEchoes(echo('wamid.echo.1'));
      await tellEchoes(echo('wamid.echo.2'), echo('wamid.echo.3', { type: 'image', image: { id: '7' } }));
      await tellEchoes(echo('wamid.echo.1'));
      await receiver.untilReceived(3);
      expect(receiver.received.map(({ url }) => url)).toEqual(['/echoes', '/echoes', '/echoes']);
      expect(receiver.received[0]?.body).toBe(alone);
      expect(
        receiver.received.slice(1).map(({ body }) => {
          const { value } = JSON.parse(body).entry[0].changes[0];
          return [value.message_echoes.map(({ id }: Json) => id), value.contacts];
        }),
      ).toEqual([
        [['wamid.echo.2'], contacts],
        [['wamid.echo.3'], contacts],
      ]);
      expect(await message('wamid.echo.1')).toMatchObject({
        contact: CONTACT,
        type: 'text',
        sent_from: 'app',
        accepted_at: iso(),
        sent_at: iso(60),
      });
      expect(await rows(scene.databaseUrl, `select * from windows where line_id = ${line.id}`)).toEqual([]);
      const [kept] = await rows(
        scene.databaseUrl,
        `select body from sent_bodies where line_id = ${line.id} and wamid = 'wamid.echo.1'`,
      );
      expect(JSON.parse(String(kept?.body))).toEqual(echo('wamid.echo.1'));
      // What comes of it moves the same record.
      await tell({ statuses: [status('wamid.echo.1', 'read')] });
      expect(await message('wamid.echo.1')).toMatchObject({ type: 'text', read_at: iso() });
    });
  });

  test('of a group belongs to the group: to its conversation, its order and its window', async () => {
    const written = textFrom(CONTACT, 'Good morning', 'wamid.in.group', Number(seconds()));
    await tell({ messages: written.messages.map((one: object) => ({ ...one, group_id: 'GROUP7' })) });
    await receiver.untilReceived(1);
    expect(await rows(scene.databaseUrl, `select contact from events where line_id = ${line.id}`)).toEqual([
      { contact: 'GROUP7' },
    ]);
    expect(await rows(scene.databaseUrl, `select contact from windows where line_id = ${line.id}`)).toEqual([
      { contact: 'GROUP7' },
    ]);
    expect((await deliveries()).map(({ lane }) => lane)).toEqual(['GROUP7']);
  });

  describe('twice', () => {
    test('is answered 200 again, kept once and forwarded once', async () => {
      const written = textFrom(CONTACT, 'Hi', 'wamid.twice', Number(seconds()));
      for (let time = 0; time < 3; time++) {
        await tell(written);
        await tell({ statuses: [status('wamid.twice', 'read', 7)] });
      }
      await Promise.all(Array.from({ length: 10 }, () => tell(written)));
      await receiver.untilReceived(2);
      expect(await deliveries()).toHaveLength(2);
      // Another status of the same message, or the same at another time, is no repeat.
      await tell({ statuses: [status('wamid.twice', 'read', 6)] });
      await tell({ statuses: [status('wamid.twice', 'delivered', 7)] });
      await receiver.untilReceived(4);
      expect(forwarded()).toHaveLength(4);
    });

    test('within one body is kept once', async () => {
      await tell({ statuses: [status('wamid.pair', 'read'), status('wamid.pair', 'read')] });
      await receiver.untilReceived(1);
      expect(await deliveries()).toHaveLength(1);
    });
  });

  describe('in a batch', () => {
    test('is routed to each line, one event each, contacts cut to the one concerned', async () => {
      const other = await scene.line();
      await forwardTo(other, 'other');
      receiver.received.length = 0;
      const contact = (waId: string) => ({ profile: { name: `Name of ${waId}` }, wa_id: waId });
      const from = (waId: string) => ({
        from: waId,
        id: `wamid.batch.${line.id}.${waId}`,
        timestamp: seconds(),
        type: 'text',
        text: { body: 'Olá 😀' },
      });
      const change = (of: TestLine, value: object) =>
        (notification(value, of.phoneNumberId) as { entry: { changes: object[] }[] }).entry[0]?.changes[0];
      const body = {
        object: 'whatsapp_business_account',
        entry: [
          {
            id: '1',
            changes: [
              change(line, {
                contacts: [contact('111'), contact('222')],
                messages: [from('111'), from('222')],
              }),
              change(other, { contacts: [contact('333')], messages: [from('333')] }),
            ],
          },
          {
            id: '2',
            changes: [
              change(line, { statuses: [status('wamid.batch', 'sent'), status('wamid.batch', 'read')] }),
            ],
          },
        ],
      };
      expect(await notify(scene.gateway, body)).toBe(200);
      await receiver.untilReceived(5);
      const mine = receiver.received.filter(({ url }) => url === '/hook').map((one) => JSON.parse(one.body));
      const theirs = receiver.received
        .filter(({ url }) => url === '/other')
        .map((one) => JSON.parse(one.body));
      const valueOf = (one: Json) => one.entry[0].changes[0].value;
      expect(
        mine.map((one) => [one.entry.length, one.entry[0].changes.length, one.entry[0].id]).sort(),
      ).toEqual([
        [1, 1, '1'],
        [1, 1, '1'],
        [1, 1, '2'],
        [1, 1, '2'],
      ]);
      expect(
        mine
          .map(valueOf)
          .filter(({ messages }) => messages)
          .map(({ contacts, messages }) => [contacts, messages]),
      ).toEqual(
        expect.arrayContaining([
          [[contact('111')], [from('111')]],
          [[contact('222')], [from('222')]],
        ]),
      );
      expect(theirs.map(valueOf)).toEqual([
        {
          messaging_product: 'whatsapp',
          metadata: { display_phone_number: '15550783881', phone_number_id: other.phoneNumberId },
          contacts: [contact('333')],
          messages: [from('333')],
        },
      ]);
      for (const { body: sent } of receiver.received) expect(sent).toMatch(/^[\x20-\x7e]+$/);
    });

    test('of a thousand updates is taken whole, in one go', async () => {
      const statuses = Array.from({ length: 1000 }, (_, index) =>
        status(`wamid.many.${index}`, 'sent', 0, { recipient_id: `${index}` }),
      );
      await tell({ statuses });
      expect(await deliveries()).toHaveLength(1000);
      const [{ count } = {}] = await rows(
        scene.databaseUrl,
        `select count(*) as count from messages where wamid like 'wamid.many.%' and line_id = ${line.id}`,
      );
      expect(Number(count)).toBe(1000);
      await receiver.untilReceived(1000);
    });
  });

  test('of a line that nobody knows is kept and owed to nobody', async () => {
    const written = textFrom(CONTACT, 'Hi', 'wamid.unknown', Number(seconds()));
    expect(await notify(scene.gateway, notification(written, '404404404'))).toBe(200);
    const kept = await rows(scene.databaseUrl, "select * from events where phone_number_id = '404404404'");
    expect(kept).toEqual([expect.objectContaining({ line_id: null, subject: 'message', kind: 'text' })]);
    expect(
      await rows(scene.databaseUrl, `select * from deliveries where event_id = '${String(kept[0]?.id)}'`),
    ).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  test('of an account goes to every line of that account that asks for it, and to nobody else', async () => {
    await forwardTo(line, 'account', ['account']);
    const other = await scene.line();
    await forwardTo(other, 'elsewhere', ['account']);
    receiver.received.length = 0;
    const wabaId = (await rows(scene.databaseUrl, `select waba_id from lines where id = ${line.id}`))[0]
      ?.waba_id;
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: wabaId,
          time: 1750030073,
          changes: [{ field: 'account_review_update', value: { decision: 'APPROVED' } }],
        },
      ],
    });
    expect(await notify(scene.gateway, body)).toBe(200);
    expect(await notify(scene.gateway, body)).toBe(200);
    await receiver.untilReceived(1);
    expect(receiver.received.map((one) => [one.url, one.body])).toEqual([['/account', body]]);
  });

  test("of a customer's template or phone number goes to that customer's lines of a shared account only", async () => {
    const wabaId = '102290129340777';
    const lineFor = async (phoneNumber: string, customer: number, more: object = {}): Promise<TestLine> => {
      const added = await scene.line({ wabaId, phoneNumber });
      await added.edit({ customer_id: customer });
      await forwardTo(added, phoneNumber, ['account'], more);
      return added;
    };
    const ids = await scene.change(({ store }) =>
      Promise.all(
        ['one', 'two'].map((name) =>
          store.customers.insert({ name, external_id: `events ${name}`, created_at: iso() }),
        ),
      ),
    );
    const [one = 0, two = 0] = ids.map((row) => row?.id);
    await lineFor('15550000001', one);
    await lineFor('15550000002', two);
    await lineFor('15550000003', two, { mode: 'raw' });
    await scene.change(({ store }) => store.templates.claim({ wabaId, customerId: two }, 'promo_of_two'));
    receiver.received.length = 0;
    const events = [
      ['message_template_status_update', { message_template_name: 'promo_of_two', event: 'APPROVED' }],
      ['message_template_status_update', { message_template_name: 'common', event: 'APPROVED' }],
      ['phone_number_quality_update', { display_phone_number: '15550000002', event: 'FLAGGED' }],
      ['phone_number_quality_update', { display_phone_number: '+1 555-000-0001', event: 'FLAGGED' }],
      ['account_update', { phone_number: '15550000001', event: 'ACCOUNT_DELETED' }],
    ] as const;
    const changes = events.map(([field, value]) => ({ field, value }));
    const body = { object: 'whatsapp_business_account', entry: [{ id: wabaId, time: 1750030073, changes }] };
    expect(await notify(scene.gateway, body)).toBe(200);
    await receiver.untilReceived(11);
    const got = (phoneNumber: string) =>
      receiver.received
        .filter(({ url }) => url === `/${phoneNumber}`)
        .flatMap(({ body: text }) => JSON.parse(text).entry[0].changes as Json[])
        .map(({ value }) => events.findIndex(([, of]) => JSON.stringify(of) === JSON.stringify(value)))
        .toSorted();
    expect(got('15550000001')).toEqual([1, 3, 4]);
    for (const own of ['15550000002', '15550000003']) expect(got(own)).toEqual([0, 1, 2, 4]);
    expect(receiver.received).toHaveLength(11);
  });

  test('with a NUL in a word does not hold up what came with it', async () => {
    await tell({
      statuses: [
        status('wamid.nul', 'sent', 0, { biz_opaque_callback_data: 'a\u0000b' }),
        status('wamid.beside', 'sent'),
      ],
      contacts: [{ wa_id: CONTACT }],
    });
    await receiver.untilReceived(2);
    expect(await message('wamid.beside')).toMatchObject({ sent_at: iso() });
    expect(forwarded().map(({ biz_opaque_callback_data: own }) => own)).toContain('a\u0000b');
  });

  test('with ids longer than a database indexes is forwarded, once, as what came with it', async () => {
    const long = () => randomBytes(3000).toString('hex');
    const statuses = [
      status(long(), 'sent'),
      status(long(), 'sent'),
      status('wamid.with-long', 'sent', 0, { recipient_id: long() }),
    ];
    const body = {
      statuses,
      messages: [{ id: long(), from: long(), type: 'text' }],
      contacts: [{ wa_id: long() }],
    };
    await tell(body);
    await receiver.untilReceived(4);
    await tell(body);
    expect(await deliveries()).toHaveLength(4);
    expect(await message('wamid.with-long')).toMatchObject({ sent_at: iso(), contact: null });
  });
});
