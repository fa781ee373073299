import { setTimeout as wait } from 'node:timers/promises';
import { faultsOf, seconds, settle, untilTaken } from './account';
import { launch, settingsOf, urlOf, type Gateway } from './gateway';
import { addLines } from './lines';
import { contactsOf, produce, type Producer } from './producer';
import { type Proof } from './proof';
import { startReceiver, type Receiver } from './receiver';

/** P10: 35 s behind a failing event, with a margin for the attempts on a busy machine (milliseconds). */
const LONGEST_WAIT = 35_000 + 3000;

/** A time span in milliseconds on this process's clock. */
interface Span {
  from: number;
  to: number;
}

/** Milliseconds per event of a destination in its last part, so that more events queue than memory holds. */
const SLOW = 1200;

export const order: Proof<{
  events: number;
  contacts: number;
  failing: number;
  restarts: number;
  destinations: number;
}> = {
  name: 'order',
  proves:
    'per contact, first attempts start in the order of arrival, over failures, restarts and more than memory holds; behind a failing one they wait for 35 s at most (P10)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { events: 6000, contacts: 300, failing: 10, restarts: 3, destinations: 3 },

  async run(stage) {
    const { sizes, random } = stage;
    let isSlow = false;
    const failing = await Promise.all(
      Array.from({ length: sizes.destinations }, () => failingReceiver(sizes, random, () => isSlow)),
    );
    const receivers = failing.map(({ receiver }) => receiver);
    for (const { close } of receivers) stage.atEnd(close);
    const env = await settingsOf(stage);
    await addLines(env, [receivers.map(({ url }) => `${url}/hook`)]);
    let gateway = launch(stage, env);
    await gateway.listening;
    const producer = produce({
      url: () => urlOf(env),
      count: sizes.events,
      contacts: contactsOf(sizes.contacts),
      atOnce: 16,
      rate: sizes.events / (10 * (sizes.restarts + 1)),
    });
    /** Times without any delivery: the gateway restarts, or a circuit breaker is open. */
    const pauses: Span[] = [];
    for (let restart = 1; restart <= sizes.restarts; restart++) {
      isSlow = restart === sizes.restarts;
      await wait(10_000);
      const from = performance.now();
      await gateway.end();
      pauses.push(...breakerOpen(gateway, from));
      gateway = launch(stage, env);
      await gateway.listening;
      pauses.push({ from, to: performance.now() });
    }
    await producer.done;
    const waiting = receivers.map(({ arrivals }) => producer.acknowledged().length - arrivals.length);
    isSlow = false;
    const takenAll = await Promise.all(
      failing.map(({ receiver, dead }) => untilTaken([butFor(producer, dead())], [receiver], 200_000)),
    );
    pauses.push(...breakerOpen(gateway, performance.now()));

    const accounts = failing.map(({ receiver, dead }) => {
      const account = settle([producer], receiver.arrivals);
      account.lost = account.lost.filter(({ wamid }) => !dead().has(wamid));
      return account;
    });
    const longest = Math.max(0, ...failing.flatMap((one) => waitsBehind(one, producer, pauses)));
    const faults = accounts.flatMap(faultsOf);
    if (takenAll.includes(false)) faults.push('Not all that was acknowledged had arrived in the end');
    const sum = (of: (account: (typeof accounts)[0]) => unknown[]) =>
      accounts.reduce((all, account) => all + of(account).length, 0);
    const repeated = sum((account) => account.repeated);
    if (repeated) faults.push(`${repeated} events were repeated`);
    if (longest > LONGEST_WAIT) faults.push(`An event waited ${seconds(longest)} behind a failing one`);
    return {
      figures: {
        'events acknowledged': producer.acknowledged().length,
        destinations: sizes.destinations,
        contacts: `${sizes.contacts}, of which ${failing.map(({ doomed }) => doomed.size).join(', ')} have a first event that always fails`,
        restarts: sizes.restarts,
        'waiting for each when it was slow': waiting.join(', '),
        lost: sum((account) => account.lost),
        repeated,
        'first attempts out of order': sum((account) => account.outOfOrder),
        'longest wait behind a failing one': `${seconds(longest)}, restarts and an open breaker left out`,
      },
      faults,
    };
  },
};

interface Failing {
  receiver: Receiver;
  /** Contacts whose first event always fails. */
  doomed: Set<string>;
  first: Map<string, string>;
  /** IDs of these first events. */
  dead(): Set<string | undefined>;
}

/**
 * A destination at which the first event of some contacts always fails, and some first attempts of the
 * others.
 */
async function failingReceiver(
  { contacts, failing }: { contacts: number; failing: number },
  random: () => number,
  isSlow: () => boolean,
): Promise<Failing> {
  const doomed = new Set(contactsOf(contacts).filter(() => random() * 100 < failing));
  const first = new Map<string, string>();
  const receiver = await startReceiver(async ({ contact, wamid, attempt }) => {
    if (!first.has(contact)) first.set(contact, wamid);
    if (isSlow()) await wait(SLOW);
    if (doomed.has(contact)) return first.get(contact) === wamid ? 500 : 200;
    return attempt === 1 && random() * 100 < 2 ? 500 : 200;
  });
  return { receiver, doomed, first, dead: () => new Set([...doomed].map((contact) => first.get(contact))) };
}

const butFor = (producer: Producer, dead: Set<string | undefined>): Producer => ({
  ...producer,
  acknowledged: () => producer.acknowledged().filter(({ wamid }) => !dead.has(wamid)),
});

/** Returns how long the second event of each such contact waited, without the pauses. */
function waitsBehind({ receiver, doomed }: Failing, producer: Producer, pauses: Span[]): number[] {
  const begun = new Map<string, number>();
  for (const { wamid, at } of receiver.arrivals) if (!begun.has(wamid)) begun.set(wamid, at);
  return [...doomed].flatMap((contact) => {
    const events = [...producer.events.values()].filter((event) => event.contact === contact);
    const [failing, second] = events;
    if (!failing || !second) return [];
    const from = Math.max(begun.get(failing.wamid) ?? 0, second.acknowledgedAt ?? 0);
    return [without(pauses, { from, to: begun.get(second.wamid) ?? Infinity })];
  });
}

/**
 * Returns when the circuit breaker of a destination was open, from the log.
 * @param end time when the proof ended
 */
function breakerOpen(gateway: Gateway, end: number): Span[] {
  const spans: Span[] = [];
  for (const { msg, time } of gateway.logged()) {
    const at = Number(time) - performance.timeOrigin;
    const open = spans.at(-1)?.to === end ? spans.at(-1) : undefined;
    if (msg === 'destination fails: its events wait' && !open) spans.push({ from: at, to: end });
    if (msg === 'destination takes events again' && open) open.to = at;
  }
  return spans;
}

/** Returns the duration of a wait without the pauses in it. */
function without(pauses: Span[], { from, to }: Span): number {
  let length = to - from;
  let counted = from;
  for (const pause of pauses.toSorted((one, other) => one.from - other.from)) {
    const begin = Math.max(counted, pause.from);
    const end = Math.min(to, pause.to);
    if (end <= begin) continue;
    length -= end - begin;
    counted = end;
  }
  return length;
}
