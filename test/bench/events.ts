import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { loadOn, median, quantile, type Load } from './load';
import { notificationRequest } from './notifications';
import { cpuOf } from './processes';
import { type Scene } from './scene';

const ROUNDS = 3;
const ROUND = 3000;
const AT_ONCE = 64;
const STEADY_RATE = 100;
const STEADY = 6000;
/** What was accepted is forwarded within this time, or something is wrong. */
const FORWARDED_WITHIN = 20_000;

/** Notifications from upstream: recorded durably, answered, forwarded to a receiver. */
export async function benchEvents(scene: Scene): Promise<string[]> {
  const load = loadOn(scene.gateway.url, AT_ONCE);
  try {
    await fullSpeedRound(scene, load, 'warm-up', ROUND / 3);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await fullSpeedRound(scene, load, `round-${round}`, ROUND));
    }
    const steady = await steadyRound(scene, load);
    return [
      `Events: ${ROUNDS} rounds of ${ROUND / 1000} s, ${AT_ONCE} at once, each forwarded to one receiver; medians`,
      '',
      `accepted durably    ${median(rounds.map(({ accepted }) => accepted))
        .toFixed(0)
        .padStart(8)} /s`,
      `forwarded           ${median(rounds.map(({ forwarded }) => forwarded))
        .toFixed(0)
        .padStart(8)} /s`,
      `CPU per event       ${median(rounds.map(({ cpu }) => cpu))
        .toFixed(0)
        .padStart(8)} µs, from receipt to the end of the forwarding`,
      '',
      `At ${STEADY_RATE}/s:`,
      `acknowledgement     ${told(steady.acknowledged)}`,
      `receipt → receiver  ${told(steady.forwarded)}`,
    ];
  } finally {
    await load.end();
  }
}

const told = (sorted: number[]): string =>
  `p50 ${quantile(sorted, 0.5).toFixed(1)} ms, p99 ${quantile(sorted, 0.99).toFixed(1)} ms`;

async function fullSpeedRound({ gateway, receiver }: Scene, load: Load, name: string, milliseconds: number) {
  await request(receiver.url, { method: 'DELETE' });
  const cpuBefore = cpuOf(gateway.pid);
  const begun = performance.now();
  const posted = await load.atFullSpeed(
    (index) => notificationRequest(`wamid.${name}-${index}`, index),
    milliseconds,
    AT_ONCE,
  );
  const accepted = performance.now() - begun;
  await untilForwarded(receiver.url, posted);
  return {
    accepted: (posted * 1000) / accepted,
    forwarded: (posted * 1000) / (performance.now() - begun),
    cpu: ((cpuOf(gateway.pid) - cpuBefore) * 1000) / posted,
  };
}

async function steadyRound({ receiver }: Scene, load: Load) {
  await request(receiver.url, { method: 'DELETE' });
  const postedAt = new Map<string, number>();
  const acknowledged = await load.atRate(
    (index) => {
      const wamid = `wamid.steady-${index}`;
      postedAt.set(wamid, Number(process.hrtime.bigint()));
      return notificationRequest(wamid, index);
    },
    STEADY_RATE,
    STEADY,
  );
  await untilForwarded(receiver.url, acknowledged.length);
  const arrivals = (await (await request(`${receiver.url}/arrivals`)).body.json()) as Record<string, number>;
  const forwarded = [...postedAt].map(([wamid, at]) => ((arrivals[wamid] ?? Number.NaN) - at) / 1e6);
  return { acknowledged, forwarded: forwarded.sort((one, other) => one - other) };
}

async function untilForwarded(receiver: string, count: number): Promise<void> {
  const end = performance.now() + FORWARDED_WITHIN;
  for (;;) {
    const answer = (await (await request(receiver)).body.json()) as { count: number };
    if (answer.count >= count) return;
    if (performance.now() > end) throw new Error(`Only ${answer.count} of ${count} events were forwarded`);
    await wait(20);
  }
}
