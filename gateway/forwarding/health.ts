import { type Store } from '../store/database';
import { HOUR, isoTime, isoTimeOrNull, type Clock } from '../time';
import { FAILING_TOO_LONG } from './breaker';
import { type Outcome } from './deliver';
import { type Destination } from './destination';
import { type Queue } from './queue';

export interface HealthDeps {
  store: Store;
  clock: Clock;
  /** Pauses a destination: a change of the registry. */
  pause(destination: Destination, reason: string): Promise<void>;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** After this long of nothing but failures it is told that it fails, however few events come. */
const FAILING_LONG = HOUR;

/** What an answer most often means where nobody sees at once. */
const MEANINGS: Record<number, string> = {
  401: 'a log-in or a header is asked for that is not sent',
  403: 'a log-in or a header is asked for that is not sent',
  404: 'nothing is at this address; so answers n8n while the workflow is not active',
};

/** In a few words why an attempt failed. */
export function reasonOf({ outcome, httpStatus }: Pick<Outcome, 'outcome' | 'httpStatus'>): string {
  if (httpStatus === null) return outcome;
  const meaning = MEANINGS[httpStatus];
  return meaning ? `HTTP ${httpStatus}: ${meaning}` : `HTTP ${httpStatus}`;
}

/**
 * How destinations fare: tells their breakers what came of each attempt, keeps since when everything fails, and pauses
 * one that is gone or has failed for too long.
 * @param probe sends a probe to a destination
 */
export function destinationHealth({ store, clock, log, ...deps }: HealthDeps, probe: (queue: Queue) => void) {
  /** What could not be kept is kept once it changes again, or with the next success. */
  const note = (
    queue: Queue,
    { id }: Destination,
    health: Parameters<Store['destinations']['note']>[1],
  ): Promise<void> => {
    queue.noted = health.failing_since !== null;
    return store.destinations.note(id, health).catch((error: unknown) => {
      queue.noted = true;
      log.error({ error, destination: id }, 'health of destination not kept: told again once it changes');
    });
  };

  async function pause(destination: Destination, reason: string): Promise<void> {
    log.warn({ destination: destination.id, reason }, 'destination is paused');
    await deps
      .pause(destination, reason)
      .catch((error: unknown) =>
        log.error(
          { error, destination: destination.id },
          'destination not paused yet: tried again when it fails again',
        ),
      );
  }

  function probeWhenDue(queue: Queue): void {
    clearTimeout(queue.probe);
    const wait = (queue.breaker.probesAt() ?? 0) - clock();
    // The clock may have been set back meanwhile.
    const due = () => (queue.breaker.places(clock()) ? probe(queue) : probeWhenDue(queue));
    queue.probe = setTimeout(due, Math.max(0, wait)).unref();
  }

  async function worksAgain(queue: Queue, destination: Destination): Promise<void> {
    queue.breaker.succeeded();
    queue.probedLanes.clear();
    clearTimeout(queue.probe);
    if (!queue.noted) return;
    log.warn({ destination: destination.id }, 'destination takes events again');
    await note(queue, destination, { failing_since: null, last_failure: null, next_try_at: null });
  }

  return {
    pause,

    /** @returns whether its breaker has opened by that */
    async judge(
      queue: Queue,
      destination: Destination,
      eventId: string,
      { outcome, httpStatus, retryAfter, startedAt }: Outcome,
    ): Promise<boolean> {
      const { breaker } = queue;
      const now = clock();
      if (outcome === 'delivered') {
        await worksAgain(queue, destination);
        return false;
      }
      const opened = breaker.failed(eventId, now, retryAfter, startedAt);
      const since = breaker.failingSince() ?? now;
      // With few events it may never open.
      if (!opened && (breaker.isOpen() || now - since < FAILING_LONG)) return false;
      const reason = reasonOf({ outcome, httpStatus });
      if (opened) {
        const probesAt = breaker.probesAt() ?? now;
        log.warn(
          { destination: destination.id, reason, failingSince: isoTime(since), probesAt: isoTime(probesAt) },
          'destination fails: its events wait',
        );
      }
      if (opened || !queue.noted)
        await note(queue, destination, {
          failing_since: isoTime(since),
          last_failure: reason,
          next_try_at: isoTimeOrNull(breaker.probesAt()),
        });
      if (now - since >= FAILING_TOO_LONG) {
        await pause(
          destination,
          `Nothing could be delivered since ${isoTime(since)} (last: ${reason}). Its events are kept.`,
        );
      } else if (opened) probeWhenDue(queue);
      return opened;
    },
  };
}
