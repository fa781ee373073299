import { LONGEST_HELD } from './retry-schedule';

/** A delivery in memory. */
export interface HeldDelivery {
  readonly eventId: string;
  /** What shares it goes out one after the other: the contact. */
  readonly orderingKey: string;
  /** The place in that order. */
  readonly sequence: number;
  attempts: number;
  /** Of these, the attempts before it was last replayed. */
  readonly attemptsBefore: number;
  /** In milliseconds; of one that was not tried yet, when it came. */
  dueAt: number;
  /** Of its body. */
  readonly size: number;
  /** Empty where it is read once the delivery is sent; null where that takes no room until then. */
  body: string | null;
  /** When it began to hold its contact back; null where it does not. */
  failedAt: number | null;
}

/** One contact at one destination. */
interface Contact {
  /** Those that were not tried yet, or are replayed, by sequence. */
  readonly waiting: HeldDelivery[];
  /** For which all these wait: it is on its way, or failed before and holds them back. */
  before: HeldDelivery | null;
  /** Whether more waits in the database behind what is here. */
  hasMore: boolean;
  isReady: boolean;
}

interface Moment {
  at: number;
  /** `due`: the delivery may be sent; `passed`: it has held its contact back for long enough. */
  what: 'due' | 'passed';
  delivery: HeldDelivery;
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
  /** Those that failed before, and wait to be tried again. */
  readonly #tried = new Set<HeldDelivery>();
  /**
   * What may go out now. What failed before takes turns with the others, so that many failures that come due together are
   * not all that is sent; what is replayed goes out behind everything else.
   */
  readonly #ready = { untried: [] as Contact[], tried: [] as HeldDelivery[], replayed: [] as Contact[] };
  #isTurnOfTried = false;
  /** When something happens by itself, earliest first. */
  #moments: Moment[] = [];
  readonly #hungry = new Set<string>();

  get hasReady(): boolean {
    return this.first !== undefined;
  }

  /** When `advance` has something to do, in milliseconds; null where nothing waits for its time. */
  get nextMoment(): number | null {
    return this.#moments[0]?.at ?? null;
  }

  /** The delivery that `next` gives out. */
  get first(): HeldDelivery | undefined {
    const kind = this.#nextKind();
    return kind === 'tried' ? this.#ready.tried[0] : this.#ready[kind][0]?.waiting[0];
  }

