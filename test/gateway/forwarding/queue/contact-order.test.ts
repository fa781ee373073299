import {
  ContactOrder,
  holdsContact,
  MOST_OF_CONTACT,
} from '../../../../gateway/forwarding/queue/contact-order';
import { type HeldDelivery } from '../../../../gateway/forwarding/queue/held-deliveries';
import { MINUTE, SECOND } from '../../../../gateway/time';

const [ANA, BEN] = ['ana', 'ben'];

const delivery = (sequence: number, more: Partial<HeldDelivery> = {}): HeldDelivery => ({
  eventId: `evt_${sequence}`,
  orderingKey: ANA,
  sequence,
  attempts: 0,
  attemptsBefore: 0,
  dueAt: 0,
  size: 2,
  body: '{}',
  isAutomationPaused: false,
  failedAt: null,
  lateAnswerTo: null,
  ...more,
});

/** The sequences of all that is ready now, each of which stays on its way. */
const running = (order: ContactOrder): number[] => {
  const sequences: number[] = [];
  for (let next = order.next(); next; next = order.next()) sequences.push(next.sequence);
  return sequences;
};

/** What goes out first; it stays on its way. */
function first(order: ContactOrder): HeldDelivery {
  const next = order.next();
  if (!next) throw new Error('Nothing is ready');
  return next;
}

/** Sends all that is ready, and what becomes ready by that, each with success. @returns the sequences */
function drained(order: ContactOrder): number[] {
  const sequences: number[] = [];
  for (let next = order.next(); next; next = order.next()) {
    sequences.push(next.sequence);
    order.leave(next);
  }
  return sequences;
}

