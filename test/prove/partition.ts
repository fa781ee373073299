import { setTimeout as wait } from 'node:timers/promises';
import { rows } from '../support/rows';
import { createDatabase, postgresServer } from '../support/postgres';
import { join } from 'node:path';
import { counted, faultsOf, seconds, settle, untilTaken } from './account';
import { addDestination, launchWithLine, urlOf } from './gateway';
import { openNetwork } from './network';
import { outage } from './outage';
import { contactsOf, produce } from './producer';
import { type Proof, type Report } from './proof';
import { startReceiver } from './receiver';
import { startUpstream } from './upstream';
import { setUnderLoad } from './under-load';

/** The longest connection attempt (P6), with a margin for a busy machine, in milliseconds. */
const CONNECT_WITHIN = 5000 + 1500;
/** The longest exchange (P6), with the same margin: for requests on open connections when the link is cut. */
const EXCHANGE_WITHIN = 20_000 + 1500;

export const databasePartition: Proof<{ seconds: number; rate: number }> = {
  name: 'database-partition',
  proves:
    'while packets to PostgreSQL vanish there is 503 and nothing worse; all goes on within 5 s once they pass again (P23)',
  on: ['PostgreSQL'],
  sizes: { seconds: 60, rate: 50 },

  async run(stage) {
    const network = openNetwork(stage);
    const server = await postgresServer({ folder: join(stage.folder, 'postgres') });
    await server.start();
    stage.atEnd(server.stop);
    const own = new URL(await createDatabase(server.url));
    own.port = String(await network.door(`/tmp/.s.PGSQL.${own.port}`));
    own.hostname = network.address;
    const load = await setUnderLoad({ ...stage, databaseUrl: own.href }, stage.sizes.rate);
    await wait(2000);
    const cut = await outage({
      name: 'cut',
      ...load,
      goAway: network.cut,
      comeBack: network.heal,
      lasts: stage.sizes.seconds * 1000,
    });
    await wait(3000);
    const { figures, faults } = await load.finish();
    return { figures: { ...figures, ...cut.figures }, faults: [...cut.faults, ...faults] };
  },
};

export const destinationPartition: Proof<{ seconds: number; rate: number }> = {
  name: 'destination-partition',
  proves:
    'a destination that becomes a black hole delays no other, is given up after 5 s of connecting, and gets everything once it is back (P6, P8)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 60, rate: 20 },

  async run(stage): Promise<Report> {
    const network = openNetwork(stage);
    const far = await startReceiver(() => 200, join(stage.folder, 'far.sock'));
    const near = await startReceiver();
    stage.atEnd(far.close);
    stage.atEnd(near.close);
    const port = await network.door(far.url);
    const { env, token, gateway } = await launchWithLine(
      stage,
      ['--forward-url', `http://${network.address}:${port}/hook`],
      { GATEWAY_ALLOW_DESTINATIONS: `127.0.0.0/8, ${network.address}` },
    );
    await addDestination(env, token, `${near.url}/hook`);
    const producer = produce({
      url: () => urlOf(env),
      count: Infinity,
      contacts: contactsOf(100),
      atOnce: 16,
      rate: stage.sizes.rate,
    });
    stage.atEnd(producer.stop);
    await wait(3000);
    network.cut();
    await wait(stage.sizes.seconds * 1000);
    network.heal();
    const healedAt = performance.now();
    await wait(2000);
    producer.stop();
    await producer.done;
    // Long enough for a new wait of the circuit breaker.
    const isAllTaken = await untilTaken([producer], [far, near], 330_000);
    const caughtUp = performance.now() - healedAt;
    await gateway.end();
    const attempts = await rows(
      stage.databaseUrl,
      `select outcome, max(duration_ms) as longest, count(*) as count from attempts group by outcome order by outcome`,
    );
    const longest = Number(attempts.find(({ outcome }) => outcome === 'timeout')?.longest ?? 0);
    const toNear = settle([producer], near.arrivals);
    const toFar = settle([producer], far.arrivals);
    // Requests in flight when the link was cut arrive after later ones once it is restored, so their order is
    // not checked.
    const faults = [...faultsOf(toNear), ...faultsOf({ ...toFar, outOfOrder: [] })];
    const nearTook = near.arrivals.map(
      ({ wamid, at }) => at - (producer.events.get(wamid)?.acknowledgedAt ?? at),
    );
    const slowest = Math.max(...nearTook);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (toNear.repeated.length) faults.push(`${toNear.repeated.length} events were repeated to the near one`);
    if (longest > EXCHANGE_WITHIN) faults.push(`An attempt lasted ${seconds(longest)}`);
    if (slowest > 5000) faults.push(`The near destination waited ${seconds(slowest)} for an event`);
    return {
      figures: {
        'events acknowledged': toNear.acknowledged,
        'upstream was refused': counted(producer.refusals),
        lost: `${toNear.lost.length} near, ${toFar.lost.length} far`,
        repeated: `${toNear.repeated.length} near, ${toFar.repeated.length} far`,
        'first attempts out of order': toNear.outOfOrder.length + toFar.outOfOrder.length,
        attempts: attempts.map(({ outcome, count }) => `${outcome}: ${count}`).join(', '),
        'longest attempt that timed out': seconds(longest),
        'near destination: slowest after its acknowledgement': seconds(slowest),
        'healed → all delivered': seconds(caughtUp),
      },
      faults,
    };
  },
};

