import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { APP_SECRET } from '../support/test-gateway';
import { loadOn, median, quantile, type Load } from './load';
import { notificationRequest } from './notifications';
import { cpuOf, memoryOf, startProgram } from './processes';
import { type Scene } from './scene';

const ROUNDS = 5;
const ROUND = 2000;
const AT_ONCE = 64;
const STEADY_RATE = 100;
const STEADY_ROUNDS = 3;
const STEADY = 4000;
/** What was accepted is forwarded within this time, or something is wrong. */
const FORWARDED_WITHIN = 60_000;

/** Something that takes notifications and forwards them to a receiver, and what was measured of it. */
export interface Forwarder {
  name: string;
  pid: number;
  load: Load;
  /** Of each round, per second. */
  accepted: number[];
  forwarded: number[];
  /** Microseconds of CPU per event, of each round. */
  cpu: number[];
  /** Resident megabytes after each round. */
  memory: number[];
  /** Milliseconds at the steady rate, of all rounds, sorted. */
  acknowledged: number[];
  arrived: number[];
}

export const forwarder = (name: string, { url, pid }: { url: string; pid: number }): Forwarder => ({
  name,
  pid,
  load: loadOn(url, AT_ONCE),
  accepted: [],
  forwarded: [],
  cpu: [],
  memory: [],
  acknowledged: [],
  arrived: [],
});

/**
 * Notifications from upstream: recorded durably, answered, forwarded to a receiver; beside a bare forwarder, which keeps
 * them in memory only, in turn.
 */
export async function benchEvents(scene: Scene): Promise<string[]> {
  const program = await startProgram('forwarder', scene.receiver.url, APP_SECRET);
  const gateway = forwarder('gateway', scene.gateway);
  const bare = forwarder('in memory', program);
  try {
    await inTurn(scene.receiver.url, [gateway, bare]);
    return [
      `Events: ${ROUNDS} rounds of ${ROUND / 1000} s in turn, ${AT_ONCE} at once, each forwarded to one receiver; medians`,
      '',
      ...report(gateway, bare),
      '',
      'in memory: a bare program that checks the signature, answers and sends on; what it holds is lost when it ends.',
    ];
  } finally {
    await Promise.all([gateway, bare].map(({ load }) => load.end()));
    await program.end();
  }
}

/** Rounds at full speed, then at the steady rate, each time of all of them in turn. */
export async function inTurn(receiver: string, all: Forwarder[]): Promise<void> {
  for (const one of all) await fullSpeedRound(receiver, one, 'warm-up');
  for (const one of all) Object.assign(one, { accepted: [], forwarded: [], cpu: [], memory: [] });
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of all) await fullSpeedRound(receiver, one, `round-${round}`);
  }
  for (let round = 0; round < STEADY_ROUNDS; round++) {
    for (const one of all) await steadyRound(receiver, one, `steady-${round}`);
  }
}

/** Two side by side, and the first as a multiple of the second. */
export function report(one: Forwarder, other: Forwarder): string[] {
  const row = (name: string, figures: (of: Forwarder) => number, digits: number) => {
    const [first, second] = [figures(one), figures(other)];
    return [
      name.padEnd(34),
      first.toFixed(digits).padStart(12),
      second.toFixed(digits).padStart(12),
      (first / second).toFixed(2).padStart(8),
    ].join('');
  };
  const steady = `at ${STEADY_RATE}/s, ms`;
  return [
    `${''.padEnd(34)}${one.name.padStart(12)}${other.name.padStart(12)}${'ratio'.padStart(8)}`,
    row('accepted /s', ({ accepted }) => median(accepted), 0),
    row('forwarded /s', ({ forwarded }) => median(forwarded), 0),
    row('µs CPU per event', ({ cpu }) => median(cpu), 0),
    row('MB of memory', ({ memory }) => median(memory), 0),
    row(`answered ${steady}: p50`, ({ acknowledged }) => quantile(acknowledged, 0.5), 1),
    row('                  p99', ({ acknowledged }) => quantile(acknowledged, 0.99), 1),
    row(`first byte out ${steady}: p50`, ({ arrived }) => quantile(arrived, 0.5), 1),
    row('                        p99', ({ arrived }) => quantile(arrived, 0.99), 1),
  ];
}

async function fullSpeedRound(receiver: string, one: Forwarder, name: string): Promise<void> {
  await request(receiver, { method: 'DELETE' });
  const cpuBefore = cpuOf(one.pid);
  const begun = performance.now();
  const posted = await one.load.atFullSpeed(
    (index) => notificationRequest(`wamid.${one.name}-${name}-${index}`, index),
    ROUND,
    AT_ONCE,
  );
  one.accepted.push((posted * 1000) / (performance.now() - begun));
  await untilForwarded(receiver, posted);
  one.forwarded.push((posted * 1000) / (performance.now() - begun));
  one.cpu.push(((cpuOf(one.pid) - cpuBefore) * 1000) / posted);
  one.memory.push(memoryOf(one.pid));
}

/** At the steady rate nothing queues. */
export async function steadyRound(receiver: string, one: Forwarder, name: string): Promise<void> {
  await request(receiver, { method: 'DELETE' });
  const postedAt = new Map<string, number>();
  const acknowledged = await one.load.atRate(
    (index) => {
      const wamid = `wamid.${one.name}-${name}-${index}`;
      postedAt.set(wamid, Number(process.hrtime.bigint()));
      return notificationRequest(wamid, index);
    },
    STEADY_RATE,
    STEADY,
  );
  await untilForwarded(receiver, acknowledged.length);
  const arrivals = (await (await request(`${receiver}/arrivals`)).body.json()) as Record<string, number>;
  const arrived = [...postedAt].map(([wamid, at]) => ((arrivals[wamid] ?? Number.NaN) - at) / 1e6);
  one.acknowledged = sorted([...one.acknowledged, ...acknowledged]);
  one.arrived = sorted([...one.arrived, ...arrived]);
}

const sorted = (numbers: number[]): number[] => numbers.sort((one, other) => one - other);

async function untilForwarded(receiver: string, count: number): Promise<void> {
  const end = performance.now() + FORWARDED_WITHIN;
  for (;;) {
    const answer = (await (await request(receiver)).body.json()) as { count: number };
    if (answer.count >= count) return;
    if (performance.now() > end) throw new Error(`Only ${answer.count} of ${count} events were forwarded`);
    await wait(20);
  }
}
