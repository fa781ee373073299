import { type HttpClient } from '../http/http-client';
import { SECOND } from '../time';
import { readUpstreamError, UpstreamRefused, UpstreamSilent, UpstreamUnreachable } from './failures';
import { type UpstreamTemplate, TEMPLATE_FIELDS } from './template';
import { type PhoneNumberNode } from './phone-number';

/** The version of the Graph API that is spoken upstream. */
export const UPSTREAM_VERSION = 'v22.0';

/** A send, or any other call, has this long for its answer. */
const EXCHANGE_TIMEOUT = 30 * SECOND;
/** Templates of one page; upstream's own ceiling is higher, but large pages time out. */
const TEMPLATES_A_PAGE = 100;
/** Pages that one list may have: 500 × 100 is far beyond upstream's ceiling of templates, so more is a loop. */
const MOST_PAGES = 500;

/** What a send needs of a line. */
export interface SendingCredentials {
  phoneNumberId: string;
  accessToken: string;
}

/** The answer to an accepted message. `contacts` and `messages` are upstream's own. */
export interface AcceptedMessage {
  contacts?: { input?: string; wa_id?: string; user_id?: string }[];
  messages: { id: string; message_status?: string }[];
}

export interface CloudApi {
  /** Hands a message to upstream. @param body JSON text, `messaging_product` and `to` as upstream wants them. */
  sendMessage(from: SendingCredentials, body: string | Buffer): Promise<AcceptedMessage>;
  /** Marks an inbound message as read. */
  markAsRead(from: SendingCredentials, body: string | Buffer): Promise<void>;
  /** All templates of a business account, every page of them. */
  templates(of: { wabaId: string; accessToken: string }): Promise<UpstreamTemplate[]>;
  /** The phone number's node with these fields; one that upstream no longer knows is left out of the answer. */
  phoneNumber(of: SendingCredentials, fields: readonly string[]): Promise<PhoneNumberNode>;
}

/**
 * The upstream's HTTP API.
 * Every call fails with UpstreamRefused (it answered an error), UpstreamUnreachable (not handed over) or
 * UpstreamSilent (handed over, no answer).
 * @param address without a slash at its end.
 */
export function cloudApi(http: HttpClient, address: string): CloudApi {
  const root = `${address}/${UPSTREAM_VERSION}`;

  async function call<T>(
    method: 'get' | 'post',
    url: string,
    accessToken: string,
    data?: string | Buffer,
  ): Promise<T> {
    const answer = await http.axios
      .request<Buffer>({
        method,
        url,
        data,
        headers: {
          authorization: `Bearer ${accessToken}`,
          ...(data !== undefined && { 'content-type': 'application/json' }),
        },
        signal: AbortSignal.timeout(EXCHANGE_TIMEOUT),
      })
      .catch((error: unknown) => {
        throw neverConnected(error)
          ? new UpstreamUnreachable('Upstream cannot be reached', { cause: error })
          : new UpstreamSilent('Upstream did not answer', { cause: error });
      });
    const text = answer.data.toString('utf8');
    if (answer.status < 200 || answer.status > 299)
      throw new UpstreamRefused(readUpstreamError(answer.status, text));
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw new UpstreamSilent('Upstream answered something that is not JSON', { cause: error });
    }
  }

  return {
    async sendMessage(from, body) {
      const accepted = await call<Partial<AcceptedMessage>>(
        'post',
        `${root}/${encodeURIComponent(from.phoneNumberId)}/messages`,
        from.accessToken,
        body,
      );
      if (typeof accepted.messages?.[0]?.id !== 'string')
        throw new UpstreamSilent('Upstream answered without a message id');
      return accepted as AcceptedMessage;
    },

    async markAsRead(from, body) {
      await call(
        'post',
        `${root}/${encodeURIComponent(from.phoneNumberId)}/messages`,
        from.accessToken,
        body,
      );
    },

    async templates({ wabaId, accessToken }) {
      const found: UpstreamTemplate[] = [];
      const query = { limit: String(TEMPLATES_A_PAGE), fields: TEMPLATE_FIELDS.join(',') };
      let after: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const parameters = new URLSearchParams(after === undefined ? query : { ...query, after });
        const url = `${root}/${encodeURIComponent(wabaId)}/message_templates?${parameters.toString()}`;
        const answer = await call<{
          data?: UpstreamTemplate[];
          paging?: { next?: string; cursors?: { after?: string } };
        }>('get', url, accessToken);
        found.push(...(answer.data ?? []));
        after = answer.paging?.next ? answer.paging.cursors?.after : undefined;
        if (after === undefined) return found;
      }
      throw new UpstreamSilent(`Upstream's list of templates does not end after ${MOST_PAGES} pages`);
    },

    async phoneNumber(of, fields) {
      let asked = [...fields];
      for (;;) {
        const url = `${root}/${encodeURIComponent(of.phoneNumberId)}?fields=${asked.join(',')}`;
        try {
          return await call<PhoneNumberNode>('get', url, of.accessToken);
        } catch (error) {
          const unknown = unknownField(error);
          if (unknown === null || !asked.includes(unknown)) throw error;
          asked = asked.filter((field) => field !== unknown);
        }
      }
    },
  };
}

/** The field for which upstream fails the whole request, or null. */
function unknownField(error: unknown): string | null {
  if (!(error instanceof UpstreamRefused) || error.answer.code !== 100) return null;
  return /nonexisting field \((\w+)\)/.exec(error.answer.message)?.[1] ?? null;
}

/** Errors of a connection that never came about: nothing was handed over. */
const NEVER_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

const neverConnected = (error: unknown): boolean =>
  NEVER_CONNECTED.includes((error as { code?: string }).code ?? '');
