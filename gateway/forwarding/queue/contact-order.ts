import { kindOf, type HeldDelivery } from './held-deliveries';
import { LONGEST_HELD } from '../retry-schedule';

/** One contact at one destination. */
interface Contact {
  /** Those that were not tried yet, by sequence. */
  readonly waiting: HeldDelivery[];
  /** For which all these wait: it is on its way, or failed before and holds them back. */
  before: HeldDelivery | null;
  /** Whether more waits in the database behind what is here. */
  hasMore: boolean;
}

/** Of one contact so many are in memory; more waits in the database, so that it leaves room for the others. */
export const MOST_OF_CONTACT = 50;

/**
 * The order within each contact of one destination: one of its deliveries is on its way at a time.
 *
 * A delivery that failed is tried again at its time. Until that is over it may hold its contact back, for 35 seconds at
 * most. The others of that contact then wait in the database, and are asked for (`hungry`) once it lets them go on.
 */
export class ContactOrder {
  readonly #contacts = new Map<string, Contact>();
  /**
   * What may go out now. What failed before takes turns with the others, so that many failures that come due together are
   * not all that is sent; what is replayed goes out behind everything else.
   */
  readonly #untried = new Set<Contact>();
  readonly #ready: Record<'tried' | 'replayed', HeldDelivery[]> = { tried: [], replayed: [] };
  #isTurnOfTried = false;
  /** What waits for its time, and what holds its contact back until that is long enough; each earliest first. */
  readonly #due: HeldDelivery[] = [];
  readonly #holding: HeldDelivery[] = [];
  readonly #hungry = new Set<string>();

