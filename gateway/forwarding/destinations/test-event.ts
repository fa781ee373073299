import { randomBytes } from 'node:crypto';
import { type HttpClient } from '../../http/http-client';
import { SECOND, type Clock } from '../../time';
import { deliver, type Outcome } from '../deliver';
import { type Destination } from '../destination';

/** A number from the range that is reserved for fiction. */
const TEST_CONTACT = '15550100000';

/** The result of a test event. */
export interface TestEvent extends Outcome {
  eventId: string;
  /** The bytes that were sent. */
  body: string;
}

/**
 * Sends a signed text message in the platform's format to one destination, once and immediately. The event is not
 * recorded or retried. Receivers recognise it by the header `X-Gateway-Test: 1`, a `webhook-id` that begins with
 * `evt_test_`, and a message id that begins with `wamid.test.`.
 */
export async function sendTestEvent(
  { http, clock }: { http: HttpClient; clock: Clock },
  destination: Destination,
  line: { phoneNumberId: string; phoneNumber: string; wabaId: string },
): Promise<TestEvent> {
  const random = randomBytes(9).toString('base64url');
  const eventId = `evt_test_${random}`;
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: line.wabaId, changes: [{ value: valueOf(line, random, clock()), field: 'messages' }] }],
  });
  const marked = { ...destination, headers: { ...destination.headers, 'x-gateway-test': '1' } };
  const outcome = await deliver(http, marked, { eventId, body, attempt: 1, line: line.phoneNumberId }, clock);
  return { ...outcome, eventId, body };
}

const valueOf = (
  line: { phoneNumberId: string; phoneNumber: string },
  random: string,
  now: number,
): object => ({
  messaging_product: 'whatsapp',
  metadata: {
    display_phone_number: line.phoneNumber.replace(/\D/g, ''),
    phone_number_id: line.phoneNumberId,
  },
  contacts: [{ profile: { name: 'Test event' }, wa_id: TEST_CONTACT }],
  messages: [
    {
      from: TEST_CONTACT,
      id: `wamid.test.${random}`,
      timestamp: String(Math.floor(now / SECOND)),
      type: 'text',
      text: { body: 'This is a test event of the Messaging Gateway. Nobody wrote it.' },
    },
  ],
});
