import { kindOf, type HeldDelivery } from './held-deliveries';
import { LONGEST_HELD } from '../retry-schedule';

/** One contact at one destination. */
interface Contact {
  /** Untried deliveries, by sequence. */
  readonly waiting: HeldDelivery[];
  /** The delivery that the others wait for: it is in flight, or failed and holds them back. */
  before: HeldDelivery | null;
  /** Whether the database has more of its deliveries. */
  hasMore: boolean;
}

/** Deliveries of one contact in memory. The rest wait in the database and leave room for other contacts. */
export const MOST_OF_CONTACT = 50;

/**
 * Keeps the order of each contact at one destination: one delivery of a contact is in flight at a time.
 *
 * A failed delivery is tried again when it is due. Until then it may hold its contact back, for 35 seconds at
 * most. The contact's other deliveries wait in the database. When the contact may continue, it becomes
 * `hungry`, and more is read.
 */
export class ContactOrder {
  readonly #contacts = new Map<string, Contact>();
  /**
   * Deliveries that may go out now. Retries take turns with untried ones, so that many retries that are due together do
   * not block the rest. Replayed deliveries go out last.
   */
  readonly #untried = new Set<Contact>();
  readonly #ready: Record<'tried' | 'replayed', HeldDelivery[]> = { tried: [], replayed: [] };
  #isTurnOfTried = false;
  /** Deliveries that wait until they are due, and failures that hold their contact back; each earliest first. */
  readonly #due: HeldDelivery[] = [];
  readonly #holding: HeldDelivery[] = [];
  readonly #hungry = new Set<string>();

