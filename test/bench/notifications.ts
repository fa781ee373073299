import { signatureOf } from '../../gateway/cloud-api/signature';
import { APP_SECRET, notification, textFrom } from '../support/test-gateway';
import { type Request } from './load';

/** The writing contacts; each has its own lane. */
export const CONTACTS = Array.from({ length: 200 }, (_nothing, index) => String(16505550000 + index));

export const contactOf = (index: number): string => CONTACTS[index % CONTACTS.length] ?? '';

/** A notification with one message from a contact. */
export const notificationRequest = (wamid: string, index: number, phoneNumberId?: string): Request =>
  signed(notification(textFrom(contactOf(index), 'Is my order ready?', wamid), phoneNumberId));

/**
 * One notification with messages from many contacts.
 * @param first number of the first message
 */
export const manyWrite = (name: string, first: number, count: number, contacts: number): Request =>
  signed(
    notification({
      messages: Array.from({ length: count }, (_nothing, index) => ({
        from: String(16505550000 + ((first + index) % contacts)),
        id: `wamid.${name}-${first + index}`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: 'Is my order ready?' },
      })),
    }),
  );

/** One notification with a message from every contact, which opens their windows for 24 hours. */
export const everybodyWrites = (): Request =>
  signed(
    notification({
      messages: CONTACTS.map((from, index) => ({
        from,
        id: `wamid.first-${index}`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: 'Hello' },
      })),
    }),
  );

/** Signs a request like the platform. */
export function signed(told: object): Request {
  const body = JSON.stringify(told);
  return {
    path: '/webhooks/platform',
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': signatureOf(Buffer.from(body), APP_SECRET),
    },
    body,
  };
}
