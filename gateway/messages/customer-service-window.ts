import { spellingsOf } from '../cloud-api/phone-spellings';
import { outsideWindow, type Refusal } from '../errors';
import { type Store } from '../store/store';
import { type WindowMode } from '../store/schema';
import { DAY, HOUR, type Clock } from '../time';
import { sentence } from '../wording/facts';
import { LruCache } from '../primitives/lru-cache';
import { contactAliases } from './contact-aliases';

/** The platform's rule: how long after a contact's last message a business may send free-form messages. */
export const WINDOW_LENGTH = DAY;

/** Contacts whose last message is cached; others are read from the database. */
const CONTACTS_IN_MEMORY = 50_000;

export type CustomerServiceWindows = ReturnType<typeof customerServiceWindows>;

/**
 * When contacts last wrote. A cached time may be too old, because another process received a newer message, but never
 * too new. So "open" is trusted, and "closed" is looked up. All spellings of a number are one contact.
 * @param clock the platform's time, by which windows open and close
 */
export function customerServiceWindows(store: Store, clock: Clock) {
  const known = new LruCache<number>(CONTACTS_IN_MEMORY);
  const keyOf = (lineId: number, [first]: readonly string[]) => `${lineId} ${first}`;

  function remember(key: string, at: number): void {
    known.set(key, Math.max(at, known.get(key) ?? 0));
  }

  /** The stored time in milliseconds; null if none. */
  async function stored(lineId: number, contact: string): Promise<number | null> {
    const spellings = spellingsOf(contact);
    const at = await store.windows.lastInboundAt(lineId, spellings);
    if (at === null) return null;
    remember(keyOf(lineId, spellings), Date.parse(at));
    return Date.parse(at);
  }

  return {
    aliases: contactAliases(),

    /** The platform's time. */
    now: clock,

    /** Called after a contact's message is stored. @param at milliseconds */
    opened: (lineId: number, contact: string, at: number): void =>
      remember(keyOf(lineId, spellingsOf(contact)), at),

    /**
     * When the contact wrote to the line, in milliseconds: the last time, or an earlier one that keeps the window
     * open. Null if never.
     */
    lastInboundAt(lineId: number, contact: string): Promise<number | null> | number {
      const remembered = known.get(keyOf(lineId, spellingsOf(contact)));
      return remembered !== undefined && remembered + WINDOW_LENGTH > clock()
        ? remembered
        : stored(lineId, contact);
    },

    /** Called when rows of contacts were deleted. */
    forget(): void {
      known.clear();
      this.aliases.forget();
    },

    /** When the contact last wrote to the line, in any process; milliseconds, or null. */
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
 * Whether fewer than 24 hours have passed, to the millisecond.
 * @param lastInboundAt milliseconds; null for a contact that never wrote
 */
export const isOpen = (lastInboundAt: number | null, now: number): boolean =>
  lastInboundAt !== null && lastInboundAt + WINDOW_LENGTH > now;

/** @param lastInboundAt milliseconds; null for a contact that never wrote, whose window is closed */
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
