import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { until } from '../support/http-peer';
import { faultsOf, seconds, settle, untilTaken } from './account';
import { addDestination, launch, launchWithLine, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** The limit of P21, in milliseconds. */
const ENDED_WITHIN = 30_000;
/** Allows for a busy machine, which delivers the signal late. */
const NOT_READY_WITHIN = 1000;

export const drain: Proof<{ deliveries: number; destinations: number; slow: number }> = {
  name: 'drain',
  proves:
    'after SIGTERM with 1,000 deliveries pending it is not ready at once, ends within 30 s, and loses and repeats nothing (P21)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { deliveries: 1000, destinations: 40, slow: 5000 },

  async run(stage) {
    const { sizes } = stage;
    let slow = true;
    const receivers = await Promise.all(
      Array.from({ length: sizes.destinations }, () =>
        startReceiver(async () => {
          if (slow) await wait(sizes.slow);
          return 200;
        }),
      ),
    );
    for (const { close } of receivers) stage.atEnd(close);
    const { env, token, gateway: first } = await launchWithLine(stage, []);
    for (const { url } of receivers) await addDestination(env, token, `${url}/hook`);
    const events = Math.ceil(sizes.deliveries / sizes.destinations);
    const producer = produce({
      url: () => urlOf(env),
      count: events,
      contacts: contactsOf(events),
      atOnce: 32,
    });
    await producer.done;
    const inFlight = () => receivers.reduce((sum, { open }) => sum + open(), 0);
    const taken = () => receivers.reduce((sum, receiver) => sum + receiver.taken.size, 0);
    await until(
      () => inFlight() >= sizes.destinations,
      5000,
      () => `only ${inFlight()} are on their way`,
    );
    await wait(200);
    const onTheirWay = inFlight();
    const pending = events * sizes.destinations - taken();
    const toldAt = performance.now();
    const ended = first.end('SIGTERM');
    let ready = '200';
    while (ready === '200' && performance.now() - toldAt < NOT_READY_WITHIN) {
      await wait(50);
      ready = await request(`${first.url}/readyz`)
        .then(({ statusCode }) => String(statusCode))
        .catch(({ code, message }: { code?: string; message: string }) => code ?? message);
    }
    const code = await ended;
    const took = performance.now() - toldAt;
    const takenBefore = taken();

    slow = false;
    const next = launch(stage, env);
    await next.listening;
    const isAllTaken = await untilTaken([producer], receivers, 60_000);
    await wait(500);
    const accounts = receivers.map(({ arrivals }) => settle([producer], arrivals));
    const repeated = accounts.reduce((sum, account) => sum + account.repeated.length, 0);
    const faults = accounts.flatMap(faultsOf);
    if (ready === '200') faults.push('It still said that it was ready');
    if (code !== 0) faults.push(`Its exit code was ${code}`);
    if (took > ENDED_WITHIN) faults.push(`It took ${seconds(took)} to end`);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (repeated) faults.push(`${repeated} deliveries were sent twice`);
    return {
      figures: {
        'pending at SIGTERM': `${pending} deliveries, ${onTheirWay} of them on their way`,
        '/readyz 0.1 s later': ready,
        'SIGTERM → exit': `${seconds(took)}, code ${code}`,
        'delivered before its end': takenBefore,
        lost: accounts.reduce((sum, account) => sum + account.lost.length, 0),
        'sent twice': repeated,
        'first attempts out of order': accounts.reduce((sum, account) => sum + account.outOfOrder.length, 0),
      },
      faults,
    };
  },
};
