import { request } from 'undici';
import { setTimeout as wait } from 'node:timers/promises';
import { faultsOf, seconds, settle, untilTaken } from './account';
import { until } from '../support/http-peer';
import { addLine, launch, settingsOf, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** P21. */
const ENDED_WITHIN = 30_000;

export const drain: Proof<{ events: number; slow: number }> = {
  name: 'drain',
  proves:
    'after SIGTERM with 1,000 deliveries pending it takes no more, ends within 30 s, and loses and repeats nothing (P21)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { events: 1000, slow: 3000 },

  async run(stage) {
    const { sizes } = stage;
    let slow = true;
    const receiver = await startReceiver(async () => {
      if (slow) await wait(sizes.slow);
      return 200;
    });
    stage.atEnd(receiver.close);
    const env = await settingsOf(stage);
    await addLine(env, '--forward-url', `${receiver.url}/hook`);
    const first = launch(stage, env);
    await first.listening;
    const producer = produce({
      url: () => urlOf(env),
      count: sizes.events,
      contacts: contactsOf(sizes.events),
      atOnce: 16,
    });
    await producer.done;
    await until(() => receiver.open() > 0);
    const inFlight = receiver.open();
    const pending = sizes.events - receiver.taken.size;
    const toldAt = performance.now();
    const ended = first.end('SIGTERM');
    await wait(100);
    const ready = await request(`${first.url}/readyz`)
      .then(({ statusCode }) => String(statusCode))
      .catch(({ code, message }: { code?: string; message: string }) => code ?? message);
    const code = await ended;
    const took = performance.now() - toldAt;
    const takenBefore = receiver.taken.size;

    slow = false;
    const next = launch(stage, env);
    await next.listening;
    const isAllTaken = await untilTaken([producer], [receiver], 60_000);
    await wait(500);
    const account = settle([producer], receiver.arrivals);
    const faults = faultsOf(account);
    if (ready === '200') faults.push('It still said that it was ready');
    if (code !== 0) faults.push(`Its exit code was ${code}`);
    if (took > ENDED_WITHIN) faults.push(`It took ${seconds(took)} to end`);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (account.repeated.length) faults.push(`${account.repeated.length} events were sent twice`);
    return {
      figures: {
        'events acknowledged': account.acknowledged,
        'pending at SIGTERM': `${pending}, ${inFlight} of them on their way`,
        '/readyz 0.1 s later': ready,
        'SIGTERM → exit': `${seconds(took)}, code ${code}`,
        'delivered before its end': takenBefore,
        lost: account.lost.length,
        'sent twice': account.repeated.length,
        'first attempts out of order': account.outOfOrder.length,
      },
      faults,
    };
  },
};
