import { createHmac } from 'node:crypto';
import { type HttpClient } from '../../../../gateway/http/http-client';
import { OPEN_FOR } from '../../../../gateway/forwarding/queue/circuit-breaker';
import { FIRST_LIMIT, MOST_LIMIT } from '../../../../gateway/forwarding/queue/concurrency-limit';
import { signatureOf } from '../../../../gateway/cloud-api/signature';
import { WAITS } from '../../../../gateway/forwarding/retry-schedule';
import { SECOND } from '../../../../gateway/time';
import { type Owner, type VirtualTime } from './virtual-time';

/** How a receiver behaves. */
export const MANNERS = [
  'takes',
  'slow',
  'fails',
  'hangs',
  'refuses',
  'asks to wait',
  'gone',
  'wavers',
] as const;
export type Manner = (typeof MANNERS)[number];

/** How long the receiver that asks for it wants to be left alone. */
const RETRY_AFTER = 90 * SECOND;
export const EXCHANGE_TIMEOUT = 20 * SECOND;

/** A destination as the model knows it. */
export interface ModelDestination {
  id: number;
  url: string;
  manner: Manner;
  paused: boolean;
  /** Who pauses it because it is gone, as long as that is not stored: where he dies before, it is not paused. */
  pausing: Owner | null;
  removed: boolean;
  /** With which an attempt has to be signed, the oldest first, and until when (milliseconds) where it was replaced. */
  secrets: { secret: string; until: number }[];
  exchanges: Set<Exchange>;
  /** The newest event that has gone out first, by contact. */
  newest: Map<string, string>;
  requests: number;
  /** How much may be in flight: one more with each success, back to the beginning with a failure or another owner. */
  limit: number;
}

interface Exchange {
  owner: Owner;
  key: string;
  /** Of this process' breaker, when it began: open, so that a failure must use up no attempt. */
  isProbe: boolean;
}

/** What the model knows of one delivery. */
interface ModelDelivery {
  attempts: number;
  attemptsBefore: number;
  dueAt: number;
  started: boolean;
  taken: number;
  /** Attempts that may be made once more, because a process died before it had recorded them. */
  unrecorded: number;
  replays: number;
}

/** What a process was last seen to know of a destination: that its breaker is open, and since when. */
interface SeenBreaker {
  openedAt: number;
}

/** An attempt that has been answered, and is not recorded yet. */
interface Judged {
  isProbe: boolean;
  failed: boolean;
  /** Who has not asked the database yet to record it; null once it was asked. */
  knownTo: Owner | null;
}

