import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/postgres';
import { counted, faultsOf, MOST_REPEATED, settle, untilTaken } from './account';
import { addLine, launch, settingsOf, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** By process name. Two deliver, so that one takes over from the other. */
const ROLES = { api: 'api', inbound: 'inbound', panel: 'panel', first: 'deliver', second: 'deliver' };
type Name = keyof typeof ROLES;
const NAMES = Object.keys(ROLES) as Name[];

/** Milliseconds. */
const TAKEN_OVER_WITHIN = 120_000;

export const processRoles: Proof<{ events: number; contacts: number; rate: number }> = {
  name: 'process-roles',
  proves:
    'processes of one role each, on one PostgreSQL, deliver what another of them received, in order, also while one of each role is killed and the second of those that deliver takes over (P1, P10, P22)',
  on: ['PostgreSQL'],
  sizes: { events: 10_000, contacts: 100, rate: 200 },

  async run(stage) {
    const { sizes } = stage;
    const receiver = await startReceiver();
    stage.atEnd(receiver.close);
    const env = await settingsOf(stage, { GATEWAY_PUBLIC_URL: 'https://gateway.example.com' });
    await addLine(env, '--forward-url', `${receiver.url}/hook`);
    const start = async (name: Name) => {
      const own = { GATEWAY_PROCESS_NAME: name, GATEWAY_ROLES: ROLES[name] };
      const settings = { ...env, ...own, GATEWAY_PORT: String(await freePort()) };
      const gateway = launch(stage, settings);
      await gateway.listening;
      return { gateway, url: urlOf(settings) };
    };
    const running = new Map(await Promise.all(NAMES.map(async (name) => [name, await start(name)] as const)));
    const producer = produce({
      url: () => running.get('inbound')?.url ?? '',
      count: Infinity,
      contacts: contactsOf(sizes.contacts),
      atOnce: 16,
      rate: sizes.rate,
    });
    stage.atEnd(producer.stop);
    const faults: string[] = [];
    for (const name of NAMES) {
      const due = producer.acknowledged().length + sizes.events / NAMES.length;
      while (producer.acknowledged().length < due) await wait(100);
      await running.get(name)?.gateway.end('SIGKILL');
      running.delete(name);
      for (const [other, { url }] of running)
        if (!(await fetch(`${url}/readyz`)).ok) faults.push(`${other} was not ready without ${name}`);
      const delivered = receiver.arrivals.length;
      // The second one of those that deliver takes over; the others are alone with their role.
      const waits = performance.now();
      while (ROLES[name] === 'deliver' && receiver.arrivals.length < delivered + sizes.contacts / 2) {
        await wait(100);
        if (performance.now() - waits < TAKEN_OVER_WITHIN) continue;
        faults.push(`nothing was delivered for two minutes after ${name} was killed`);
        break;
      }
      running.set(name, await start(name));
    }
    producer.stop();
    await producer.done;
    if (!(await untilTaken([producer], [receiver], 120_000)))
      faults.push('Not all that was acknowledged had arrived in the end');
    await wait(500);

    const account = settle([producer], receiver.arrivals);
    const allowed = 2 * MOST_REPEATED;
    if (account.repeated.length > allowed)
      faults.push(`${account.repeated.length} events were repeated, more than ${allowed}`);
    return {
      figures: {
        'events acknowledged': account.acknowledged,
        'kill -9': NAMES.length,
        'refused or cut, repeated by upstream': counted(producer.refusals),
        lost: account.lost.length,
        repeated: `${account.repeated.length} (${allowed} allowed)`,
        'first attempts out of order': account.outOfOrder.length,
      },
      faults: [...faultsOf(account), ...faults],
    };
  },
};