describe('the order within contacts', () => {
  test('has one of a contact on its way at a time, and of other contacts beside it', () => {
    const order = new ContactOrder();
    for (const sequence of [1, 2, 3]) expect(order.add(delivery(sequence))).toBe(true);
    order.add(delivery(4, { orderingKey: BEN }));
    const ofAna = first(order);
    expect([ofAna.sequence, ...running(order)]).toEqual([1, 4]);
    expect(order.first()).toBeUndefined();
    order.leave(ofAna);
    expect(drained(order)).toEqual([2, 3]);
  });

  test('is that of the sequences, whenever they are heard of, and whatever the clocks said', () => {
    const order = new ContactOrder();
    order.add(delivery(7, { dueAt: 1 }));
    order.add(delivery(5, { dueAt: 9 }));
    const sent = first(order);
    for (const sequence of [9, 6, 8]) order.add(delivery(sequence));
    order.leave(sent);
    expect(drained(order)).toEqual([6, 7, 8, 9]);
  });

  test('never puts anything before what is on its way', () => {
    const order = new ContactOrder();
    order.add(delivery(5));
    const sent = first(order);
    order.add(delivery(1));
    expect(order.idsOf(ANA)).toEqual(['evt_5', 'evt_1']);
    expect(order.first()).toBeUndefined();
    order.leave(sent);
    expect(drained(order)).toEqual([1]);
  });

  test('serves contacts in turn: one with much does not delay another', () => {
    const order = new ContactOrder();
    for (let sequence = 0; sequence < 40; sequence++) order.add(delivery(sequence));
    order.add(delivery(100, { orderingKey: BEN }));
    const sent = drained(order);
    expect(sent.indexOf(100)).toBeLessThan(3);
    expect(sent.filter((sequence) => sequence < 100)).toEqual(
      Array.from({ length: 40 }, (_, index) => index),
    );
  });

  test('keeps of one contact with 100,000 events only a few in memory, and asks for more before they run out', () => {
    const order = new ContactOrder();
    const all = 100_000;
    const kept = Array.from({ length: all }, (_, sequence) => order.add(delivery(sequence)));
    expect(kept.filter((isKept) => isKept)).toHaveLength(MOST_OF_CONTACT);
    expect(order.add(delivery(all, { orderingKey: BEN }))).toBe(true);
    expect([order.hasMore(ANA), order.hasMore(BEN), [...order.hungry]]).toEqual([true, false, []]);
    const sent: number[] = [];
    let [held, reads] = [MOST_OF_CONTACT, 0];
    let from = MOST_OF_CONTACT;
    for (let next = order.next(); next; next = order.next()) {
      if (next.orderingKey === ANA) {
        sent.push(next.sequence);
        held--;
      }
      order.leave(next);
      if (order.hungry.size) {
        expect([...order.hungry]).toEqual([ANA]);
        expect(held).toBeLessThanOrEqual(MOST_OF_CONTACT / 2);
        // Nothing fresh slips in before what is read.
        expect(order.add(delivery(all + 1))).toBe(false);
        const found = Array.from({ length: Math.min(MOST_OF_CONTACT, all - from) }, (_, index) =>
          delivery(from + index),
        );
        from += found.length;
        held += found.length;
        reads++;
        expect(order.refill(ANA, found, from === all)).toEqual(found);
      }
    }
    expect(sent).toEqual(Array.from({ length: all }, (_, index) => index));
    expect(reads).toBeLessThanOrEqual(Math.ceil(all / MOST_OF_CONTACT));
    expect(order.hasMore(ANA)).toBe(false);
    expect(order.add(delivery(all + 1))).toBe(true);
  });

  test('asks in vain for more of a contact no second time', () => {
    const order = new ContactOrder();
    for (let sequence = 0; sequence <= MOST_OF_CONTACT; sequence++) order.add(delivery(sequence));
    expect(drained(order)).toHaveLength(MOST_OF_CONTACT);
    expect([...order.hungry]).toEqual([ANA]);
    expect(order.refill(ANA, [], true)).toEqual([]);
    expect([[...order.hungry], order.hasMore(ANA), order.first() !== undefined]).toEqual([[], false, false]);
    expect(order.refill(BEN, [delivery(9, { orderingKey: BEN })], true)).toEqual([]);
  });

  test('has what is replayed go out behind all the rest, at its time', () => {
    const order = new ContactOrder();
    const replayed = { attempts: 1, attemptsBefore: 1 };
    order.addTried(delivery(1, { ...replayed, orderingKey: 'evt_1' }), 0);
    order.addTried(delivery(2, { ...replayed, orderingKey: 'evt_2', dueAt: 5 * SECOND }), 0);
    order.add(delivery(3));
    order.add(delivery(4, { orderingKey: BEN }));
    expect(order.first()?.sequence).toBe(3);
    expect(drained(order)).toEqual([3, 4, 1]);
    expect(order.nextMoment).toBe(5 * SECOND);
    order.advance(5 * SECOND);
    expect(drained(order)).toEqual([2]);
  });
});

