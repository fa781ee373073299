/**
 * Message IDs in the platform's format: "wamid." and the base64 of a binary record with the contact and a random
 * ID. The format is undocumented and was derived from published IDs:
 *
 *   1c 18 <length> <contact's digits>  15 02 00  11 | 12  18 <length> <id in hex capitals>  00
 *
 * 11 marks a message from the business (ID of 18 characters), 12 a message from the contact (20, beginning with 3A).
 */
import { randomBytes } from 'node:crypto';

export type Direction = 'to_contact' | 'from_contact';

/** Creates a message ID for a contact, given as a number in digits. */
export function newWamid(contact: string, direction: Direction): string {
  const random = randomBytes(9).toString('hex').toUpperCase();
  const id = direction === 'to_contact' ? random : `3A${random}`;
  const record = Buffer.concat([
    Buffer.from([0x1c, 0x18, contact.length]),
    Buffer.from(contact),
    Buffer.from([0x15, 0x02, 0x00, direction === 'to_contact' ? 0x11 : 0x12, 0x18, id.length]),
    Buffer.from(id),
    Buffer.from([0x00]),
  ]);
  return `wamid.${record.toString('base64')}`;
}

const RECORD = /^\x1c\x18.\d+\x15\x02\x00([\x11\x12])\x18.[\dA-F]+\x00$/s;

/** Returns the direction of a message by its ID; undefined if it is not a message ID. */
export function directionOf(id: string): Direction | undefined {
  const [, base64] = /^wamid\.(.+)$/s.exec(id) ?? [];
  const [, direction] = RECORD.exec(Buffer.from(base64 ?? '', 'base64').toString('latin1')) ?? [];
  if (!direction) return undefined;
  return direction === '\x11' ? 'to_contact' : 'from_contact';
}