export const blackHole: Proof<{ events: number }> = {
  name: 'black-hole',
  proves: 'an attempt at an address that never answers ends after 5 s of connecting (P6)',
  on: ['SQLite'],
  sizes: { events: 5 },

  async run(stage): Promise<Report> {
    const network = openNetwork(stage);
    const { env } = await launchWithLine(stage, ['--forward-url', `http://${network.nowhere}:8080/hook`], {
      GATEWAY_ALLOW_DESTINATIONS: network.nowhere,
    });
    const producer = produce({
      url: () => urlOf(env),
      count: stage.sizes.events,
      contacts: contactsOf(stage.sizes.events),
      atOnce: stage.sizes.events,
    });
    await producer.done;
    await wait(CONNECT_WITHIN + 500);
    const attempts = await rows(stage.databaseUrl, 'select outcome, duration_ms from attempts');
    const longest = Math.max(...attempts.map(({ duration_ms: took }) => Number(took)));
    const faults: string[] = [];
    if (attempts.length < stage.sizes.events)
      faults.push(`Only ${attempts.length} of ${stage.sizes.events} attempts had ended`);
    if (attempts.some(({ outcome }) => outcome !== 'timeout')) faults.push('An attempt ended otherwise');
    if (longest > CONNECT_WITHIN) faults.push(`An attempt lasted ${seconds(longest)}`);
    return { figures: { attempts: attempts.length, 'longest attempt': seconds(longest) }, faults };
  },
};

export const upstreamPartition: Proof<{ seconds: number; rate: number }> = {
  name: 'upstream-partition',
  proves:
    'while packets to upstream vanish, sends fail in words, none reaches it twice, and they pass again within 5 s of its return (P16)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 60, rate: 10 },

  async run(stage): Promise<Report> {
    const network = openNetwork(stage);
    const upstream = await startUpstream(join(stage.folder, 'upstream.sock'));
    stage.atEnd(upstream.close);
    const port = await network.door(upstream.url);
    const { env, token } = await launchWithLine(stage, ['--window', 'upstream'], {
      GATEWAY_UPSTREAM_URL: `http://${network.address}:${port}`,
    });
    const sends = upstream.sendSteadily(urlOf(env), token, stage.sizes.rate);
    stage.atEnd(sends.stop);
    await wait(3000);
    network.cut();
    await wait(stage.sizes.seconds * 1000);
    network.heal();
    const healedAt = performance.now();
    while (!(sends.lastAcceptedAt() > healedAt) && performance.now() - healedAt < 60_000) await wait(20);
    const recovered = performance.now() - healedAt;
    await wait(2000);
    sends.stop();
    await sends.done;
    const twice = [...upstream.received].filter(([, count]) => count > 1).length;
    const unknown = sends.accepted.filter((text) => !upstream.received.has(text)).length;
    const faults: string[] = [];
    if (twice) faults.push(`${twice} messages reached upstream more than once`);
    if (unknown) faults.push(`${unknown} sends were answered 200 and never reached upstream`);
    for (const answer of sends.refusals.keys())
      if (!/^50[234]$/.test(answer)) faults.push(`A customer was answered ${answer}`);
    if (recovered > 5000) faults.push(`The first send passed ${seconds(recovered)} after the return`);
    return {
      figures: {
        'sends answered 200': sends.accepted.length,
        'refused meanwhile': counted(sends.refusals),
        'messages at upstream': upstream.received.size,
        'there more than once': twice,
        'return → first send passed': seconds(recovered),
      },
      faults,
    };
  },
};
