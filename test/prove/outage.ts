import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { counted, seconds } from './account';
import { type Gateway } from './gateway';
import { type Producer } from './producer';

/** A customer who repeatedly sends requests that need the database. */
export interface Customer {
  /** Count of each answer since the last call: a status, or the code of an error. */
  told(): Map<string, number>;
  /** Time of the last 200, in milliseconds on this process's clock; null if there was none. */
  lastServedAt(): number | null;
  stop(): void;
}

const ASKS_EVERY = 200;

export function askForTemplates(url: string, token: string): Customer {
  let answers = new Map<string, number>();
  let servedAt: number | null = null;
  let stopped = false;
  const ask = async () => {
    const answer = await request(`${url}/v22.0/${PHONE_NUMBER_ID}/templates`, {
      headers: { authorization: `Bearer ${token}` },
    })
      .then(async ({ statusCode, headers, body }) => {
        await body.dump();
        if (statusCode === 200) servedAt = performance.now();
        const hasRetryAfter = headers['retry-after'] !== undefined;
        return statusCode === 503 && !hasRetryAfter ? '503 without Retry-After' : String(statusCode);
      })
      .catch((error: { code?: string; message: string }) => error.code ?? error.message);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  };
  const work = async () => {
    while (!stopped) {
      void ask();
      await wait(ASKS_EVERY);
    }
  };
  void work();
  return {
    told() {
      const told = answers;
      answers = new Map();
      return told;
    },
    lastServedAt: () => servedAt,
    stop: () => void (stopped = true),
  };
}

/** The limit of P23 for recovery after an outage, in milliseconds. */
const RECOVERED_WITHIN = 5000;

/** Milliseconds after which the proof stops waiting. */
const GIVEN_UP = 30_000;

/** The gateway's behaviour during an outage. */
export interface Outage {
  figures: Record<string, string | number>;
  faults: string[];
}

/**
 * Makes the database unavailable under load, and available again.
 * @param lasts milliseconds
 * @param isGentle whether some writes may succeed meanwhile; if not, no event may be acknowledged
 */
export async function outage({
  name,
  gateway,
  producer,
  customer,
  goAway,
  comeBack,
  lasts,
  isGentle = false,
}: {
  name: string;
  gateway: Gateway;
  producer: Producer;
  customer: Customer;
  goAway: () => unknown;
  comeBack: () => unknown;
  lasts: number;
  isGentle?: boolean;
}): Promise<Outage> {
  const faults: string[] = [];
  customer.told();
  const before = new Map(producer.refusals);
  await goAway();
  const awayAt = performance.now();
  await wait(lasts);
  // Excludes events posted before the outage, which may have been written in time.
  const wrongly = acknowledgedSince(producer, awayAt, awayAt);
  const duringAcknowledged = acknowledgedSince(producer, awayAt);
  const ready = await readiness(gateway);
  await comeBack();
  const backAt = performance.now();
  const first = await firstAfter(() => acknowledgedSince(producer, backAt) > 0, GIVEN_UP);
  const served = await firstAfter(() => (customer.lastServedAt() ?? 0) > backAt, GIVEN_UP);
  await wait(500);
  const refused = difference(producer.refusals, before);
  const asked = customer.told();

  if (wrongly && !isGentle)
    faults.push(`${name}: ${wrongly} events were acknowledged that were posted after it began`);
  for (const answer of refused.keys()) {
    // The platform repeats a notification after any 5xx. While the process runs, only these may occur.
    if (!/^50[03]$/.test(answer)) faults.push(`${name}: upstream was answered ${answer}`);
  }
  for (const answer of asked.keys()) {
    if (!/^(200|503)$/.test(answer)) faults.push(`${name}: a customer was answered ${answer}`);
  }
  if (!(first <= RECOVERED_WITHIN))
    faults.push(`${name}: upstream was acknowledged again only ${seconds(first)} after the return`);
  if (!(served <= RECOVERED_WITHIN))
    faults.push(`${name}: customers were served again only ${seconds(served)} after the return`);
  return {
    figures: {
      [`${name}: away`]: seconds(backAt - awayAt),
      [`${name}: acknowledged meanwhile`]: duringAcknowledged,
      [`${name}: upstream was answered`]: counted(refused),
      [`${name}: customers were answered`]: counted(asked),
      [`${name}: /readyz said`]: ready,
      [`${name}: return → acknowledged, served again`]: `${seconds(first)}, ${seconds(served)}`,
    },
    faults,
  };
}

/** @param postedSince counts only events first posted after this time */
function acknowledgedSince({ events }: Producer, moment: number, postedSince = -Infinity): number {
  let count = 0;
  for (const { acknowledgedAt, postedAt } of events.values())
    if ((acknowledgedAt ?? 0) > moment && postedAt > postedSince) count++;
  return count;
}

async function readiness({ url }: Gateway): Promise<string> {
  return request(`${url}/readyz`, { headersTimeout: 20_000 })
    .then(async ({ statusCode, body }) => {
      await body.dump();
      return String(statusCode);
    })
    .catch((error: { code?: string; message: string }) => error.code ?? error.message);
}

/** @returns milliseconds until it holds; Infinity if it does not in time */
async function firstAfter(holds: () => boolean, within: number): Promise<number> {
  const begun = performance.now();
  while (!holds()) {
    if (performance.now() - begun > within) return Infinity;
    await wait(20);
  }
  return performance.now() - begun;
}

function difference(
  now: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): Map<string, number> {
  return new Map(
    [...now]
      .map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}