describe('a delivery that failed', () => {
  /** The first of Ana's has failed at this time, and is tried again later. */
  function failing(at = 0, wait = 5 * SECOND) {
    const order = new ContactOrder();
    const [failed, second, third] = [delivery(1), delivery(2), delivery(3)];
    for (const one of [failed, second, third]) order.add(one);
    expect(first(order)).toBe(failed);
    Object.assign(failed, { attempts: 1, dueAt: at + wait });
    const others = order.addTried(failed, at);
    return { order, failed, second, third, others };
  }

  test('holds its contact back, and nobody else; the others of it leave memory', () => {
    const { order, second, third, others } = failing();
    expect(others).toEqual([second, third]);
    expect(order.add(delivery(4))).toBe(false);
    expect(order.add(delivery(5, { orderingKey: BEN }))).toBe(true);
    expect(running(order)).toEqual([5]);
    expect([[...order.hungry], order.hasMore(ANA)]).toEqual([[], true]);
    expect(order.nextMoment).toBe(5 * SECOND);
    order.advance(5 * SECOND - 1);
    expect(order.first()).toBeUndefined();
    order.advance(5 * SECOND);
    expect(running(order)).toEqual([1]);
  });

  test('lets the others go on in their order once it has succeeded', () => {
    const { order, second, third } = failing();
    order.advance(5 * SECOND);
    const again = first(order);
    expect([...order.hungry]).toEqual([]);
    order.leave(again);
    expect([...order.hungry]).toEqual([ANA]);
    // What comes now waits for what is read.
    expect(order.add(delivery(4))).toBe(false);
    order.refill(ANA, [second, third, delivery(4)], true);
    expect(drained(order)).toEqual([2, 3, 4]);
  });

  test('holds its contact back until 35 seconds after its first failure, also where no answer comes', () => {
    const { order, failed, second } = failing(20 * SECOND);
    order.advance(25 * SECOND);
    const again = first(order);
    expect(again).toBe(failed);
    order.advance(55 * SECOND - 1);
    expect([order.first() !== undefined, [...order.hungry]]).toEqual([false, []]);
    expect(order.nextMoment).toBe(55 * SECOND);
    order.advance(55 * SECOND);
    expect([...order.hungry]).toEqual([ANA]);
    order.refill(ANA, [second], true);
    const passing = first(order);
    expect(passing).toBe(second);
    // What comes of it concerns it alone.
    order.leave(again);
    expect(order.first()).toBeUndefined();
    order.add(delivery(3));
    expect(order.first()).toBeUndefined();
    order.leave(passing);
    expect(drained(order)).toEqual([3]);
  });

  test('is timed from its first failure on, not from the last', () => {
    const { order, failed } = failing();
    order.advance(5 * SECOND);
    first(order);
    Object.assign(failed, { attempts: 2, dueAt: 30 * SECOND });
    order.addTried(failed, 6 * SECOND);
    expect(failed.failedAt).toBe(0);
    order.advance(30 * SECOND);
    expect(running(order)).toEqual([1]);
    order.advance(35 * SECOND);
    expect([...order.hungry]).toEqual([ANA]);
  });

  test('is timed so also where it was forgotten and read again meanwhile', () => {
    const order = new ContactOrder();
    const failed = delivery(1, { attempts: 1, dueAt: 30 * SECOND, failedAt: 0 });
    order.addTried(failed, 29 * SECOND);
    order.add(delivery(2));
    order.advance(30 * SECOND);
    expect(running(order)).toEqual([1]);
    order.advance(35 * SECOND);
    expect([...order.hungry]).toEqual([ANA]);
    // One that is read later than that holds nothing back.
    const late = new ContactOrder();
    late.addTried(delivery(1, { attempts: 1, dueAt: 30 * SECOND, failedAt: 0 }), 36 * SECOND);
    expect(late.add(delivery(2))).toBe(true);
  });

  test('holds its contact back behind two waits, 35 seconds in all, and for no longer', () => {
    const holds = (attempts: number, wait: number, since = 0) =>
      holdsContact(delivery(1, { attempts, dueAt: since + wait, failedAt: since ? 0 : null }), since);
    expect([holds(1, 5 * SECOND), holds(2, 30 * SECOND, 5 * SECOND), holds(1, 35 * SECOND)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([holds(3, 2 * MINUTE), holds(3, 0), holds(1, 36 * SECOND)]).toEqual([false, false, false]);
    expect(holds(2, 26 * SECOND, 10 * SECOND)).toBe(false);
  });

  test('that comes from the database, and holds, puts out of memory what came before it', () => {
    const order = new ContactOrder();
    const fresh = [delivery(2), delivery(3)];
    for (const one of fresh) order.add(one);
    const failed = delivery(1, { attempts: 1, dueAt: 9 * SECOND, body: null });
    expect(order.addTried(failed, 0)).toEqual(fresh);
    expect([order.first() !== undefined, order.hasMore(ANA)]).toEqual([false, true]);
    order.advance(9 * SECOND);
    const again = first(order);
    expect(again).toBe(failed);
    order.leave(again);
    expect([...order.hungry]).toEqual([ANA]);
  });

  test('that comes while another of its contact is on its way, or holds it back, is not waited for twice', () => {
    const order = new ContactOrder();
    order.add(delivery(1));
    const sent = first(order);
    const failed = delivery(2, { attempts: 1, dueAt: SECOND });
    expect(order.addTried(failed, 0)).toEqual([]);
    order.add(delivery(3));
    order.advance(SECOND);
    // As a contact of its own.
    expect(running(order)).toEqual([2]);
    order.leave(sent);
    expect(running(order)).toEqual([3]);
  });

  test('that holds nobody back goes out at its time as if it were alone', () => {
    const order = new ContactOrder();
    order.add(delivery(2));
    const late = delivery(1, { attempts: 3, dueAt: 2 * MINUTE, body: null });
    expect(order.addTried(late, 0)).toEqual([]);
    const fresh = first(order);
    expect(fresh.sequence).toBe(2);
    order.advance(2 * MINUTE);
    expect(running(order)).toEqual([1]);
    expect(order.add(delivery(3))).toBe(true);
  });
});

describe('a probe', () => {
  const failed = delivery(1, { attempts: 1, orderingKey: BEN });

  test('is of what was never tried, where there is such: of the rest it is known that it fails', () => {
    const order = new ContactOrder();
    order.addTried(failed, 0);
    order.add(delivery(2));
    expect([order.first(true)?.sequence, order.next(true)?.sequence]).toEqual([2, 2]);
    order.add(delivery(3, { orderingKey: 'cid' }));
    expect([order.next(true)?.sequence, order.next(true)?.sequence, order.next(true)]).toEqual([3, 1, null]);
  });

  test('that failed has its contact wait in the database, and be asked for again', () => {
    const order = new ContactOrder();
    const [probe, second] = [delivery(1), delivery(2)];
    for (const one of [probe, second, delivery(3, { orderingKey: BEN })]) order.add(one);
    expect(order.next(true)).toBe(probe);
    expect(order.putBack(probe)).toEqual([probe, second]);
    expect([order.hasMore(ANA), [...order.hungry], order.add(delivery(4))]).toEqual([true, [ANA], false]);
    order.refill(ANA, [probe, second], true);
    // The next is of another contact.
    expect(drained(order)).toEqual([3, 1, 2]);
  });

  test('that failed before holds its contact back until it is heard of again', () => {
    const order = new ContactOrder();
    order.addTried(failed, 0);
    const probe = first(order);
    expect(order.putBack(probe)).toEqual([failed]);
    expect([[...order.hungry], order.add(delivery(2, { orderingKey: BEN }))]).toEqual([[BEN], false]);
    order.addTried(failed, 0);
    expect([[...order.hungry], order.next()]).toEqual([[], failed]);
  });
});

describe('what is dropped', () => {
  test('is all that waits, at whatever time, but not what is on its way', () => {
    const order = new ContactOrder();
    const [sent, behind, ofBen, late] = [
      delivery(1),
      delivery(2),
      delivery(3, { orderingKey: BEN }),
      delivery(4, { orderingKey: 'cid', attempts: 1, dueAt: MINUTE }),
    ];
    for (const one of [sent, behind]) order.add(one);
    expect(first(order)).toBe(sent);
    order.add(ofBen);
    order.addTried(late, 0);
    expect(new Set(order.drop())).toEqual(new Set([behind, ofBen, late]));
    expect([order.first() !== undefined, order.nextMoment, [...order.hungry]]).toEqual([false, null, []]);
    order.advance(MINUTE);
    expect(order.first()).toBeUndefined();
    // A contact of which something is still on its way has nothing else on its way.
    order.add(behind);
    expect(order.first()).toBeUndefined();
    order.leave(sent);
    expect(drained(order)).toEqual([2]);
  });
});
