import { randomBytes } from 'node:crypto';
import { type HttpClient } from '../../http/http-client';
import { SECOND } from '../../time';
import { isOfCustomer, type Destination } from '../destination';
import { verifyTokenOf } from '../signatures';

/** What the handshake with a destination came to. */
export interface HandshakeReport {
  ok: boolean;
  detail: string;
}

const HANDSHAKE_TIMEOUT = 5 * SECOND;

/**
 * Asks a destination as the platform asks a callback: it answers the bare challenge. Reported, never required.
 * @param forOperator tells why no answer came; a customer is not told what is in the gateway's network, and what is not
 */
export async function handshake(
  http: HttpClient,
  destination: Pick<Destination, 'url' | 'secret' | 'origin'>,
  forOperator = true,
): Promise<HandshakeReport> {
  const { url, secret } = destination;
  const challenge = randomBytes(12).toString('hex');
  const asked = new URL(url);
  asked.searchParams.set('hub.mode', 'subscribe');
  asked.searchParams.set('hub.verify_token', verifyTokenOf(secret));
  asked.searchParams.set('hub.challenge', challenge);
  try {
    const answer = await http.axios.request<Buffer>({
      method: 'get',
      url: asked.href,
      timeout: HANDSHAKE_TIMEOUT,
      isForCustomer: isOfCustomer(destination),
    });
    const echoed = answer.status === 200 && answer.data.toString('utf8').trim() === challenge;
    if (echoed) return { ok: true, detail: 'It answered the challenge.' };
    return {
      ok: false,
      detail: `It answered HTTP ${answer.status} without the challenge. Events are sent all the same.`,
    };
  } catch (error) {
    return {
      ok: false,
      detail: forOperator
        ? `It could not be asked: ${(error as Error).message}. Events are sent all the same.`
        : 'The gateway does not reach this address. Events are sent all the same.',
    };
  }
}
