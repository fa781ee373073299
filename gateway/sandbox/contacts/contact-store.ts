/**
 * Who the contacts are to the platform. Most are a telephone number and nothing else. Some have a WhatsApp id that
 * differs from the number that is dialled (in Brazil, a 9 less); some have a user id of the platform beside their
 * number; and some are known by that user id alone.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
import { isNumber, isUserId } from '../platform/contact-ids';
import { ControlRefusal } from '../control/refusal';
import { type JsonObject } from '../platform/json';

export interface Contact {
  /** The WhatsApp id, else the user id: what the contact is remembered by. */
  id: string;
  /** The WhatsApp id: a number in digits. */
  waId?: string;
  userId?: string;
  username?: string;
}

/** What a contact is besides its number; `address` is how it is written to. */
export interface Identity extends Omit<Contact, 'id'> {
  address: string;
}

const IDENTITIES_MOST = 10_000;

/**
 * Removes "+", spaces and similar characters from a number. Refuses anything that is neither a number nor a
 * user id.
 */
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
  /** By address. */
  private readonly identities = new Map<string, Identity>();
  /** The address of each WhatsApp id and user id. */
  private readonly holders = new Map<string, string>();

  /** The contact at a number in digits, a WhatsApp id or a user id. */
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

  /** Sets the given fields of a contact. Refuses an id that another contact has. */
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

  /** Other fields of a contact. */
  identityAt(address: string): Identity {
    return this.identities.get(address) ?? { address };
  }

  /** For the contact with this id, or for all. */
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
