import { type Destination } from '../../forwarding/destination';
import { DESTINATION_ANSWER_LIMIT } from '../../forwarding/deliver';
import { handshake, type HandshakeReport } from '../../forwarding/destinations/handshake';
import { createHttpClient } from '../../http/http-client';
import { type Offline } from '../offline';

/** Tries the handshake with a destination that a command has saved, as the panel does. */
export async function tryHandshake({ rules }: Offline, destination: Destination): Promise<HandshakeReport> {
  const http = createHttpClient({
    rules,
    maxAnswerBytes: DESTINATION_ANSWER_LIMIT,
    brokenBody: 'ignored',
  });
  try {
    const { ok, detail } = await handshake(http, destination);
    return { ok, detail };
  } finally {
    await http.close();
  }
}

export const handshakeText = ({ ok, detail }: HandshakeReport): string =>
  `Handshake ${ok ? 'succeeded' : 'failed'}: ${detail}`;
