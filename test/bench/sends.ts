import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { loadOn, median, quantile, type Load, type Request } from './load';
import { contactOf, everybodyWrites } from './notifications';
import { cpuOf, startProgram } from './processes';
import { type Scene } from './scene';

const ROUNDS = 5;
const ROUND = 2000;
const AT_ONCE = 32;
/** At this steady rate nothing queues, so that what is added to a direct call is the work of one request alone. */
const STEADY_RATE = 200;
const STEADY_ROUNDS = 3;

interface Target {
  name: string;
  pid: number;
  request: (index: number) => Request;
  load: Load;
  /** Of each round. */
  rates: number[];
  /** Microseconds of CPU per request, of each round. */
  cpu: number[];
  /** Median milliseconds at the steady rate, of each round. */
  latencies: number[];
}

/** Sends through the gateway, without limits and with them, through a bare pass-through and straight to upstream, in turn. */
export async function benchSends(scene: Scene): Promise<string[]> {
  const passThrough = await startProgram('pass-through', scene.upstream.url);
  const target = (name: string, { url, pid }: { url: string; pid: number }, token = scene.token): Target => {
    const request = textOf(token);
    return { name, pid, request, load: loadOn(url, AT_ONCE), rates: [], cpu: [], latencies: [] };
  };
  const gateway = target('gateway', scene.gateway);
  const limited = target('with limits', scene.limited.gateway, scene.limited.token);
  const bare = target('pass-through', passThrough);
  const direct = target('direct', scene.upstream);
  try {
    for (const one of [gateway, limited]) await one.load.post(everybodyWrites());
    const atFullSpeed = [gateway, limited, bare];
    for (const one of atFullSpeed) await one.load.atFullSpeed(one.request, ROUND, AT_ONCE); // warms up
    for (let round = 0; round < ROUNDS; round++) {
      for (const one of atFullSpeed) await fullSpeedRound(one);
    }
    for (let round = 0; round < STEADY_ROUNDS; round++) {
      for (const one of [direct, gateway, limited, bare]) {
        one.latencies.push(quantile(await one.load.atRate(one.request, STEADY_RATE, ROUND), 0.5));
      }
    }
  } finally {
    await Promise.all([gateway, limited, bare, direct].map(({ load }) => load.end()));
    await passThrough.end();
  }
  return report(gateway, limited, bare, direct);
}

export const textOf =
  (token: string) =>
  (index: number): Request => ({
    path: `/v22.0/${PHONE_NUMBER_ID}/messages`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: contactOf(index),
      type: 'text',
      text: { preview_url: false, body: 'Your order has been shipped and arrives on Tuesday.' },
    }),
  });

async function fullSpeedRound(target: Target): Promise<void> {
  const cpuBefore = cpuOf(target.pid);
  const begun = performance.now();
  const sent = await target.load.atFullSpeed(target.request, ROUND, AT_ONCE);
  target.rates.push((sent * 1000) / (performance.now() - begun));
  target.cpu.push(((cpuOf(target.pid) - cpuBefore) * 1000) / sent);
}

function report(gateway: Target, limited: Target, bare: Target, direct: Target): string[] {
  const row = ({ name, rates, cpu, latencies }: Target) =>
    [
      name.padEnd(14),
      (rates.length ? median(rates).toFixed(0) : '').padStart(10),
      (cpu.length ? median(cpu).toFixed(0) : '').padStart(16),
      median(latencies).toFixed(2).padStart(20),
    ].join('');
  const ratio = (one: Target, other: Target) =>
    `requests/s ${(median(one.rates) / median(other.rates)).toFixed(2)}, CPU ${(median(one.cpu) / median(other.cpu)).toFixed(2)}`;
  const added = median(gateway.latencies) - median(direct.latencies);
  return [
    `Sends: ${ROUNDS} rounds of ${ROUND / 1000} s in turn, ${AT_ONCE} at once; medians`,
    '',
    `${''.padEnd(14)}${'requests/s'.padStart(10)}${'µs CPU/request'.padStart(16)}${`p50 ms at ${STEADY_RATE}/s`.padStart(20)}`,
    ...[gateway, limited, bare, direct].map(row),
    '',
    `gateway ÷ pass-through: ${ratio(gateway, bare)}`,
    `with limits ÷ gateway: ${ratio(limited, gateway)}`,
    `added by the gateway to a direct call: ${added.toFixed(2)} ms`,
  ];
}
