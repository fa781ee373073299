import { randomBytes } from 'node:crypto';
import { type NewEvent } from '../../../../gateway/store/commit/writes';
import { DATABASES } from '../../../support/databases';
import { at, attempt, event, notificationOf, openStores, owed, record } from '../support';

describe.each(DATABASES)('the write of a notification ($name)', ({ name, createUrl }) => {
  const open = openStores();

  test('tells which events were new, and gives a repeated one back as not new', async () => {
    const store = await open(await createUrl());
    const repeated = owed('again', [1], { lane: 'other' });
    expect(await record(store, [owed('a', [1]), owed('b', [1])])).toEqual(['evt_a', 'evt_b']);
    expect(await record(store, [{ ...repeated, identity: 'message:a' }, owed('c', [1])])).toEqual(['evt_c']);
    const deliveries = await store.deliveries.ofDestination(1);
    expect(deliveries.map(({ event_id: id }) => id)).toEqual(['evt_a', 'evt_b', 'evt_c']);
  });

  test('gives an event back as new once when one notification holds it twice', async () => {
    const store = await open(await createUrl());
    const twice = [owed('first', [1]), { ...owed('second', [1]), identity: 'message:first' }];
    expect(await record(store, twice)).toEqual(['evt_first']);
    expect(await store.deliveries.ofDestination(1)).toHaveLength(1);
  });

  test('gives an event back as new once when 40 notifications bring it at the same moment', async () => {
    const url = await createUrl();
    const [one, other] = [await open(url), await open(url)];
    const fresh = await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        record(number % 2 ? one : other, [{ ...owed(`${number}`, [1, 2]), identity: 'message:the same' }]),
      ),
    );
    expect(fresh.flat()).toHaveLength(1);
    expect(await one.deliveries.ofDestination(1)).toHaveLength(1);
    expect(await one.deliveries.ofDestination(2)).toHaveLength(1);
  });

  test('is all or nothing', async () => {
    const store = await open(await createUrl());
    // Two deliveries to one destination break the primary key, after the events are in.
    const broken = [owed('new', [1]), owed('twice', [1, 1])];
    await expect(
      store.write(
        notificationOf(broken, {
          messages: [{ line_id: 1, wamid: 'wamid.new', sent_at: at(0) }],
          windows: [{ line_id: 1, contact: 'c', last_inbound_at: at(0) }],
        }),
      ),
    ).rejects.toThrow();
    expect(await store.deliveries.ofDestination(1)).toEqual([]);
    expect(await store.messageList.byId([1], 'wamid.new')).toEqual([]);
    expect(await store.windows.lastInboundAt(1, ['c'])).toBeNull();
    expect(await record(store, [owed('new', [1])])).toEqual(['evt_new']);
  });

  test('fails alone: of 100 that are written at once, the others are committed', async () => {
    const store = await open(await createUrl());
    const poisoned = new Set([17, 18, 63]);
    const written = await Promise.allSettled(
      Array.from({ length: 100 }, (_, number) =>
        store.write(notificationOf([owed(`${number}`, poisoned.has(number) ? [1, 1] : [1])])),
      ),
    );
    written.forEach((one, number) =>
      expect([number, one.status]).toEqual([number, poisoned.has(number) ? 'rejected' : 'fulfilled']),
    );
    expect(await store.deliveries.ofDestination(1)).toHaveLength(97);
  });

  test('fails alone where it names a message by more than PostgreSQL looks up', async () => {
    const store = await open(await createUrl());
    const long = randomBytes(6000).toString('base64');
    const written = await Promise.allSettled(
      [long, 'other'].map((wamid) =>
        store.write(notificationOf([{ ...owed(wamid.slice(0, 5), [1]), identity: wamid, wamid }])),
      ),
    );
    expect(written.map(({ status }) => status)).toEqual([
      name === 'PostgreSQL' ? 'rejected' : 'fulfilled',
      'fulfilled',
    ]);
  });

  test.each([
    ['a NUL', 'a\0b'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['quotes, braces and backslashes', '{"a\\\\",NULL}\'$1'],
    ['the word null', 'null'],
    ['nothing at all', ''],
    ['emoji', '👩‍👩‍👧‍👦 Olá'],
  ])('takes texts that hold %s', async (_, text) => {
    const store = await open(await createUrl());
    const odd: NewEvent = {
      ...event('odd'),
      kind: text,
      identity: text,
      contact: text,
      wamid: text,
      phone_number_id: text,
      waba_id: text,
      deliveries: [{ destination_id: 1, lane: text, due_at: at(0) }],
    };
    const rest = {
      messages: [{ line_id: 1, wamid: text, contact: text, client_ref: text, failure: text, sent_at: at(0) }],
      windows: [{ line_id: 1, contact: text, last_inbound_at: at(0) }],
    };
    expect(await record(store, [odd], rest)).toEqual(['evt_odd']);
    expect(await record(store, [{ ...odd, id: 'evt_repeated' }], rest)).toEqual([]);
    await store.write(attempt(1, 'odd', 1, { answer: text }));
    expect(await store.deliveries.ofDestination(1)).toMatchObject([{ event_id: 'evt_odd', attempts: 1 }]);
    const { rows } = await store.queued.due('holding', 1, at(60), 9);
    expect(rows).toMatchObject([{ event_id: 'evt_odd' }]);
    expect(await store.queued.body('evt_odd')).toBe(odd.body);
  });

  test('takes two identities in one batch that differ only in what a database cannot hold', async () => {
    const store = await open(await createUrl());
    const fresh = await Promise.all(
      ['\ud800', '\udfff', '\0'].map((unit, index) =>
        record(store, [{ ...owed(`${index}`, [1]), identity: `message:${unit}` }], {
          messages: [{ line_id: 1, wamid: `wamid.${unit}`, sent_at: at(0) }],
          windows: [{ line_id: 1, contact: unit, last_inbound_at: at(0) }],
        }),
      ),
    );
    expect(fresh.flat().length).toBeGreaterThanOrEqual(1);
  });

  test('holds a thousand events, as the largest notifications do', async () => {
    const store = await open(await createUrl());
    const events = Array.from({ length: 1000 }, (_, number) => ({
      ...owed(`${number}`.padStart(4, '0'), [1, 2]),
      body: JSON.stringify({ text: 'x'.repeat(2000) }),
    }));
    expect(await record(store, events)).toHaveLength(1000);
    expect(await record(store, events)).toHaveLength(0);
    expect(await store.deliveries.ofDestination(2)).toHaveLength(1000);
  });
});

describe.each(DATABASES)('what notifications tell of windows ($name)', ({ createUrl }) => {
  const open = openStores();

  test('a window keeps the latest time, in one batch and across batches', async () => {
    const store = await open(await createUrl());
    const wrote = (seconds: number, contact = 'c') =>
      notificationOf([], { windows: [{ line_id: 1, contact, last_inbound_at: at(seconds) }] });
    await Promise.all([wrote(3), wrote(7), wrote(5), wrote(1, 'other')].map((write) => store.write(write)));
    expect(await store.windows.lastInboundAt(1, ['c'])).toBe(at(7));
    await store.write(wrote(6));
    expect(await store.windows.lastInboundAt(1, ['c'])).toBe(at(7));
    await store.write(wrote(8));
    expect(await store.windows.lastInboundAt(1, ['c'])).toBe(at(8));
    expect(await store.windows.lastInboundAt(1, ['other'])).toBe(at(1));
    expect(await store.windows.lastInboundAt(2, ['c'])).toBeNull();
  });
});
