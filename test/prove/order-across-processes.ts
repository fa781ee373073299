import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/postgres';
import { counted, faultsOf, MOST_REPEATED, settle, untilTaken } from './account';
import { addLine, launch, settingsOf, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

export const orderAcrossProcesses: Proof<{ events: number; contacts: number; kills: number }> = {
  name: 'order-across-processes',
  proves:
    'where each event of a contact comes to another of three processes as soon as the one before is acknowledged, its order holds, also when they are killed (P1, P10, P22)',
  on: ['PostgreSQL'],
  sizes: { events: 20_000, contacts: 24, kills: 3 },

  async run(stage) {
    const { sizes, random } = stage;
    const receiver = await startReceiver();
    stage.atEnd(receiver.close);
    const env = await settingsOf(stage);
    await addLine(env, '--forward-url', `${receiver.url}/hook`);
    const ports = [env.GATEWAY_PORT, await freePort(), await freePort()];
    const settings = ports.map((port) => ({ ...env, GATEWAY_PORT: String(port) }));
    const gateways = settings.map((one) => launch(stage, one));
    await Promise.all(gateways.map(({ listening }) => listening));
    const producer = produce({
      url: () => urlOf(settings[Math.floor(random() * settings.length)] ?? env),
      count: sizes.events,
      contacts: contactsOf(sizes.contacts),
      // Each contact writes again immediately.
      atOnce: sizes.contacts,
    });
    stage.atEnd(producer.stop);
    for (let kill = 1; kill <= sizes.kills; kill++) {
      const due = (sizes.events * kill) / (sizes.kills + 1);
      while (producer.acknowledged().length < due) await wait(100);
      const which = Math.floor(random() * settings.length);
      await gateways[which]?.end('SIGKILL');
      const next = launch(stage, settings[which] ?? env);
      gateways[which] = next;
      await next.listening;
    }
    await producer.done;
    const isAllTaken = await untilTaken([producer], [receiver], 300_000);
    await wait(500);

    const account = settle([producer], receiver.arrivals);
    const allowed = MOST_REPEATED * sizes.kills;
    const faults = faultsOf(account);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (account.repeated.length > allowed)
      faults.push(`${account.repeated.length} events were repeated, more than ${allowed}`);
    return {
      figures: {
        'events acknowledged': account.acknowledged,
        contacts: sizes.contacts,
        'kill -9': sizes.kills,
        'refused or cut, repeated by upstream': counted(producer.refusals),
        lost: account.lost.length,
        repeated: `${account.repeated.length} (${allowed} allowed)`,
        'first attempts out of order': account.outOfOrder.length,
      },
      faults,
    };
  },
};
