/**
 * Identities of contacts on the platform. Most contacts have only a telephone number. Some have a WhatsApp ID
 * that differs from it (in Brazil, one 9 less), some also have a user ID, and some have only a user ID.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
import { isNumber, isUserId } from '../platform/contact-ids';
import { ControlRefusal } from '../control/refusal';
import { type JsonObject } from '../platform/json';

export interface Contact {
  /** The key of the contact: its WhatsApp ID, or its user ID if it has none. */
  id: string;
  /** The WhatsApp ID, a number in digits. */
  waId?: string;
  userId?: string;
  username?: string;
}

/** The identity of a contact; `address` is the number or user ID that messages are sent to. */
export interface Identity extends Omit<Contact, 'id'> {
  address: string;
}

const IDENTITIES_MOST = 10_000;

/** Removes "+", spaces, hyphens and brackets from a number. Refuses anything but a number or a user ID. */
export function addressOf(written: string): string {
  if (isUserId(written)) return written;
  const digits = written.replace(/[+ ()-]/g, '');
  if (isNumber(digits)) return digits;
  throw new ControlRefusal(
    'A contact is a telephone number with its country code, for example 12025550147, or a user id of the platform, for ' +
      'example US.13491208655302741918.',
  );
}

export class ContactStore {
  /** Identities by address. */
  private readonly identities = new Map<string, Identity>();
  /** Maps each WhatsApp ID and user ID to its address. */
  private readonly holders = new Map<string, string>();

  /** Returns the contact for a number in digits, a WhatsApp ID or a user ID. */
  at(address: string): Contact {
    const identity = this.identities.get(address) ?? this.identities.get(this.holders.get(address) ?? '');
    const known = identity?.address ?? address;
    const waId = identity?.waId ?? (isUserId(known) ? undefined : known);
    const userId = identity?.userId ?? (isUserId(known) ? known : undefined);
    return {
      id: waId ?? known,
      ...(waId !== undefined && { waId }),
      ...(userId !== undefined && { userId }),
      ...(identity?.username !== undefined && { username: identity.username }),
    };
  }

  /** Sets the given fields of a contact. Refuses an ID that belongs to another contact. */
  identify(identity: Identity): void {
    const { address } = identity;
    const ids = idsOf(identity);
    const taken = ids.find((id) => (this.holders.get(id) ?? address) !== address);
    if (taken !== undefined) {
      throw new ControlRefusal(`${taken} belongs to the contact ${this.holders.get(taken)} already.`);
    }
    this.remove(address);
    this.identities.set(address, identity);
    ids.forEach((id) => this.holders.set(id, address));
    const [oldest] = this.identities.keys();
    if (oldest !== undefined && this.identities.size > IDENTITIES_MOST) this.remove(oldest);
  }

  /** Returns the identity for an address. */
  identityAt(address: string): Identity {
    return this.identities.get(address) ?? { address };
  }

  /** Forgets the contact with this ID, or all contacts. */
  forget(id?: string): void {
    for (const address of this.identities.keys())
      if (id === undefined || this.at(address).id === id) this.remove(address);
  }

  private remove(address: string): void {
    idsOf(this.identityAt(address)).forEach((id) => this.holders.delete(id));
    this.identities.delete(address);
  }
}

const idsOf = ({ waId, userId }: Identity): string[] => [waId, userId].filter((id) => id !== undefined);

/** The contact's entry in the `contacts` of a notification. */
export const contactEntry = (contact: Contact, name: string): JsonObject => ({
  profile: { name, ...(contact.username !== undefined && { username: contact.username }) },
  ...(contact.waId !== undefined && { wa_id: contact.waId }),
  ...(contact.userId !== undefined && { user_id: contact.userId }),
});
