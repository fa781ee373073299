import { type Destination } from '../../forwarding/destination';
import { DESTINATION_ANSWER_LIMIT } from '../../forwarding/deliver';
import { handshake } from '../../forwarding/destinations/handshake';
import { createHttpClient } from '../../http/http-client';
import { say } from '../../wording/say';
import { type Offline } from '../offline';

/** The result of a handshake, for output. */
export interface Shaken {
  ok: boolean;
  detail: string;
}

/** Tries the handshake with a saved destination, as the panel does. */
export async function tryHandshake({ rules }: Offline, destination: Destination): Promise<Shaken> {
  const http = createHttpClient({
    rules,
    maxAnswerBytes: DESTINATION_ANSWER_LIMIT,
    brokenBody: 'ignored',
  });
  try {
    const { ok, said } = await handshake(http, destination);
    return { ok, detail: say('en', said) };
  } finally {
    await http.close();
  }
}

export const handshakeText = ({ ok, detail }: Shaken): string =>
  `Handshake ${ok ? 'succeeded' : 'failed'}: ${detail}`;
