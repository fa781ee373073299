import { kindOf, type HeldDelivery } from './held-deliveries';
import { LONGEST_HELD } from '../retry-schedule';

/** One contact at one destination. */
interface Contact {
  /** Untried deliveries, by sequence. */
  readonly waiting: HeldDelivery[];
  /** The delivery that blocks the contact: in flight, or failed and waiting for its retry. */
  before: HeldDelivery | null;
  /** Whether the database has more deliveries of the contact. */
  hasMore: boolean;
}

/** The most deliveries of one contact in memory. The rest wait in the database and leave room for other contacts. */
export const MOST_OF_CONTACT = 50;

/**
 * Keeps the order of each contact at one destination: one delivery per contact is in flight at a time.
 *
 * A failed delivery is retried when it is due. Until then it may block its contact for up to 35 seconds, while the
 * contact's other deliveries wait in the database. When the contact may continue, it becomes `hungry`, and more
 * deliveries are read.
 */
export class ContactOrder {
  readonly #contacts = new Map<string, Contact>();
  /**
   * Deliveries that may be sent now. Retries take turns with untried ones, so that many simultaneous retries do not
   * block the rest. Replayed deliveries are sent last.
   */
  readonly #untried = new Set<Contact>();
  readonly #ready: Record<'tried' | 'replayed', HeldDelivery[]> = { tried: [], replayed: [] };
  #isTurnOfTried = false;
  /** Deliveries that wait until they are due, and failed ones that block their contact; each earliest first. */
  readonly #due: HeldDelivery[] = [];
  readonly #holding: HeldDelivery[] = [];
  readonly #hungry = new Set<string>();

  /** When `advance` must run next, in milliseconds; null if never. */
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
   * Adds a failed or replayed delivery, which is sent when it is due. If it blocks its contact, the contact's other
   * deliveries wait for it, unless another one already blocks them.
   * @returns the contact's other deliveries, which leave memory
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

  /**
   * The delivery that `next` would return. @param isProbe whether it is a probe: retries come last, because they
   * already failed
   */
  first(isProbe = false): HeldDelivery | undefined {
    const kind = this.#nextKind(isProbe);
    const [contact] = this.#untried;
    return kind === 'untried' ? contact?.waiting[0] : this.#ready[kind][0];
  }

  /** Removes and returns the delivery to send now. */
  next(isProbe = false): HeldDelivery | null {
    const kind = this.#nextKind(isProbe);
    this.#isTurnOfTried = !this.#isTurnOfTried;
    if (kind !== 'untried') return this.#ready[kind].shift() ?? null;
    const [contact] = this.#untried;
    if (!contact) return null;
    this.#untried.delete(contact);
    return (contact.before = contact.waiting.shift() ?? null);
  }

  /** A delivery has ended, or no longer blocks its contact. */
  leave(delivery: HeldDelivery): void {
    const contact = this.#contacts.get(delivery.orderingKey);
    if (contact?.before !== delivery) return;
    contact.before = null;
    this.#goOn(delivery.orderingKey, contact);
  }

  /** Returns a delivery in flight, and all others of its contact, to the database. @returns all that leave memory */
  putBack(delivery: HeldDelivery): HeldDelivery[] {
    const contact = this.#contacts.get(delivery.orderingKey);
    if (contact?.before !== delivery) return [delivery];
    contact.hasMore = true;
    const others = contact.waiting.splice(0);
    this.leave(delivery);
    return [delivery, ...others];
  }

  /** Makes due deliveries ready, and releases contacts that were blocked for long enough. */
  advance(now: number): void {
    for (const delivery of takeUntil(now, this.#due, dueAt)) this.#ready[readyKind(delivery)].push(delivery);
    for (const delivery of takeUntil(now, this.#holding, heldUntil)) this.leave(delivery);
  }

  /** Forgets all waiting deliveries, but not those in flight. @returns the forgotten deliveries */
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
    // `#holding` stays: it ends the time for which a delivery in flight blocks its contact.
    return dropped;
  }

  #contactOf({ orderingKey }: HeldDelivery): Contact {
    const known = this.#contacts.get(orderingKey);
    if (known) return known;
    const contact: Contact = { waiting: [], before: null, hasMore: false };
    this.#contacts.set(orderingKey, contact);
    return contact;
  }

  /** Makes the contact's first delivery ready if none blocks it, and the contact hungry if few are left in memory. */
  #goOn(key: string, contact: Contact): void {
    const { waiting, before, hasMore } = contact;
    if (!waiting.length && !before && !hasMore) this.#contacts.delete(key);
    if (hasMore && waiting.length <= MOST_OF_CONTACT / 2) this.#hungry.add(key);
    if (waiting.length && !before) this.#untried.add(contact);
  }

  /** The kind to send next; `replayed` may be empty. */
  #nextKind(isProbe: boolean): 'untried' | 'tried' | 'replayed' {
    const isTurnOfTried = this.#isTurnOfTried && !isProbe;
    if (this.#ready.tried.length && (isTurnOfTried || !this.#untried.size)) return 'tried';
    return this.#untried.size ? 'untried' : 'replayed';
  }
}

type Key = (delivery: HeldDelivery) => number;

const dueAt: Key = (delivery) => delivery.dueAt;
const heldUntil: Key = ({ failedAt }) => (failedAt ?? 0) + LONGEST_HELD;

/** Inserts by sequence: a delivery from another process may have been recorded earlier and arrive later. */
const enqueue = ({ waiting }: Contact, delivery: HeldDelivery): void =>
  insertBy(waiting, delivery, ({ sequence }) => sequence);

/** Inserts behind equal keys. Searches from the end, where most deliveries belong. */
function insertBy(all: HeldDelivery[], one: HeldDelivery, keyOf: Key): void {
  const before = all.findLastIndex((other) => keyOf(other) <= keyOf(one));
  all.splice(before + 1, 0, one);
}

/** Removes and returns the deliveries up to this time. */
function takeUntil(time: number, all: HeldDelivery[], keyOf: Key): HeldDelivery[] {
  const beyond = all.findIndex((one) => keyOf(one) > time);
  return all.splice(0, beyond < 0 ? all.length : beyond);
}

/** Whether a failed delivery blocks its contact. The time counts from its first failure. */
export const holdsContact = (delivery: HeldDelivery, now: number): boolean =>
  kindOf(delivery) === 'holding' &&
  Math.max(delivery.dueAt, now) - (delivery.failedAt ?? now) <= LONGEST_HELD;

/** Whether a failed delivery blocks the contact. */
const isHeldBack = ({ before }: Contact): boolean => before !== null && before.failedAt !== null;

const readyKind = (delivery: HeldDelivery): 'tried' | 'replayed' =>
  kindOf(delivery) === 'replayed' ? 'replayed' : 'tried';
