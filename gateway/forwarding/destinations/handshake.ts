import { randomBytes } from 'node:crypto';
import { AddressRefused } from '../../http/destination-address';
import { type HttpClient } from '../../http/http-client';
import { SECOND } from '../../time';
import { DNS_CODES } from '../deliver';
import { isOfCustomer, type Destination } from '../destination';
import { verifyTokenOf } from '../signatures';

/** The result of the handshake with a destination. */
export interface HandshakeReport {
  ok: boolean;
  /** Sentences for whoever saved the destination. */
  detail: string;
}

/** What an operator learns beside it. */
export interface OperatorReport extends HandshakeReport {
  /** `refused`: the name resolves to an address that the gateway may not call. */
  connection: 'made' | 'failed' | 'refused';
}

const HANDSHAKE_TIMEOUT = 5 * SECOND;
const SENT_ANYWAY = 'Events are sent all the same.';

/** The same for every address without an answer, so that no token can explore the gateway's network. */
const NO_ANSWER = `The gateway cannot reach this address. If the address is private, for example n8n on the same Docker network, the operator of the gateway has to allow it with GATEWAY_ALLOW_DESTINATIONS. ${SENT_ANYWAY}`;

type Asked = Pick<Destination, 'url' | 'secret' | 'origin'>;

/** Asks a destination as the platform asks a callback: it answers the bare challenge. Reported, never required. */
export async function handshake(http: HttpClient, destination: Asked): Promise<OperatorReport> {
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
    if (echoed) return { ok: true, detail: 'It answered the challenge.', connection: 'made' };
    return {
      ok: false,
      detail: `It answered HTTP ${answer.status} without the challenge. ${SENT_ANYWAY}`,
      connection: 'made',
    };
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string };
    if (error instanceof AddressRefused)
      return { ok: false, detail: `${message} Until then its events wait here.`, connection: 'refused' };
    if (DNS_CODES.includes(code))
      return {
        ok: false,
        detail: `The host name ${asked.hostname} cannot be found. Check its spelling. Events wait until the name is found.`,
        connection: 'failed',
      };
    return {
      ok: false,
      detail: `It could not be asked: ${message}. ${SENT_ANYWAY}`,
      connection: 'failed',
    };
  }
}

/** The same for whoever saved the destination with a line's token. */
export async function handshakeForToken(http: HttpClient, destination: Asked): Promise<HandshakeReport> {
  const { ok, detail, connection } = await handshake(http, destination);
  return { ok, detail: connection === 'made' ? detail : NO_ANSWER };
}
