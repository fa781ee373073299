/**
 * The sandbox's own book: what really happened to each message that a line sent, whatever its statuses reported.
 * `pricing_analytics` and the control route of the book count from it. In memory only.
 */
import { type SandboxLine } from '../platform/account';
import { type MessageStatus } from '../contacts/conversations';

/** Older messages are dropped. */
const MESSAGES_MOST = 200_000;

export interface BookedMessage {
  line: SandboxLine;
  /** As statuses name them: `marketing`, `regular`. */
  category: string;
  type: string;
  /** ISO 3166 alpha-2; `??` if the platform does not know it. */
  country: string;
  isBillable: boolean;
  acceptedAt: Date;
}

type Entry = BookedMessage & { happened: Partial<Record<MessageStatus, Date>> };

export interface BookRow {
  /** Phone number ID. */
  line: string;
  /** The UTC day on which the messages were accepted: `2026-10-02`. */
  day: string;
  category: string;
  type: string;
  country: string;
  accepted: number;
  delivered: number;
  /** Read or played. */
  read: number;
  failed: number;
  /** Delivered and billable. */
  charged: number;
}

export class Book {
  private readonly entries = new Map<string, Entry>();
  private dropped = 0;

  accept(id: string, message: BookedMessage): void {
    this.entries.set(id, { ...message, happened: {} });
    const [oldest] = this.entries.keys();
    if (oldest === undefined || this.entries.size <= MESSAGES_MOST) return;
    this.entries.delete(oldest);
    this.dropped += 1;
  }

  happened(id: string, status: MessageStatus, at: Date): void {
    const entry = this.entries.get(id);
    if (entry) entry.happened[status] ??= at;
  }

  /** Delivered messages with the time of delivery. A message that was read was also delivered. */
  deliveries(): { message: BookedMessage; at: Date }[] {
    return [...this.entries.values()].flatMap((message) => {
      const { delivered, read, played } = message.happened;
      const at = delivered ?? read ?? played;
      return at ? [{ message, at }] : [];
    });
  }

  /**
   * The messages of these lines, by all fields of a row.
   * @param lines phone number IDs
   */
  rows(lines: readonly string[]): BookRow[] {
    const rows = new Map<string, BookRow>();
    for (const { line, category, type, country, isBillable, acceptedAt, happened } of this.entries.values()) {
      if (!lines.includes(line.phoneNumberId)) continue;
      const key = {
        line: line.phoneNumberId,
        day: acceptedAt.toISOString().slice(0, 10),
        category,
        type,
        country,
      };
      const name = Object.values(key).join(' ');
      const row = rows.get(name) ?? { ...key, accepted: 0, delivered: 0, read: 0, failed: 0, charged: 0 };
      const isRead = happened.read ?? happened.played;
      const isDelivered = happened.delivered ?? isRead;
      row.accepted += 1;
      row.delivered += isDelivered ? 1 : 0;
      row.read += isRead ? 1 : 0;
      row.failed += happened.failed ? 1 : 0;
      row.charged += isDelivered && isBillable ? 1 : 0;
      rows.set(name, row);
    }
    return [...rows.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  }

  /** How many messages were dropped because the book was full. */
  get droppedCount(): number {
    return this.dropped;
  }

  forget(): void {
    this.entries.clear();
    this.dropped = 0;
  }
}
