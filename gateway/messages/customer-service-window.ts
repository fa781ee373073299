import { outsideWindow, type Refusal } from '../errors';
import { type Store } from '../store/database';
import { type WindowMode } from '../store/schema';
import { DAY, HOUR, type Clock } from '../time';

/** How long a business may write freely after a contact's last message. Upstream's rule. */
export const WINDOW_LENGTH = DAY;

/** Contacts whose last message is kept in memory; beyond them the longest unused is read from the database again. */
const CONTACTS_IN_MEMORY = 50_000;

export type CustomerServiceWindows = ReturnType<typeof customerServiceWindows>;

/**
 * When contacts last wrote. What memory holds may be older than the truth (another process took the newer message),
 * never newer: so "open" is believed, and "closed" is looked up.
 * @param clock upstream's time, by which it decides whether a window is open
 */
export function customerServiceWindows(store: Store, clock: Clock) {
  const known = new Map<string, number>();

  function remember(key: string, at: number): void {
    const latest = Math.max(at, known.get(key) ?? 0);
    known.delete(key);
    known.set(key, latest);
    if (known.size <= CONTACTS_IN_MEMORY) return;
    const { value: oldest } = known.keys().next();
    if (oldest !== undefined) known.delete(oldest);
  }

  return {
    /** The present by upstream's time. */
    now: clock,

    /** A contact wrote; told after the database holds it. @param at milliseconds */
    opened: (lineId: number, contact: string, at: number): void => remember(`${lineId} ${contact}`, at),

    /** When the contact last wrote to the line, in milliseconds, or null. */
    async lastInboundAt(lineId: number, contact: string): Promise<number | null> {
      const key = `${lineId} ${contact}`;
      const remembered = known.get(key);
      if (remembered !== undefined && remembered + WINDOW_LENGTH > clock()) {
        remember(key, remembered);
        return remembered;
      }
      const stored = await store.windows.lastInboundAt(lineId, contact);
      if (stored === null) return null;
      remember(key, Date.parse(stored));
      return Date.parse(stored);
    },
  };
}

/** Whether a message of this type needs an open window. */
export const needsWindow = (mode: WindowMode, type: string): boolean =>
  mode === 'upstream' ? false : mode === 'all' ? type !== 'template' : type === 'text';

/** @param lastInboundAt milliseconds; null for a contact that never wrote, which counts as outside */
export function refuseOutsideWindow(
  contact: string,
  lastInboundAt: number | null,
  now: number,
): Refusal | null {
  if (lastInboundAt !== null && lastInboundAt + WINDOW_LENGTH > now) return null;
  const last =
    lastInboundAt === null
      ? `${contact} has never written to this line.`
      : `${contact} last wrote to this line ${Math.floor((now - lastInboundAt) / HOUR)} hours ago.`;
  return outsideWindow(`${last} Send an approved template instead.`);
}