  /** When `advance` next has something to do, in milliseconds; null if never. */
  get nextMoment(): number | null {
    const moments = [...this.#due.slice(0, 1).map(dueAt), ...this.#holding.slice(0, 1).map(heldUntil)];
    return moments.length ? Math.min(...moments) : null;
  }

  /** Contacts with few deliveries in memory and more in the database. */
  get hungry(): ReadonlySet<string> {
    return this.#hungry;
  }

  /** Whether the contact is known to have more deliveries in the database. */
  hasMore(key: string): boolean {
    return this.#contacts.get(key)?.hasMore ?? false;
  }

  /** Event ids of the contact's deliveries in memory. */
  idsOf(key: string): string[] {
    const { waiting = [], before = null } = this.#contacts.get(key) ?? {};
    return [...(before ? [before] : []), ...waiting].map(({ eventId }) => eventId);
  }

  /**
   * Adds an untried delivery.
   * @returns false if it has to wait in the database, behind others of its contact
   */
  add(delivery: HeldDelivery): boolean {
    const contact = this.#contactOf(delivery);
    contact.hasMore ||= contact.waiting.length >= MOST_OF_CONTACT || isHeldBack(contact);
    if (contact.hasMore) return false;
    enqueue(contact, delivery);
    this.#goOn(delivery.orderingKey, contact);
    return true;
  }

  /** Adds deliveries read for a hungry contact. @returns those that were added: all or none */
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
   * Adds a delivery that has failed or is replayed: it goes out when it is due. If it holds its contact back, the
   * contact's other deliveries wait for it, unless they wait for another one already.
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

  /** The delivery that `next` would return. @param isProbe whether it is a probe: retries come last, as they failed already */
  first(isProbe = false): HeldDelivery | undefined {
    const kind = this.#nextKind(isProbe);
    const [contact] = this.#untried;
    return kind === 'untried' ? contact?.waiting[0] : this.#ready[kind][0];
  }

  /** Takes out the delivery that goes out now. */
  next(isProbe = false): HeldDelivery | null {
    const kind = this.#nextKind(isProbe);
    this.#isTurnOfTried = !this.#isTurnOfTried;
    if (kind !== 'untried') return this.#ready[kind].shift() ?? null;
    const [contact] = this.#untried;
    if (!contact) return null;
    this.#untried.delete(contact);
    return (contact.before = contact.waiting.shift() ?? null);
  }

  /** A delivery is done, or no longer holds its contact back. */
  leave(delivery: HeldDelivery): void {
    const contact = this.#contacts.get(delivery.orderingKey);
    if (contact?.before !== delivery) return;
    contact.before = null;
    this.#goOn(delivery.orderingKey, contact);
  }

  /** Puts a delivery that was in flight, and all others of its contact, back into the database. @returns all that leave memory */
  putBack(delivery: HeldDelivery): HeldDelivery[] {
    const contact = this.#contacts.get(delivery.orderingKey);
    if (contact?.before !== delivery) return [delivery];
    contact.hasMore = true;
    const others = contact.waiting.splice(0);
    this.leave(delivery);
    return [delivery, ...others];
  }

  /** Makes due deliveries ready, and releases contacts that were held back for long enough. */
  advance(now: number): void {
    for (const delivery of takeUntil(now, this.#due, dueAt)) this.#ready[readyKind(delivery)].push(delivery);
    for (const delivery of takeUntil(now, this.#holding, heldUntil)) this.leave(delivery);
  }

  /** Forgets everything that waits, but not what is in flight. @returns what was forgotten */
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
    // `#holding` stays: it ends the time for which a delivery in flight holds its contact back.
    return dropped;
  }

  #contactOf({ orderingKey }: HeldDelivery): Contact {
    const known = this.#contacts.get(orderingKey);
    if (known) return known;
    const contact: Contact = { waiting: [], before: null, hasMore: false };
    this.#contacts.set(orderingKey, contact);
    return contact;
  }

  /** Makes the contact's first delivery ready if nothing is before it, and the contact hungry if little is left in memory. */
  #goOn(key: string, contact: Contact): void {
    const { waiting, before, hasMore } = contact;
    if (!waiting.length && !before && !hasMore) this.#contacts.delete(key);
    if (hasMore && waiting.length <= MOST_OF_CONTACT / 2) this.#hungry.add(key);
    if (waiting.length && !before) this.#untried.add(contact);
  }

  /** The kind whose turn it is; `replayed` may be empty. */
  #nextKind(isProbe: boolean): 'untried' | 'tried' | 'replayed' {
    const isTurnOfTried = this.#isTurnOfTried && !isProbe;
    if (this.#ready.tried.length && (isTurnOfTried || !this.#untried.size)) return 'tried';
    return this.#untried.size ? 'untried' : 'replayed';
  }
}

type Key = (delivery: HeldDelivery) => number;

const dueAt: Key = (delivery) => delivery.dueAt;
const heldUntil: Key = ({ failedAt }) => (failedAt ?? 0) + LONGEST_HELD;

/** Inserts by sequence: a delivery of another process may have been recorded earlier and arrive later. */
const enqueue = ({ waiting }: Contact, delivery: HeldDelivery): void =>
  insertBy(waiting, delivery, ({ sequence }) => sequence);

/** Inserts behind equal keys. Searches from the end, where most belong. */
function insertBy(all: HeldDelivery[], one: HeldDelivery, keyOf: Key): void {
  const before = all.findLastIndex((other) => keyOf(other) <= keyOf(one));
  all.splice(before + 1, 0, one);
}

/** Takes out what is at this time or earlier. */
function takeUntil(time: number, all: HeldDelivery[], keyOf: Key): HeldDelivery[] {
  const beyond = all.findIndex((one) => keyOf(one) > time);
  return all.splice(0, beyond < 0 ? all.length : beyond);
}

/** Whether a failed delivery holds its contact back; the time counts from its first failure. */
export const holdsContact = (delivery: HeldDelivery, now: number): boolean =>
  kindOf(delivery) === 'holding' &&
  Math.max(delivery.dueAt, now) - (delivery.failedAt ?? now) <= LONGEST_HELD;

/** Whether a failed delivery holds the contact back, so that nothing goes out behind it. */
const isHeldBack = ({ before }: Contact): boolean => before !== null && before.failedAt !== null;

const readyKind = (delivery: HeldDelivery): 'tried' | 'replayed' =>
  kindOf(delivery) === 'replayed' ? 'replayed' : 'tried';