/** The receivers of a model run: they answer as told, and note whatever must not happen. */
export function modelReceivers(time: VirtualTime) {
  const destinations: ModelDestination[] = [];
  const deliveries = new Map<string, ModelDelivery>();
  const breakers = new Map<Owner, Map<number, SeenBreaker>>();
  const violations: string[] = [];
  const exchanges = new Map<string, Exchange>();
  const judged = new Map<string, Judged>();
  const counts = { requests: 0, delivered: 0, failed: 0, probes: 0, mostInFlight: 0 };

  const keyOf = (destinationId: number, eventId: string) => `${destinationId} ${eventId}`;

  function deliveryOf(key: string): ModelDelivery {
    const known = deliveries.get(key);
    if (known) return known;
    const fresh = {
      attempts: 0,
      attemptsBefore: 0,
      dueAt: 0,
      started: false,
      taken: 0,
      unrecorded: 0,
      replays: 0,
    };
    deliveries.set(key, fresh);
    return fresh;
  }

  const breakersOf = (owner: Owner): Map<number, SeenBreaker> => {
    const known = breakers.get(owner) ?? new Map<number, SeenBreaker>();
    breakers.set(owner, known);
    return known;
  };

  function begins(
    owner: Owner,
    to: ModelDestination,
    headers: Record<string, string>,
    body: string,
  ): Exchange {
    const eventId = headers['webhook-id'] ?? '';
    const key = keyOf(to.id, eventId);
    const delivery = deliveryOf(key);
    const breaker = breakersOf(owner).get(to.id);
    const must = (holds: boolean, sentence: string): void => {
      if (!holds) violations.push(`${sentence} (${key}, attempt ${headers['x-gateway-attempt']})`);
    };
    must(!to.paused, 'went to a destination that is paused');
    must(!to.removed, 'went to a destination that was removed');
    must(!exchanges.has(key), 'went out twice at once');
    must(to.exchanges.size < to.limit, 'is one too many in flight');
    must(time.now() + 1 >= delivery.dueAt, `is ${delivery.dueAt - time.now()} ms too early`);
    must(
      Number(headers['x-gateway-attempt']) === delivery.attempts + 1,
      `is not numbered after the ${delivery.attempts} that are recorded`,
    );
    must(delivery.attempts - delivery.attemptsBefore <= WAITS.length, 'is one attempt too many');
    checkSignatures(must, to, headers, body);
    const isProbe = breaker !== undefined;
    if (breaker) {
      counts.probes++;
      must(time.now() >= breaker.openedAt + (OPEN_FOR[0] ?? 0), 'went out while the breaker was open');
      must(
        ![...to.exchanges].some((other) => other.owner === owner && other.isProbe),
        'went out beside a probe',
      );
    }
    if (!delivery.started) {
      const contact = contactOf(body);
      must((to.newest.get(contact) ?? '') < eventId, 'went out first after a younger one of its contact');
      to.newest.set(contact, eventId);
    }
    delivery.started = true;
    const exchange = { owner, key, isProbe };
    exchanges.set(key, exchange);
    to.exchanges.add(exchange);
    to.requests++;
    counts.requests++;
    counts.mostInFlight = Math.max(counts.mostInFlight, to.exchanges.size);
    return exchange;
  }

  function checkSignatures(
    must: (holds: boolean, sentence: string) => void,
    { secrets }: ModelDestination,
    headers: Record<string, string>,
    body: string,
  ): void {
    const seconds = headers['webhook-timestamp'] ?? '';
    const expected = secrets
      .filter(({ until }) => time.now() < until)
      .map(({ secret }) =>
        createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
          .update(`${headers['webhook-id']}.${seconds}.${body}`)
          .digest('base64'),
      );
    const given = (headers['webhook-signature'] ?? '').split(' ').map((one) => one.replace('v1,', ''));
    must(
      given.length === expected.length && expected.every((one) => given.includes(one)),
      'is not signed with just the secrets that count',
    );
    const forUpstreamClients = secrets.find(({ until }) => time.now() < until)?.secret ?? '';
    must(
      headers['x-hub-signature-256'] === signatureOf(Buffer.from(body), forUpstreamClients),
      'is not signed for clients of upstream',
    );
    must(Math.abs(Number(seconds) * SECOND - time.now()) <= SECOND, 'is dated otherwise');
  }

  function ends(to: ModelDestination, exchange: Exchange, isTaken: boolean): void {
    exchanges.delete(exchange.key);
    to.exchanges.delete(exchange);
    judged.set(exchange.key, { isProbe: exchange.isProbe, failed: !isTaken, knownTo: exchange.owner });
    counts[isTaken ? 'delivered' : 'failed']++;
    to.limit = isTaken ? Math.min(to.limit + 1, MOST_LIMIT) : Math.min(to.limit, FIRST_LIMIT);
    if (!isTaken) return;
    deliveryOf(exchange.key).taken++;
    breakersOf(exchange.owner).delete(to.id);
  }

  async function answer(to: ModelDestination, began: ModelDestination['manner']) {
    const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const said = (status: number, headers: Record<string, string> = {}) => ({
      status,
      headers,
      data: Buffer.from('said'),
    });
    switch (began) {
      case 'takes':
        return said(204);
      case 'slow':
        await wait(3 * SECOND);
        return said(200);
      case 'fails':
        return said(503);
      case 'wavers':
        await wait(40);
        return said(to.requests % 3 ? 404 : 200);
      case 'asks to wait':
        return said(429, { 'retry-after': String(RETRY_AFTER / SECOND) });
      case 'gone':
        return said(410);
      case 'refuses':
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      case 'hangs':
        await wait(EXCHANGE_TIMEOUT);
        throw Object.assign(new Error('The time is up'), { name: 'TimeoutError' });
    }
  }

  return {
    destinations,
    deliveries,
    deliveryOf,
    keyOf,
    violations,
    counts,

    /** Takes the place of the HTTP client of one process. */
    client: (owner: Owner): HttpClient =>
      ({
        exchange: async (asked: { url: string; body: Buffer; headers: Record<string, string> }) => {
          // It may have died in this very turn.
          if (owner.dead) return new Promise<never>(() => undefined);
          const to = destinations.find(({ url }) => url === asked.url);
          if (!to) throw new Error(`Nobody is at ${asked.url}`);
          const exchange = begins(owner, to, asked.headers, asked.body.toString('utf8'));
          try {
            const given = await answer(to, to.manner);
            const isTaken = given.status < 300;
            if (!owner.dead) ends(to, exchange, isTaken);
            if (given.status === 410 && !owner.dead && !to.paused) [to.paused, to.pausing] = [true, owner];
            return given;
          } catch (error) {
            if (!owner.dead) ends(to, exchange, false);
            throw error;
          }
        },
        close: () => Promise.resolve(),
      }) as unknown as HttpClient,

    /** An attempt was recorded, by whomever. */
    recorded(attempt: {
      destination_id: number;
      event_id: string;
      number: number;
      due_at: string;
      started_at: string;
      duration_ms: number;
      state: string;
      outcome: string;
    }): void {
      const key = keyOf(attempt.destination_id, attempt.event_id);
      const delivery = deliveryOf(key);
      const must = (holds: boolean, sentence: string): void => {
        if (!holds) violations.push(`${sentence} (${key}, attempt ${attempt.number})`);
      };
      const last = judged.get(key);
      judged.delete(key);
      must(!(last?.isProbe && last.failed), 'used up an attempt while the breaker was open');
      must(attempt.number === delivery.attempts + 1, 'is recorded with a gap, or twice');
      delivery.attempts = attempt.number;
      delivery.dueAt = attempt.state === 'pending' ? Date.parse(attempt.due_at) : 0;
      if (attempt.state !== 'pending') return;
      const finishedAt = Date.parse(attempt.started_at) + attempt.duration_ms;
      const tried = attempt.number - delivery.attemptsBefore;
      const wait = WAITS[tried - 1] ?? 0;
      const longest = tried < 3 ? wait : 1.2 * wait;
      const waits = delivery.dueAt - finishedAt;
      must(waits >= 0.8 * wait - 1 && waits <= Math.max(longest, RETRY_AFTER) + 1, `waits for ${waits} ms`);
    },

    /** A process has said that the breaker of a destination has opened. */
    opened(owner: Owner, destinationId: number): void {
      breakersOf(owner).set(destinationId, { openedAt: time.now() });
    },

    pauseStored(destinationId: number): void {
      const to = destinations.find(({ id }) => id === destinationId);
      if (to) [to.paused, to.pausing] = [true, null];
    },

    /** Whoever is paused begins anew, so that nothing is known of its breaker any more. */
    forget: (destinationId: number): void => breakers.forEach((known) => known.delete(destinationId)),

    /** The database is asked to record an attempt: nobody's death keeps it from that any more. */
    asked(destinationId: number, eventId: string): void {
      const answered = judged.get(keyOf(destinationId, eventId));
      if (answered) answered.knownTo = null;
    },

    /** What was on its way from there comes to nobody, and what it alone knew to be answered: both may come again. */
    died(owner: Owner): void {
      breakers.delete(owner);
      for (const to of destinations) {
        to.limit = Math.min(to.limit, FIRST_LIMIT);
        if (to.pausing === owner) [to.paused, to.pausing] = [false, null];
        for (const exchange of to.exchanges) {
          if (exchange.owner !== owner) continue;
          to.exchanges.delete(exchange);
          exchanges.delete(exchange.key);
          deliveryOf(exchange.key).unrecorded++;
        }
      }
      for (const [key, { knownTo, failed }] of judged) {
        if (knownTo !== owner) continue;
        judged.delete(key);
        if (!failed) deliveryOf(key).unrecorded++;
      }
    },
  };
}

const contactOf = (body: string): string => {
  const { entry } = JSON.parse(body) as {
    entry: { changes: { value: { messages: { from: string }[] } }[] }[];
  };
  return entry[0]?.changes[0]?.value.messages[0]?.from ?? '';
};
