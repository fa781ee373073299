import { randomBytes } from 'node:crypto';
import { AddressRefused } from '../../http/destination-address';
import { type HttpClient } from '../../http/http-client';
import { SECOND } from '../../time';
import { fact, type Fact } from '../../wording/facts';
import { DNS_CODES } from '../deliver';
import { isOfCustomer, type Destination } from '../destination';
import { verifyTokenOf } from '../signatures';

/** The result of the handshake with a destination. */
export interface HandshakeReport {
  ok: boolean;
  said: Fact;
}

/** The report for operators. */
export interface OperatorReport extends HandshakeReport {
  /** `refused`: the host name resolves to an address that the gateway may not call. */
  connection: 'made' | 'failed' | 'refused';
}

const HANDSHAKE_TIMEOUT = 5 * SECOND;

type Asked = Pick<Destination, 'url' | 'secret' | 'origin'>;

/**
 * Sends a destination the platform's webhook verification request. The destination should return the bare challenge,
 * but need not.
 */
export async function handshake(http: HttpClient, destination: Asked): Promise<OperatorReport> {
  const { url, secret } = destination;
  const challenge = randomBytes(12).toString('hex');
  const asked = new URL(url);
  asked.searchParams.set('hub.mode', 'subscribe');
  asked.searchParams.set('hub.verify_token', verifyTokenOf(secret));
  asked.searchParams.set('hub.challenge', challenge);
  try {
    const answer = await http.exchange({
      method: 'GET',
      url: asked.href,
      headers: {},
      body: null,
      timeout: HANDSHAKE_TIMEOUT,
      isForCustomer: isOfCustomer(destination),
    });
    const ok = answer.status === 200 && answer.data.toString('utf8').trim() === challenge;
    const said = ok ? fact('handshake.done', {}) : fact('handshake.ignored', { status: answer.status });
    return { ok, said, connection: 'made' };
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string };
    if (error instanceof AddressRefused)
      return {
        ok: false,
        said: fact('handshake.forbidden', { because: error.because }),
        connection: 'refused',
      };
    const said = DNS_CODES.includes(code)
      ? fact('handshake.unknown_host', { host: asked.hostname })
      : fact('handshake.failed', { message });
    return { ok: false, said, connection: 'failed' };
  }
}

/** The report for line tokens, without facts about the gateway's network. */
export async function handshakeForToken(http: HttpClient, destination: Asked): Promise<HandshakeReport> {
  const { ok, said, connection } = await handshake(http, destination);
  return { ok, said: connection === 'made' ? said : fact('handshake.unreached', {}) };
}
