import { spellingsOf } from '../cloud-api/phone-spellings';
import { outsideWindow, type Refusal } from '../errors';
import { type Store } from '../store/store';
import { type WindowMode } from '../store/schema';
import { DAY, HOUR, type Clock } from '../time';
import { sentence } from '../wording/facts';
import { LruCache } from '../primitives/lru-cache';
import { contactAliases } from './contact-aliases';

/** How long a business may write freely after a contact's last message. The platform's rule. */
export const WINDOW_LENGTH = DAY;

/** Contacts whose last message is kept in memory; beyond them the longest unused is read from the database again. */
const CONTACTS_IN_MEMORY = 50_000;

export type CustomerServiceWindows = ReturnType<typeof customerServiceWindows>;

/**
 * When contacts last wrote. What memory holds may be older than the truth (another process took the newer message),
 * never newer: so "open" is believed, and "closed" is looked up. A contact is the same in every spelling of the number.
 * @param clock the platform's time, by which it decides whether a window is open
 */
export function customerServiceWindows(store: Store, clock: Clock) {
  const known = new LruCache<number>(CONTACTS_IN_MEMORY);
  const keyOf = (lineId: number, [first]: readonly string[]) => `${lineId} ${first}`;

  function remember(key: string, at: number): void {
    known.set(key, Math.max(at, known.get(key) ?? 0));
  }

  /** What the database holds, in milliseconds, or null. */
  async function stored(lineId: number, contact: string): Promise<number | null> {
    const spellings = spellingsOf(contact);
    const at = await store.windows.lastInboundAt(lineId, spellings);
    if (at === null) return null;
    remember(keyOf(lineId, spellings), Date.parse(at));
    return Date.parse(at);
  }

  return {
    aliases: contactAliases(),

    /** The present by the platform's time. */
    now: clock,

    /** A contact wrote; told after the database holds it. @param at milliseconds */
    opened: (lineId: number, contact: string, at: number): void =>
      remember(keyOf(lineId, spellingsOf(contact)), at),

    /**
     * When the contact wrote to the line, in milliseconds, or null: the last time or, where the window is open by it,
     * an earlier one.
     */
    async lastInboundAt(lineId: number, contact: string): Promise<number | null> {
      const remembered = known.get(keyOf(lineId, spellingsOf(contact)));
      return remembered !== undefined && remembered + WINDOW_LENGTH > clock()
        ? remembered
        : stored(lineId, contact);
    },

    /** Told where the database may know less of contacts than before. */
    forget(): void {
      known.clear();
      this.aliases.forget();
    },

    /** When the contact last wrote to the line, whichever process took it; in milliseconds, or null. */
    exactLastInboundAt: stored,
  };
}

/** Whether a message of this type needs an open window. */
export function needsWindow(mode: WindowMode, type: string): boolean {
  switch (mode) {
    case 'upstream':
      return false;
    case 'all':
      return type !== 'template';
    case 'text':
      return type === 'text';
  }
}

/**
 * Until the 24 hours are over, to the millisecond. @param lastInboundAt milliseconds; null for a contact that never
 * wrote
 */
export const isOpen = (lastInboundAt: number | null, now: number): boolean =>
  lastInboundAt !== null && lastInboundAt + WINDOW_LENGTH > now;

/** @param lastInboundAt milliseconds; null for a contact that never wrote, which counts as outside */
export function refuseOutsideWindow(
  contact: string,
  lastInboundAt: number | null,
  now: number,
): Refusal | null {
  if (isOpen(lastInboundAt, now)) return null;
  const last =
    lastInboundAt === null
      ? sentence('{contact} has never written to this line.', { contact })
      : sentence('{contact} last wrote to this line {time} ago.', {
          contact,
          time: { hours: Math.floor((now - lastInboundAt) / HOUR) },
        });
  return outsideWindow(last);
}
