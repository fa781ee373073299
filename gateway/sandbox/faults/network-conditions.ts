/**
 * Simulates the network between the platform and its callers: slow answers and outages. Each ends on its own
 * after its duration, measured by the machine's clock: advancing the sandbox's clock does not end it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GraphRefusal } from '../platform/errors';
import { TransportFault } from './transport-fault';

/** The effect of each kind of outage on requests. */
export const OUTAGES = {
  refused: 'nobody listens: connections are refused, those to the control routes too',
  silent: 'requests are accepted and never answered',
  cut: 'requests are accepted, then the connection is cut',
  unavailable: 'requests are answered with HTTP 503 and an error',
} as const;

export type OutageKind = keyof typeof OUTAGES;

interface Latency {
  /** In milliseconds. */
  delay: number;
  /** Adds a random delay of up to this many milliseconds. */
  spread: number;
  until: Date;
}

/** Controls the listening port. `resume` gives up if the sandbox closes first. */
export interface Listening {
  stop(): void;
  resume(closed: AbortSignal): Promise<void>;
}

export class NetworkConditions {
  private latency?: Latency;
  private outage?: { kind: OutageKind; until: Date };
  private ending?: NodeJS.Timeout;
  private readonly closing = new AbortController();

  /** @param cutSilent closes connections that were left without an answer */
  constructor(
    private readonly listening: Listening,
    private readonly cutSilent: () => void,
  ) {}

  /** Applies the current conditions to a request before it is handled. */
  async pass(): Promise<void> {
    const { kind } = this.shown().outage ?? {};
    if (kind === 'unavailable') {
      throw new GraphRefusal(503, {
        message: 'Service temporarily unavailable',
        code: 2,
        is_transient: true,
      });
    }
    if (kind !== undefined) throw new TransportFault(kind === 'silent' ? 'silent' : 'cut');
    const latency = this.current(this.latency);
    if (!latency) return;
    const wait = latency.delay + Math.random() * latency.spread;
    await sleep(wait, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }

  slowDown(delay: number, spread: number, duration: number): void {
    this.latency = { delay, spread, until: new Date(Date.now() + duration) };
  }

  /** Starts an outage, which replaces any current one. */
  async breakDown(kind: OutageKind, duration: number): Promise<void> {
    await this.end();
    this.outage = { kind, until: new Date(Date.now() + duration) };
    this.ending = setTimeout(() => void this.end(), duration);
    if (kind === 'refused') this.listening.stop();
  }

  /** Ends the outage early. */
  async end(): Promise<void> {
    clearTimeout(this.ending);
    const { kind } = this.outage ?? {};
    this.outage = undefined;
    if (kind === 'silent') this.cutSilent();
    if (kind === 'refused') await this.listening.resume(this.closing.signal);
  }

  speedUp(): void {
    this.latency = undefined;
  }

  shown() {
    return { latency: this.current(this.latency), outage: this.current(this.outage) };
  }

  /** Releases all waiting requests. */
  close(): void {
    this.closing.abort();
    clearTimeout(this.ending);
    this.cutSilent();
  }

  private current<T extends { until: Date }>(condition: T | undefined): T | undefined {
    return condition && condition.until.getTime() > Date.now() ? condition : undefined;
  }
}
