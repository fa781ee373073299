import { setTimeout as wait } from 'node:timers/promises';
import { faultsOf, seconds, settle, untilTaken } from './account';
import { launch, launchWithLine, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** P10: 35 s behind one that fails, and a margin for the attempts themselves on a busy machine. */
const LONGEST_WAIT = 35_000 + 3000;

export const order: Proof<{ events: number; contacts: number; failing: number; restarts: number }> = {
  name: 'order',
  proves:
    'per contact, first attempts start in the order of arrival, over failures and restarts; behind a failing one they wait for 35 s at most (P10)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { events: 6000, contacts: 300, failing: 10, restarts: 3 },

  async run(stage) {
    const { sizes, random } = stage;
    // The first of some contacts always fails; of the others, some attempts do.
    const doomed = new Set(contactsOf(sizes.contacts).filter(() => random() * 100 < sizes.failing));
    const first = new Map<string, string>();
    const receiver = await startReceiver(({ contact, wamid }) => {
      if (!first.has(contact)) first.set(contact, wamid);
      if (doomed.has(contact)) return first.get(contact) === wamid ? 500 : 200;
      return random() * 100 < 2 ? 500 : 200;
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
    for (let restart = 0; restart < sizes.restarts; restart++) {
      await wait(10_000);
      await gateway.end();
      gateway = launch(stage, env);
      await gateway.listening;
    }
    await producer.done;
    // All but those that always fail.
    const dead = new Set([...doomed].map((contact) => first.get(contact)));
    const rest = {
      ...producer,
      acknowledged: () => producer.acknowledged().filter(({ wamid }) => !dead.has(wamid)),
    };
    const isAllTaken = await untilTaken([rest], [receiver], 200_000);

    const account = settle([producer], receiver.arrivals);
    account.lost = account.lost.filter(({ wamid }) => !dead.has(wamid));
    const begun = new Map<string, number>();
    for (const { wamid, at } of receiver.arrivals) if (!begun.has(wamid)) begun.set(wamid, at);
    const waits = [...doomed].flatMap((contact) => {
      const events = [...producer.events.values()].filter((event) => event.contact === contact);
      const [failing, second] = events;
      if (!failing || !second) return [];
      const from = Math.max(begun.get(failing.wamid) ?? 0, second.acknowledgedAt ?? 0);
      return [(begun.get(second.wamid) ?? Infinity) - from];
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
        'longest wait behind a failing one': seconds(longest),
      },
      faults,
    };
  },
};
