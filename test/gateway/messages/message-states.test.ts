import fc from 'fast-check';
import { messageState } from '../../../gateway/messages/message-record';
import { type Store } from '../../../gateway/store/store';
import { type MessageChange, type Write } from '../../../gateway/store/commit/writes';
import { DATABASES } from '../../support/databases';
import { at, notificationOf, openStores } from '../store/support';

const REACHED = ['accepted', 'sent', 'delivered', 'read', 'played'] as const;

/** What upstream may tell of one message: each state at any of a few times, any number of times, or never. */
const told = fc.array(
  fc.record({
    state: fc.constantFrom('sent', 'delivered', 'read', 'played', 'failed'),
    second: fc.integer({ min: 2, max: 6 }),
  }),
  { maxLength: 7 },
);

/** The answer to the send, or none: a message that was sent elsewhere. */
const answer = fc.option(fc.constant({ state: 'accepted', second: 1 } as const), { nil: null });

interface Told {
  state: string;
  second: number;
}

/** What upstream may leave out does not take away what was told before. */
const contactOf = (state: string) => (state === 'played' ? null : '16505551234');

const changeOf = (wamid: string, { state, second }: Told): MessageChange => ({
  line_id: 1,
  wamid,
  contact: state === 'accepted' ? 'US.1' : contactOf(state),
  client_ref: 'order 7',
  ...(state === 'accepted' && { type: 'text' }),
  ...(state === 'failed' && { failure: `[{"code":${second}}]` }),
  [`${state}_at`]: at(second),
});

const writeOf = (wamid: string, one: Told): Write =>
  one.state === 'accepted'
    ? { kind: 'message', message: changeOf(wamid, one) }
    : notificationOf([], { messages: [changeOf(wamid, one)] });

/** By the contract, told without regard to order. */
function expected(all: Told[]) {
  const states = all.map(({ state }) => state);
  const earliest = (state: string) => {
    const seconds = all.filter((one) => one.state === state).map(({ second }) => second);
    return seconds.length ? at(Math.min(...seconds)) : null;
  };
  const furthest = REACHED.findLast((state) => all.some((one) => one.state === state)) ?? 'accepted';
  const failedAt = earliest('failed');
  const isDelivered = REACHED.indexOf(furthest) >= 2;
  return {
    state: failedAt !== null && !isDelivered ? 'failed' : furthest,
    row: {
      contact: states.includes('accepted') ? 'US.1' : (states.map(contactOf).find(Boolean) ?? null),
      client_ref: 'order 7',
      type: states.includes('accepted') ? 'text' : null,
      accepted_at: earliest('accepted'),
      sent_at: earliest('sent'),
      delivered_at: earliest('delivered'),
      read_at: earliest('read'),
      played_at: earliest('played'),
      failed_at: failedAt,
      failure: failedAt && `[{"code":${Number(failedAt.slice(17, 19))}}]`,
    },
  };
}

describe.each(DATABASES)('a message ($name)', ({ createUrl }) => {
  const open = openStores();
  let store: Store;
  let messages = 0;

  beforeEach(async () => {
    store = await open(await createUrl());
  });

  const becomes = async (wamid: string, all: Told[]) => {
    const [row] = await store.messageList.byId([1], wamid);
    if (!row) throw new Error('There is no record of it');
    expect(row).toMatchObject(expected(all).row);
    expect(messageState(row)).toBe(expected(all).state);
  };

  test.each([
    ['one after the other', false],
    ['at the same moment', true],
  ])('becomes the same whatever is told of it in whatever order, %s', async (_name, atOnce) => {
    const history = fc
      .tuple(answer, told)
      .map(([accepted, statuses]): Told[] => (accepted ? [accepted, ...statuses] : statuses))
      .filter(({ length }) => length > 0)
      .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
    await fc.assert(
      fc.asyncProperty(history, async (all) => {
        const wamid = `wamid.${++messages}`;
        const writes = all.map((one) => writeOf(wamid, one));
        if (atOnce) await Promise.all(writes.map((write) => store.write(write)));
        else for (const write of writes) await store.write(write);
        await becomes(wamid, all);
      }),
      { numRuns: atOnce ? 60 : 30 },
    );
  });

  test('becomes the same whether a status is told once or in every batch', async () => {
    const all: Told[] = [
      { state: 'read', second: 4 },
      { state: 'accepted', second: 1 },
      { state: 'failed', second: 5 },
    ];
    for (let time = 0; time < 3; time++)
      await Promise.all(all.map((one) => store.write(writeOf('wamid.again', one))));
    await becomes('wamid.again', all);
  });

  test('is one of its line: another line with the same id has a record of its own', async () => {
    const change = changeOf('wamid.same', { state: 'read', second: 3 });
    await store.write(notificationOf([], { messages: [change, { ...change, line_id: 2 }] }));
    await store.write({
      kind: 'message',
      message: { ...changeOf('wamid.same', { state: 'accepted', second: 1 }), line_id: 2 },
    });
    expect(await store.messageList.byId([1], 'wamid.same')).toMatchObject([
      { accepted_at: null, type: null },
    ]);
    expect(await store.messageList.byId([2], 'wamid.same')).toMatchObject([
      { accepted_at: at(1), type: 'text' },
    ]);
    expect(await store.messageList.byId([3], 'wamid.same')).toEqual([]);
  });
});
