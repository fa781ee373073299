import { isRecipient } from '../cloud-api/validate/message-request';
import { type NotificationEvent } from '../cloud-api/notification';
import { pauseByAnswer, pausedNames } from '../messages/automation-pauses';
import { type Store } from '../store/store';
import { type Clock } from '../time';
import { type PlacedEvent } from './lines-of-event';

interface Deps {
  store: Pick<Store, 'automationPauses' | 'windows'>;
  clock: Clock;
}

type Placed = Pick<PlacedEvent, 'event' | 'lines'>;

/** All names of the event's contact; null if there is none, or if the event is about a group. */
const namesIn = ({ contact, people }: NotificationEvent): [string, ...string[]] | null =>
  contact !== null && isRecipient(contact) ? [contact, ...people.flat()] : null;

/**
 * Finds events of contacts for whom automations are paused. A colleague's message from the phone app starts a pause,
 * on lines with this setting. Called before the events are stored: if this fails, the platform resends them.
 */
export function pausedAmong(
  deps: Deps,
  placed: Placed[],
): Promise<ReadonlySet<NotificationEvent>> | ReadonlySet<NotificationEvent> {
  const mayBePaused = placed.some(({ lines: [line] }) => line && line.automationPauseHours !== null);
  return mayBePaused ? findPaused(deps, placed) : NONE;
}

const NONE: ReadonlySet<NotificationEvent> = new Set();

async function findPaused(deps: Deps, placed: Placed[]): Promise<ReadonlySet<NotificationEvent>> {
  const told = placed.flatMap(({ event, lines: [line] }) => {
    const names = line && line.automationPauseHours !== null ? namesIn(event) : null;
    return line && names ? [{ event, line, names }] : [];
  });
  const paused = new Set<NotificationEvent>();
  const now = deps.clock();
  for (const { event, line, names } of told)
    if (event.subject === 'echo')
      await pauseByAnswer(deps, line, names, Math.min(event.occurredAt ?? now, now));
  for (const [line, ofLine] of Map.groupBy(told, ({ line }) => line)) {
    const names = await pausedNames(deps, line, [...new Set(ofLine.flatMap((one) => one.names))]);
    for (const one of ofLine) if (one.names.some((name) => names.has(name))) paused.add(one.event);
  }
  return paused;
}
