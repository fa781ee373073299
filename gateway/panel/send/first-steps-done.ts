import { type Line } from '../../lines/line';
import { isoTime, SECOND } from '../../time';
import { type UserContext } from '../request-context';
import { DEMO_CONTACT } from './phone-address';

/** The completed first steps of the first line. */
export interface FirstStepsDone {
  /** Whether the platform has called the callback; always true with the sandbox. */
  isConnected: boolean;
  isSent: boolean;
  isAnswered: boolean;
  /** Whether a program has used a token. */
  isUsed: boolean;
  /** Whether an operator has added a destination. */
  isForwarded: boolean;
  /** The recipient of the last message; without one, the demo contact. */
  contact: string;
}

/** Latest contacts to check for an answer. */
const LATEST = 10;

export async function firstStepsDone({ deps }: UserContext, line: Line): Promise<FirstStepsDone> {
  const { store, windows, destinations } = deps;
  const sent = (limit: number, contacts?: string[], before?: string) =>
    store.messageList.page(
      { lineId: line.id, ...(contacts && { contacts }) },
      before === undefined ? null : { acceptedAt: before, wamid: '\uffff' },
      limit,
    );
  /** Whether the contact replied to a message. */
  const hasAnswered = async (contact: string) => {
    const wroteAt = await windows.exactLastInboundAt(line.id, contact);
    // The platform's times are whole seconds.
    return wroteAt !== null && (await sent(1, [contact], isoTime(wroteAt + SECOND))).rows.length > 0;
  };
  const { rows } = await sent(LATEST);
  let isAnswered = false;
  // Starts with recent contacts and ends with the demo contact, so that the steps stay done when other
  // contacts follow.
  for (const contact of new Set([...rows.map((row) => row.contact), DEMO_CONTACT]))
    isAnswered ||= contact !== null && (await hasAnswered(contact));
  const isConnected =
    isAnswered || deps.sandboxUrl !== null || !(await store.glance.notCalled(line.id)).length;
  return {
    isConnected,
    isSent: rows.length > 0,
    isAnswered,
    isUsed: (await store.tokens.ofLine(line.id)).some((token) => token.last_used_at !== null),
    isForwarded: destinations.ofLine(line.id).some(({ origin }) => origin !== 'token'),
    contact: rows[0]?.contact ?? DEMO_CONTACT,
  };
}
