import { setTimeout as wait } from 'node:timers/promises';
import { isoTime, SECOND } from '../../gateway/time';
import { WAITS } from '../../gateway/forwarding/retry-schedule';
import { HOSTILE_RECEIVERS, openReceiver } from '../support/hostile-receivers';
import { startPeer } from '../support/http-peer';
import { rows } from '../support/rows';
import { launch, settingsOf, urlOf } from './gateway';
import { addLines, type PlacedLine } from './lines';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';

/** The limit of one exchange, and the tolerance for a busy machine, in milliseconds. */
const EXCHANGE = 20 * SECOND;
const SLACK = 5 * SECOND;
const LONGEST_RETRY_AFTER = 24 * 3600 * SECOND;

/** Memory growth allowed for the process, in MB. */
const MOST_MEMORY = 250;

interface AttemptRow {
  destination_id: number;
  event_id: string;
  number: number;
  outcome: string;
  http_status: number | null;
  duration_ms: number;
  started_at: string;
  size: number;
}

export const hostileReceivers: Proof<{ seconds: number; rate: number; healthy: number }> = {
  name: 'hostile-receivers',
  proves:
    'whatever a receiver does, an attempt there ends within its time and memory, is recorded for what it was, tried again on schedule, and harms no other (P6, P7, P9)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 60, rate: 2, healthy: 3 },

  async run(stage) {
    const { seconds, rate, healthy } = stage.sizes;
    const faults: string[] = [];
    const env = await settingsOf(stage);
    // Uses the database directly, because there are more destinations than a token may register.
    const lines = await addLines(env, [[], []]);
    const gateway = launch(stage, env);
    await gateway.listening;

    const elsewhere = await startPeer();
    stage.atEnd(elsewhere.close);
    const add = async (url: string, { phoneNumberId, token }: PlacedLine): Promise<number> => {
      const given = await fetch(`${urlOf(env)}/v22.0/${phoneNumberId}/destinations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url, events: ['messages'] }),
      });
      const { id } = (await given.json()) as { id?: number };
      if (given.status !== 201 || !id) throw new Error(`A destination is answered ${given.status}`);
      return id;
    };
    /** Arrival time of each event at each healthy receiver, by message ID. */
    const good: Map<string, number>[] = [];
    for (let number = 0; number < healthy; number++) {
      const arrivals = new Map<string, number>();
      const receiver = await startPeer(({ method, body }) => {
        const wamid = /"id":"(wamid[^"]*)"/.exec(body)?.[1];
        if (method === 'POST' && wamid && !arrivals.has(wamid)) arrivals.set(wamid, performance.now());
      });
      stage.atEnd(receiver.close);
      for (const line of lines) await add(receiver.url, line);
      good.push(arrivals);
    }
    // Saving a destination sends the challenge, which is its first exchange.
    const hostile = await Promise.all(
      HOSTILE_RECEIVERS.map(async (receiver, index) => {
        const open = await openReceiver(receiver, elsewhere.url);
        stage.atEnd(open.close);
        const line = lines[index % lines.length] as PlacedLine;
        return { ...receiver, open, id: await add(open.url, line) };
      }),
    );
    elsewhere.received.length = 0;

    const before = gateway.memory();
    let mostMemory = before;
    const watch = setInterval(() => (mostMemory = Math.max(mostMemory, gateway.memory())), 250);
    stage.atEnd(() => clearInterval(watch));
    stage.tell(`${hostile.length} hostile receivers beside ${good.length} healthy ones`);
    const producers = lines.map(({ phoneNumberId }) =>
      produce({
        url: () => urlOf(env),
        count: seconds * rate,
        contacts: contactsOf(seconds * rate),
        atOnce: 8,
        rate,
        name: phoneNumberId,
        phoneNumberId,
      }),
    );
    await Promise.all(producers.map(({ done }) => done));
    // Waits for the last exchanges to end.
    await wait(EXCHANGE + SLACK);

    const events = new Map(producers.flatMap((producer) => [...producer.events]));
    const took = good.flatMap((arrivals) =>
      [...arrivals].map(([wamid, at]) => at - (events.get(wamid)?.postedAt ?? 0)),
    );
    took.sort((one, other) => one - other);
    const p99 = took[Math.floor(took.length * 0.99)] ?? Number.NaN;
    if (good.some((arrivals) => arrivals.size !== producers.flatMap((one) => one.acknowledged()).length))
      faults.push('A healthy receiver did not get all of its events');
    if (!(p99 <= SECOND)) faults.push(`A healthy receiver waited ${p99.toFixed(0)} ms (p99)`);
    if (elsewhere.received.length) faults.push(`${elsewhere.received.length} were led elsewhere`);
    if (mostMemory - before > MOST_MEMORY)
      faults.push(`Memory grew by ${(mostMemory - before).toFixed(0)} MB`);

    const attempts = (await rows(
      stage.databaseUrl,
      'select destination_id, event_id, number, outcome, http_status, duration_ms, started_at, length(answer) as size from attempts order by destination_id, event_id, number',
    )) as unknown as AttemptRow[];
    const pending = (await rows(
      stage.databaseUrl,
      "select destination_id, event_id, attempts, due_at from deliveries where state = 'pending' and attempts > 0",
    )) as unknown as { destination_id: number; event_id: string; attempts: number; due_at: string }[];
    const paused = await rows(stage.databaseUrl, 'select id from destinations where paused_at is not null');
    const longest = Math.max(...attempts.map(({ duration_ms: one }) => Number(one)));
    if (longest > EXCHANGE + SLACK) faults.push(`An attempt took ${longest} ms`);

    for (const { id, does, outcome, httpStatus, retryAfter } of hostile) {
      const own = attempts.filter(({ destination_id: of }) => Number(of) === id);
      const others = own.filter((one) => one.outcome !== outcome || one.http_status !== httpStatus);
      if (!own.length) faults.push(`One that ${does} was never tried`);
      for (const one of others.slice(0, 2))
        faults.push(`One that ${does} is recorded as ${one.outcome} ${one.http_status ?? ''}`);
      if (own.some(({ size }) => Number(size) > 16 * 1024))
        faults.push(`Of one that ${does} too much is kept`);
      if (paused.some((row) => Number(row.id) === id) !== (httpStatus === 410))
        faults.push(`One that ${does} is ${httpStatus === 410 ? 'not ' : ''}paused`);
      // The next attempt follows the schedule, or is later if the receiver asks for it.
      for (const waiting of pending.filter(({ destination_id: of }) => Number(of) === id)) {
        const last = own.findLast(({ event_id: of }) => of === waiting.event_id);
        if (!last) continue;
        const wait_ = WAITS[Number(last.number) - 1] ?? 0;
        const ended = Date.parse(last.started_at) + Number(last.duration_ms);
        const asked = Math.min((retryAfter ?? 0) * SECOND, LONGEST_RETRY_AFTER);
        if (Date.parse(waiting.due_at) < ended + Math.max(0.8 * wait_, asked) - 2)
          faults.push(`One that ${does} is tried again at ${waiting.due_at}, after ${isoTime(ended)}`);
      }
    }
    const after = await fetch(`${urlOf(env)}/healthz`);
    if (after.status !== 200) faults.push(`It is answered ${after.status} in the end`);
    return {
      figures: {
        'hostile receivers': hostile.length,
        'healthy receivers': good.length,
        events: events.size,
        'attempts at the hostile ones': attempts.length,
        'longest attempt, ms': longest,
        'to a healthy one p50, ms': (took[Math.floor(took.length / 2)] ?? Number.NaN).toFixed(1),
        'to a healthy one p99, ms': p99.toFixed(1),
        'memory before, MB': before.toFixed(0),
        'memory at most, MB': mostMemory.toFixed(0),
      },
      faults,
    };
  },
};
