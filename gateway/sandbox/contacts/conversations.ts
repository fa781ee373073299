/**
 * The newest messages of all conversations, and when each contact last wrote to each line. Both are bounded
 * and drop their oldest entries, so that a load test does not fill the memory. Messages are kept in memory
 * only.
 */
import { type DocumentedError } from '../platform/documented-errors';
import { type MessageContent } from './accepted-message';
import { type Direction } from '../platform/wamid';

const MESSAGES_MOST = 10_000;
const CONTACTS_MOST = 100_000;

/** The profile name of a contact without one, made from the end of its number or user ID. */
export const defaultName = (contact: string): string => `Contact ${contact.slice(-4)}`;

/** How long a business may reply freely after a contact's message, in milliseconds. */
export const CUSTOMER_SERVICE_WINDOW = 24 * 60 * 60 * 1000;

export type MessageStatus = 'sent' | 'delivered' | 'read' | 'played' | 'failed';

export interface ConversationMessage extends MessageContent {
  id: string;
  line: string;
  contact: string;
  direction: Direction;
  at: Date;
  /** Statuses of the message, oldest first. */
  statuses: { messageStatus: MessageStatus; at: Date; error?: DocumentedError }[];
}

/** The time of a contact's last message to a line. */
export interface LastWrote {
  line: string;
  contact: string;
  name: string;
  at: Date;
}

export class Conversations {
  private readonly messages = new Map<string, ConversationMessage>();
  private readonly contacts = new Map<string, LastWrote>();

  remember(message: ConversationMessage): void {
    this.messages.set(message.id, message);
    forgetOldest(this.messages, MESSAGES_MOST);
  }

  find(id: string): ConversationMessage | undefined {
    return this.messages.get(id);
  }

  /** Messages between the line and the contact, oldest first. */
  between(line: string, contact: string): ConversationMessage[] {
    return [...this.messages.values()].filter((each) => each.line === line && each.contact === contact);
  }

  /** The newest message of each contact with the line, in either direction. */
  latestOf(line: string): Map<string, ConversationMessage> {
    return new Map(
      [...this.messages.values()].filter((each) => each.line === line).map((each) => [each.contact, each]),
    );
  }

  wrote(entry: LastWrote): void {
    const key = `${entry.line} ${entry.contact}`;
    this.contacts.delete(key);
    this.contacts.set(key, entry);
    forgetOldest(this.contacts, CONTACTS_MOST);
  }

  /** Contacts of a line, most recently active first. */
  contactsOf(line: string): string[] {
    const wrote = [...this.contacts.values()].filter((each) => each.line === line);
    const others = [...this.messages.values()].filter((each) => each.line === line);
    const latest = [...wrote, ...others].sort((one, other) => other.at.getTime() - one.at.getTime());
    return [...new Set(latest.map((each) => each.contact))];
  }

  /** Forgets the messages with one contact, or with every contact. */
  forget(contact?: string): void {
    for (const map of [this.messages, this.contacts]) {
      for (const [key, each] of map) if (contact === undefined || each.contact === contact) map.delete(key);
    }
  }

  lastWrote(line: string, contact: string): LastWrote | undefined {
    return this.contacts.get(`${line} ${contact}`);
  }

  /** When the customer service window closes; undefined if it is closed or was never open. */
  windowEnds(line: string, contact: string, now: Date): Date | undefined {
    const last = this.lastWrote(line, contact);
    if (!last) return undefined;
    const end = new Date(last.at.getTime() + CUSTOMER_SERVICE_WINDOW);
    return end > now ? end : undefined;
  }
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (oldest !== undefined && map.size > most) map.delete(oldest);
}
