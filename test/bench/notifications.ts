import { signatureOf } from '../../gateway/cloud-api/signature';
import { APP_SECRET, notification, textFrom } from '../support/test-gateway';
import { type Request } from './load';

/** Who writes; each has a lane of his own. */
export const CONTACTS = Array.from({ length: 200 }, (_nothing, index) => String(16505550000 + index));

export const contactOf = (index: number): string => CONTACTS[index % CONTACTS.length] ?? '';

/** What one contact writes. */
export const notificationRequest = (wamid: string, index: number, phoneNumberId?: string): Request =>
  signed(notification(textFrom(contactOf(index), 'Is my order ready?', wamid), phoneNumberId));

/** What many contacts write, in one notification. @param first of the messages, which are numbered */
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

/** What all of them write, at once: free-form text may go to whoever wrote in the last 24 hours. */
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

/** As upstream signs it. */
function signed(told: object): Request {
  const body = JSON.stringify(told);
  return {
    path: '/webhooks/platform',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signatureOf(body, APP_SECRET) },
    body,
  };
}
