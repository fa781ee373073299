import { setTimeout as wait } from 'node:timers/promises';
import { faultsOf, seconds, settle, untilTaken } from './account';
import { launch, launchWithLine, urlOf, type Gateway } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** P10: 35 s behind one that fails, and a margin for the attempts themselves on a busy machine. */
const LONGEST_WAIT = 35_000 + 3000;

/** In milliseconds on this process's clock. */
interface Span {
  from: number;
  to: number;
}

export const order: Proof<{ events: number; contacts: number; failing: number; restarts: number }> = {
  name: 'order',
  proves:
    'per contact, first attempts start in the order of arrival, over failures and restarts; behind a failing one they wait for 35 s at most (P10)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { events: 6000, contacts: 300, failing: 10, restarts: 3 },

  async run(stage) {
    const { sizes, random } = stage;
    // The first of some contacts always fails; of the others, some first attempts do.
    const doomed = new Set(contactsOf(sizes.contacts).filter(() => random() * 100 < sizes.failing));
    const first = new Map<string, string>();
    const receiver = await startReceiver(({ contact, wamid, attempt }) => {
      if (!first.has(contact)) first.set(contact, wamid);
      if (doomed.has(contact)) return first.get(contact) === wamid ? 500 : 200;
      return attempt === 1 && random() * 100 < 2 ? 500 : 200;
    });
    stage.atEnd(receiver.close);
    const { env, ...launched } = await launchWithLine(stage, ['--forward-url', `${receiver.url}/hook`]);
    let { gateway } = launched;
    const producer = produce({
      url: () => urlOf(env),
      count: sizes.events,
      contacts: contactsOf(sizes.contacts),
      atOnce: 16,
      rate: sizes.events / (10 * (sizes.restarts + 1)),
    });
    /** Nothing at all goes out meanwhile: the gateway restarts, or the breaker is open. */
    const pauses: Span[] = [];
    for (let restart = 0; restart < sizes.restarts; restart++) {
      await wait(10_000);
      const from = performance.now();
      await gateway.end();
      pauses.push(...breakerOpen(gateway, from));
      gateway = launch(stage, env);
      await gateway.listening;
      pauses.push({ from, to: performance.now() });
    }
    await producer.done;
    // All but those that always fail.
    const dead = new Set([...doomed].map((contact) => first.get(contact)));
    const rest = {
      ...producer,
      acknowledged: () => producer.acknowledged().filter(({ wamid }) => !dead.has(wamid)),
    };
    const isAllTaken = await untilTaken([rest], [receiver], 200_000);
    pauses.push(...breakerOpen(gateway, performance.now()));

    const account = settle([producer], receiver.arrivals);
    account.lost = account.lost.filter(({ wamid }) => !dead.has(wamid));
    const begun = new Map<string, number>();
    for (const { wamid, at } of receiver.arrivals) if (!begun.has(wamid)) begun.set(wamid, at);
    const waits = [...doomed].flatMap((contact) => {
      const events = [...producer.events.values()].filter((event) => event.contact === contact);
      const [failing, second] = events;
      if (!failing || !second) return [];
      const from = Math.max(begun.get(failing.wamid) ?? 0, second.acknowledgedAt ?? 0);
      return [without(pauses, { from, to: begun.get(second.wamid) ?? Infinity })];
    });
    const longest = Math.max(0, ...waits);
    const faults = faultsOf(account);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (account.repeated.length) faults.push(`${account.repeated.length} events were repeated`);
    if (longest > LONGEST_WAIT) faults.push(`An event waited ${seconds(longest)} behind a failing one`);
    return {
      figures: {
        'events acknowledged': account.acknowledged,
        contacts: `${sizes.contacts}, ${doomed.size} of them with a first event that always fails`,
        restarts: sizes.restarts,
        lost: account.lost.length,
        repeated: account.repeated.length,
        'first attempts out of order': account.outOfOrder.length,
        'longest wait behind a failing one': `${seconds(longest)}, restarts and an open breaker left out`,
      },
      faults,
    };
  },
};

/** When the breaker of its only destination was open, as it logged. @param end when it ended */
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

/** How long a wait was, but for the pauses in it. */
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
