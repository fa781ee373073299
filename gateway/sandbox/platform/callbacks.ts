/**
 * Sends notifications to the subscribed callback like the platform: signed over the exact bytes, in order per
 * line, and retried with growing waits until the receiver answers 200.
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 */
import { createHmac, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { upstreamJson } from './json';
import { type SandboxLog } from './log';
import { type AccountNotification } from './notifications';

/** The URL of notifications, the key of their signature, and the verify token. */
export interface WebhookTarget {
  url: string;
  appSecret: string;
  verifyToken: string;
}

/** Where the notifications of a line or business account go. */
export interface CallbackRules {
  /** Whether the app receives the notifications of this business account. */
  isSubscribed(wabaId: string): boolean;
  /** The URL of a line that replaces the app's callback. */
  overrideOf(line: string): string | undefined;
}

export type Subscription = { verified: true } | { verified: false; reason: string };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/**
 * Waits between tries; the last one repeats. The platform retries "immediately, then with decreasing
 * frequency".
 */
export const CALLBACK_WAITS = [
  0.5 * SECOND,
  1 * SECOND,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  30 * SECOND,
  1 * MINUTE,
  2 * MINUTE,
  5 * MINUTE,
];

/** The platform stops retrying after seven days. */
const GIVE_UP_AFTER = 7 * DAY;

const CONNECT_WITHIN = 5 * SECOND;
const ANSWER_WITHIN = 20 * SECOND;
const ANSWER_MOST = 16 * 1024;

interface Waiting {
  body: Buffer;
  since: number;
  /** Called when the notification is accepted or given up. */
  done: () => void;
}

export class Callbacks {
  private readonly agent = new Agent({
    connect: { timeout: CONNECT_WITHIN },
    maxResponseSize: ANSWER_MOST,
  });
  /** Waiting notifications per line, oldest first. A line in this map is being drained. */
  private readonly queues = new Map<string, Waiting[]>();
  private wake = new AbortController();
  private isClosed = false;

  constructor(
    private callback: WebhookTarget | undefined,
    private readonly waits: readonly number[],
    private readonly log: SandboxLog,
    private readonly rules?: CallbackRules,
  ) {}

  /** The URL of the app's callback. */
  get url(): string | undefined {
    return this.callback?.url;
  }

  /**
   * Performs the handshake of the platform's dashboard: the receiver must know the verify token and echo the
   * challenge. Only then does the callback replace the previous one.
   * https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests
   */
  async subscribe(callback: WebhookTarget | undefined = this.callback): Promise<Subscription> {
    if (!callback) return { verified: false, reason: 'No callback is configured.' };
    const reason = await this.handshake(callback.url, callback.verifyToken);
    if (reason !== undefined) {
      this.log.warn({ url: callback.url, reason }, 'sandbox callback not verified');
      return { verified: false, reason };
    }
    this.log.info({ url: callback.url }, 'sandbox callback verified');
    this.callback = callback;
    this.wake.abort();
    this.wake = new AbortController();
    return { verified: true };
  }

  /**
   * Sends the notification after the earlier ones of the same queue. Resolves when it is accepted or dropped.
   * @param line the queue: a line or a business account
   */
  send(line: string, notification: AccountNotification): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    if (this.rules && !this.rules.isSubscribed(notification.entry[0].id)) return Promise.resolve();
    if (!this.callback) {
      this.log.warn({ line }, 'sandbox notification dropped: no callback is subscribed');
      return Promise.resolve();
    }
    return new Promise((done) => {
      const waiting = { body: Buffer.from(upstreamJson(notification)), since: Date.now(), done };
      const queue = this.queues.get(line);
      if (queue) {
        queue.push(waiting);
        return;
      }
      this.queues.set(line, [waiting]);
      void this.drain(line);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.wake.abort();
    for (const queue of this.queues.values()) queue.forEach(({ done }) => done());
    await this.agent.destroy();
  }

  /**
   * Posts the first notification until it is accepted, waiting after each failure, then continues with the
   * next. Ends when the queue is empty.
   */
  private async drain(line: string): Promise<void> {
    const queue = this.queues.get(line) ?? [];
    let failures = 0;
    for (let first = queue[0]; first && !this.isClosed; first = queue[0]) {
      const fault = await this.post(this.rules?.overrideOf(line), first.body);
      if (this.isClosed) return;
      if (fault === undefined) {
        queue.shift()?.done();
        failures = 0;
        continue;
      }
      if (Date.now() - first.since > GIVE_UP_AFTER) {
        queue.shift()?.done();
        this.log.error({ line, fault }, 'sandbox notification given up');
        continue;
      }
      const wait = this.waits[failures] ?? this.waits.at(-1) ?? 0;
      failures += 1;
      this.log.warn({ line, fault, failures, retry_in_ms: wait }, 'sandbox notification not accepted');
      await this.rest(wait);
    }
    this.queues.delete(line);
  }

  /** Waits; ends early when a callback is subscribed or the sandbox closes. */
  private async rest(wait: number): Promise<void> {
    await sleep(wait, undefined, { signal: this.wake.signal }).catch(() => undefined);
  }

  /** Returns the error as text; undefined if the receiver accepted the notification. */
  private async post(override: string | undefined, body: Buffer): Promise<string | undefined> {
    const callback = this.callback;
    if (!callback) return 'no callback is subscribed';
    const signature = createHmac('sha256', callback.appSecret).update(body).digest('hex');
    try {
      const answer = await request(override ?? callback.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'messaging-gateway-sandbox',
          'x-hub-signature-256': `sha256=${signature}`,
        },
        body,
        signal: AbortSignal.timeout(ANSWER_WITHIN),
        dispatcher: this.agent,
      });
      await answer.body.dump();
      return answer.statusCode === 200 ? undefined : `answered ${answer.statusCode}`;
    } catch (failure) {
      return wordsOf(failure);
    }
  }

  /** Returns why the receiver does not pass the platform's handshake; undefined if it passes. */
  async handshake(callbackUrl: string, verifyToken: string): Promise<string | undefined> {
    const challenge = String(randomInt(1_000_000_000, 2_000_000_000));
    try {
      const url = new URL(callbackUrl);
      url.searchParams.set('hub.mode', 'subscribe');
      url.searchParams.set('hub.verify_token', verifyToken);
      url.searchParams.set('hub.challenge', challenge);
      const answer = await request(url, {
        signal: AbortSignal.timeout(ANSWER_WITHIN),
        dispatcher: this.agent,
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) return `The callback answered ${answer.statusCode} to the handshake.`;
      return text === challenge ? undefined : 'The callback did not echo the challenge.';
    } catch (failure) {
      return `The callback could not be reached: ${wordsOf(failure)}.`;
    }
  }
}

/** Returns the error's text. A connection that failed on several addresses has only a code. */
function wordsOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const code = 'code' in failure ? String(failure.code) : '';
  return failure.message || code || failure.name;
}