  /** When `advance` has something to do, in milliseconds; null where nothing waits for its time. */
  get nextMoment(): number | null {
    const moments = [...this.#due.slice(0, 1).map(dueAt), ...this.#holding.slice(0, 1).map(heldUntil)];
    return moments.length ? Math.min(...moments) : null;
  }

  /** Contacts of which more is to be read from the database. */
  get hungry(): ReadonlySet<string> {
    return this.#hungry;
  }

  /** Whether more of a contact is known to wait in the database. */
  hasMore(key: string): boolean {
    return this.#contacts.get(key)?.hasMore ?? false;
  }

  /** The event ids of what is here of a contact. */
  idsOf(key: string): string[] {
    const { waiting = [], before = null } = this.#contacts.get(key) ?? {};
    return [...(before ? [before] : []), ...waiting].map(({ eventId }) => eventId);
  }

  /**
   * Takes a delivery that was not tried yet.
   * @returns false where it has to wait in the database, behind others of its contact
   */
  add(delivery: HeldDelivery): boolean {
    const contact = this.#contactOf(delivery);
    contact.hasMore ||= contact.waiting.length >= MOST_OF_CONTACT || isHeldBack(contact);
    if (contact.hasMore) return false;
    enqueue(contact, delivery);
    this.#goOn(delivery.orderingKey, contact);
    return true;
  }

  /** What was read of a hungry contact. @returns those that it takes */
  refill(key: string, deliveries: HeldDelivery[], isAll: boolean): HeldDelivery[] {
    const contact = this.#contacts.get(key);
    if (!contact || isHeldBack(contact)) return [];
    deliveries.forEach((delivery) => enqueue(contact, delivery));
    contact.hasMore = !isAll;
    this.#hungry.delete(key);
    this.#goOn(key, contact);
    return deliveries;
  }

  /**
   * Takes a delivery that failed, just now or before, or is replayed: it goes out at its time. Where it holds its contact
   * back the others of that wait for it, unless they wait for another already.
   * @returns the others, which leave memory
   */
  addTried(delivery: HeldDelivery, now: number): HeldDelivery[] {
    if (delivery.dueAt > now) insertBy(this.#due, delivery, dueAt);
    else this.#ready[readyKind(delivery)].push(delivery);
    if (!holdsContact(delivery, now)) {
      this.leave(delivery);
      return [];
    }
    const contact = this.#contactOf(delivery);
    if (contact.before !== null && contact.before !== delivery) return [];
    if (delivery.failedAt === null || contact.before === null) {
      delivery.failedAt ??= now;
      insertBy(this.#holding, delivery, heldUntil);
    }
    contact.before = delivery;
    const others = contact.waiting.splice(0);
    contact.hasMore ||= others.length > 0;
    this.#untried.delete(contact);
    this.#hungry.delete(delivery.orderingKey);
    return others;
  }

  /** The delivery that `next` gives out. @param isProbe of what failed before it is known that it fails: it comes last */
  first(isProbe = false): HeldDelivery | undefined {
    const kind = this.#nextKind(isProbe);
    const [contact] = this.#untried;
    return kind === 'untried' ? contact?.waiting[0] : this.#ready[kind][0];
  }

  /** What goes out now. */
  next(isProbe = false): HeldDelivery | null {
    const kind = this.#nextKind(isProbe);
    this.#isTurnOfTried = !this.#isTurnOfTried;
    if (kind !== 'untried') return this.#ready[kind].shift() ?? null;
    const [contact] = this.#untried;
    if (!contact) return null;
    this.#untried.delete(contact);
    return (contact.before = contact.waiting.shift() ?? null);
  }

  /** What was on its way is over, or holds nobody back any more. */
  leave(delivery: HeldDelivery): void {
    const contact = this.#contacts.get(delivery.orderingKey);
    if (contact?.before !== delivery) return;
    contact.before = null;
    this.#goOn(delivery.orderingKey, contact);
  }

  /** What was on its way waits in the database again, and all of its contact with it. @returns all that leaves memory */
  putBack(delivery: HeldDelivery): HeldDelivery[] {
    const contact = this.#contacts.get(delivery.orderingKey);
    if (contact?.before !== delivery) return [delivery];
    contact.hasMore = true;
    const others = contact.waiting.splice(0);
    this.leave(delivery);
    return [delivery, ...others];
  }

  /** Does what is due. */
  advance(now: number): void {
    for (const delivery of takeUntil(now, this.#due, dueAt)) this.#ready[readyKind(delivery)].push(delivery);
    for (const delivery of takeUntil(now, this.#holding, heldUntil)) this.leave(delivery);
  }

  /** @returns all that waits, which is gone from here; not what is on its way */
  drop(): HeldDelivery[] {
    const { tried, replayed } = this.#ready;
    const dropped = [...tried.splice(0), ...replayed.splice(0), ...this.#due.splice(0)];
    const waitsToBeTried = new Set(dropped);
    for (const [key, contact] of this.#contacts) {
      dropped.push(...contact.waiting.splice(0));
      contact.hasMore = false;
      if (!contact.before || waitsToBeTried.has(contact.before)) this.#contacts.delete(key);
    }
    this.#hungry.clear();
    this.#untried.clear();
    // `#holding` stays: what is on its way holds its contact back no longer than otherwise.
    return dropped;
  }

  #contactOf({ orderingKey }: HeldDelivery): Contact {
    const known = this.#contacts.get(orderingKey);
    if (known) return known;
    const contact: Contact = { waiting: [], before: null, hasMore: false };
    this.#contacts.set(orderingKey, contact);
    return contact;
  }

  /** Where nothing is before those of a contact, the first goes out. More is asked for where little is left. */
  #goOn(key: string, contact: Contact): void {
    const { waiting, before, hasMore } = contact;
    if (!waiting.length && !before && !hasMore) this.#contacts.delete(key);
    if (hasMore && waiting.length <= MOST_OF_CONTACT / 2) this.#hungry.add(key);
    if (waiting.length && !before) this.#untried.add(contact);
  }

  /** Whose turn it is, of those in which there is something. */
  #nextKind(isProbe: boolean): 'untried' | 'tried' | 'replayed' {
    const isTurnOfTried = this.#isTurnOfTried && !isProbe;
    if (this.#ready.tried.length && (isTurnOfTried || !this.#untried.size)) return 'tried';
    return this.#untried.size ? 'untried' : 'replayed';
  }
}

type Key = (delivery: HeldDelivery) => number;

const dueAt: Key = (delivery) => delivery.dueAt;
const heldUntil: Key = ({ failedAt }) => (failedAt ?? 0) + LONGEST_HELD;

/** By sequence, so that what was recorded earlier and comes later, from another process, goes out first. */
const enqueue = ({ waiting }: Contact, delivery: HeldDelivery): void =>
  insertBy(waiting, delivery, ({ sequence }) => sequence);

/** Behind what has the same key. Most are the last: it looks from there. */
function insertBy(all: HeldDelivery[], one: HeldDelivery, keyOf: Key): void {
  const before = all.findLastIndex((other) => keyOf(other) <= keyOf(one));
  all.splice(before + 1, 0, one);
}

/** Takes out what is at that time or before it. */
function takeUntil(time: number, all: HeldDelivery[], keyOf: Key): HeldDelivery[] {
  const beyond = all.findIndex((one) => keyOf(one) > time);
  return all.splice(0, beyond < 0 ? all.length : beyond);
}

/** Whether the others of its contact wait for a delivery that failed; counted from its first failure on. */
export const holdsContact = (delivery: HeldDelivery, now: number): boolean =>
  kindOf(delivery) === 'holding' &&
  Math.max(delivery.dueAt, now) - (delivery.failedAt ?? now) <= LONGEST_HELD;

/** Whether what is before the others failed before: nothing goes out behind it. */
const isHeldBack = ({ before }: Contact): boolean => before !== null && before.failedAt !== null;

const readyKind = (delivery: HeldDelivery): 'tried' | 'replayed' =>
  kindOf(delivery) === 'replayed' ? 'replayed' : 'tried';