  /** Contacts of which more is to be read from the database. */
  get hungry(): string[] {
    return [...this.#hungry];
  }

  get isHungry(): boolean {
    return this.#hungry.size > 0;
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
   * Takes a delivery that was not tried yet, or is replayed.
   * @returns false where it has to wait in the database, behind others of its contact
   */
  add(delivery: HeldDelivery, now: number): boolean {
    const contact = this.#contactOf(delivery);
    contact.hasMore ||= contact.waiting.length >= MOST_OF_CONTACT || isHeldBack(contact);
    if (contact.hasMore) return false;
    this.#insert(contact, delivery, now);
    return true;
  }

  /**
   * Takes a delivery that failed before.
   * @param holds whether the others of its contact wait for it, but for those that wait for another already
   * @returns the others, which leave memory
   */
  addTried(delivery: HeldDelivery, holds: boolean, now: number): HeldDelivery[] {
    this.#waitToBeTried(delivery, now);
    const contact = holds ? this.#contactOf(delivery) : null;
    return contact?.before === null ? this.#hold(contact, delivery, now) : [];
  }

  /** What was read of a hungry contact. @returns those that it takes */
  refill(key: string, deliveries: HeldDelivery[], isAll: boolean, now: number): HeldDelivery[] {
    const contact = this.#contacts.get(key);
    if (!contact || isHeldBack(contact)) return [];
    deliveries.forEach((delivery) => this.#insert(contact, delivery, now));
    contact.hasMore = !isAll;
    this.#hungry.delete(key);
    this.#settle(key, contact);
    return deliveries;
  }

  /** What goes out now. */
  next(): HeldDelivery | null {
    const kind = this.#nextKind();
    this.#isTurnOfTried = !this.#isTurnOfTried;
    if (kind === 'tried') {
      const delivery = this.#ready.tried.shift() ?? null;
      if (delivery) this.#tried.delete(delivery);
      return delivery;
    }
    const contact = this.#ready[kind].shift();
    if (!contact) return null;
    contact.isReady = false;
    contact.before = contact.waiting.shift() ?? null;
    return contact.before;
  }

  /** What was on its way is over, or waits elsewhere from now on. */
  leave(delivery: HeldDelivery, now: number): void {
    const contact = this.#contacts.get(delivery.orderingKey);
    if (contact?.before === delivery) this.#letGoOn(delivery.orderingKey, contact, now);
  }

  /** What was on its way has failed, and is tried again from here. @returns the others, which leave memory */
  holdBack(delivery: HeldDelivery, againAt: number, now: number): HeldDelivery[] {
    delivery.dueAt = againAt;
    this.#waitToBeTried(delivery, now);
    const contact = this.#contacts.get(delivery.orderingKey);
    return contact?.before === delivery ? this.#hold(contact, delivery, now) : [];
  }

  /** Does what is due. */
  advance(now: number): void {
    for (let first = this.#moments[0]; first && first.at <= now; first = this.#moments[0]) {
      this.#moments.shift();
      const { what, delivery } = first;
      const contact = this.#contacts.get(delivery.orderingKey);
      if (what === 'passed') this.leave(delivery, now);
      else if (this.#tried.has(delivery)) this.#ready.tried.push(delivery);
      else if (contact) this.#begin(contact, now);
    }
  }

  /** @returns what waits to be tried again, which is gone from here; others of its contact may go on */
  dropTried(now: number): HeldDelivery[] {
    const dropped = [...this.#tried];
    const isDropped = new Set(dropped);
    this.#tried.clear();
    this.#ready.tried = [];
    this.#moments = this.#moments.filter(({ delivery }) => !isDropped.has(delivery));
    dropped.forEach((delivery) => this.leave(delivery, now));
    return dropped;
  }

  /** @returns all that waits, which is gone from here; not what is on its way */
  drop(now: number): HeldDelivery[] {
    const dropped = this.dropTried(now);
    for (const [key, contact] of this.#contacts) {
      dropped.push(...contact.waiting.splice(0));
      [contact.hasMore, contact.isReady] = [false, false];
      if (!contact.before) this.#contacts.delete(key);
    }
    this.#hungry.clear();
    [this.#ready.untried, this.#ready.replayed] = [[], []];
    // What is on its way holds its contact back no longer than otherwise.
    this.#moments = this.#moments.filter(({ what }) => what === 'passed');
    return dropped;
  }

  #contactOf({ orderingKey }: HeldDelivery): Contact {
    const known = this.#contacts.get(orderingKey);
    if (known) return known;
    const contact: Contact = { waiting: [], before: null, hasMore: false, isReady: false };
    this.#contacts.set(orderingKey, contact);
    return contact;
  }

  /** By sequence, so that what was recorded earlier and comes later, from another process, goes out first. */
  #insert(contact: Contact, delivery: HeldDelivery, now: number): void {
    const { waiting } = contact;
    let at = waiting.length;
    while (at > 0 && delivery.sequence < (waiting[at - 1]?.sequence ?? 0)) at--;
    waiting.splice(at, 0, delivery);
    this.#begin(contact, now);
  }

  /** The first of a contact goes out, where nothing is before it and its time has come. */
  #begin(contact: Contact, now: number): void {
    const [first] = contact.waiting;
    if (!first || contact.before || contact.isReady) return;
    const isReplayed = first.attemptsBefore > 0;
    if (isReplayed && first.dueAt > now) return this.#at(first.dueAt, 'due', first);
    contact.isReady = true;
    this.#ready[isReplayed ? 'replayed' : 'untried'].push(contact);
  }

  /** Forgets a contact of which there is nothing, and asks for more of one that has nearly run out. */
  #settle(key: string, contact: Contact): void {
    const { waiting, before, hasMore } = contact;
    if (!waiting.length && !before && !hasMore) this.#contacts.delete(key);
    if (hasMore && waiting.length <= MOST_OF_CONTACT / 2 && !isHeldBack(contact)) this.#hungry.add(key);
  }

  #waitToBeTried(delivery: HeldDelivery, now: number): void {
    this.#tried.add(delivery);
    if (delivery.dueAt > now) this.#at(delivery.dueAt, 'due', delivery);
    else this.#ready.tried.push(delivery);
  }

  /** A delivery holds its contact back. @returns the others, which leave memory */
  #hold(contact: Contact, delivery: HeldDelivery, now: number): HeldDelivery[] {
    contact.before = delivery;
    if (delivery.failedAt === null) this.#at(now + LONGEST_HELD, 'passed', delivery);
    delivery.failedAt ??= now;
    const others = contact.waiting.splice(0);
    contact.hasMore ||= others.length > 0;
    if (contact.isReady)
      for (const kind of ['untried', 'replayed'] as const)
        this.#ready[kind] = this.#ready[kind].filter((one) => one !== contact);
    contact.isReady = false;
    this.#hungry.delete(delivery.orderingKey);
    return others;
  }

  #letGoOn(key: string, contact: Contact, now: number): void {
    contact.before = null;
    this.#settle(key, contact);
    this.#begin(contact, now);
  }

  /** Whose turn it is, of those in which there is something. */
  #nextKind(): 'untried' | 'tried' | 'replayed' {
    const { untried, tried } = this.#ready;
    if (tried.length && (this.#isTurnOfTried || !untried.length)) return 'tried';
    return untried.length ? 'untried' : 'replayed';
  }

  #at(at: number, what: Moment['what'], delivery: HeldDelivery): void {
    let place = this.#moments.length;
    while (place > 0 && (this.#moments[place - 1]?.at ?? 0) > at) place--;
    this.#moments.splice(place, 0, { at, what, delivery });
  }
}

/** Whether what is before the others failed before: nothing goes out behind it. */
const isHeldBack = ({ before }: Contact): boolean => before !== null && before.failedAt !== null;
