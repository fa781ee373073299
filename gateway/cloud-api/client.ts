import { type HttpClient } from '../http/http-client';
import { SECOND } from '../time';
import { readUpstreamError, UpstreamRefused, UpstreamSilent, UpstreamUnreachable } from './failures';
import { mediaCalls, type MediaApi } from './media';
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

export interface CloudApi extends MediaApi {
  /** Hands a message to upstream. @param body JSON text, `messaging_product` and `to` as upstream wants them. */
  sendMessage(from: SendingCredentials, body: string | Buffer): Promise<AcceptedMessage>;
  /** Marks an inbound message as read. */
  markAsRead(from: SendingCredentials, body: string | Buffer): Promise<void>;
  /** All templates of a business account, every page of them. */
  templates(of: { wabaId: string; accessToken: string }): Promise<UpstreamTemplate[]>;
  /** The phone number's node with these fields; one that upstream no longer knows is left out of the answer. */
  phoneNumber(of: SendingCredentials, fields: readonly string[]): Promise<PhoneNumberNode>;
}

/** Of a call that is not JSON, or that takes as long as a file takes. */
interface CallOptions {
  contentType?: string;
  timeout?: number;
  silence?: number;
}

/** One call with its answer, as all operations make it. */
export type Call = <T>(
  method: 'get' | 'post' | 'delete',
  url: string,
  accessToken: string,
  data?: string | Buffer | AsyncIterable<Uint8Array>,
  options?: CallOptions,
) => Promise<T>;

/**
 * The upstream's HTTP API.
 * Every call fails with UpstreamRefused (it answered an error), UpstreamUnreachable (nothing was handed over, or
 * something was only read) or UpstreamSilent (handed over, no answer).
 * @param address without a slash at its end.
 * @param timeout for one exchange, in milliseconds
 */
export function cloudApi(http: HttpClient, address: string, timeout = EXCHANGE_TIMEOUT): CloudApi {
  const root = `${address}/${UPSTREAM_VERSION}`;

  async function call<T>(
    method: 'get' | 'post' | 'delete',
    url: string,
    accessToken: string,
    data?: string | Buffer | AsyncIterable<Uint8Array>,
    { contentType = 'application/json', ...bounds }: CallOptions = {},
  ): Promise<T> {
    const answer = await http.axios
      .request<Buffer>({
        method,
        url,
        data,
        headers: {
          authorization: `Bearer ${accessToken}`,
          ...(data !== undefined && { 'content-type': contentType }),
        },
        timeout,
        ...bounds,
      })
      .catch((error: unknown) => {
        if (neverConnected(error))
          throw new UpstreamUnreachable('Upstream cannot be reached', { cause: error });
        throw noAnswer('Upstream did not answer', error);
      });
    const text = answer.data.toString('utf8');
    if (answer.status < 200 || answer.status > 299) throw refusedBy(answer.status, text, accessToken);
    const value = parsed(text);
    if (typeof value !== 'object' || value === null)
      throw noAnswer('Upstream answered something that is no JSON object');
    return value as T;

    /** What was only asked for changes nothing upstream, so that it may be asked for again. */
    function noAnswer(message: string, cause?: unknown): Error {
      const Failure = method === 'get' ? UpstreamUnreachable : UpstreamSilent;
      return new Failure(message, { cause });
    }
  }

  return {
    ...mediaCalls({ http, address, root, call, refusedBy, silence: timeout }),

    async sendMessage(from, body) {
      const { contacts, messages } = await call<Partial<AcceptedMessage>>(
        'post',
        `${root}/${encodeURIComponent(from.phoneNumberId)}/messages`,
        from.accessToken,
        body,
      );
      if (typeof messages?.[0]?.id !== 'string')
        throw new UpstreamSilent('Upstream answered without a message id');
      return { ...(contacts && { contacts }), messages };
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
        after = answer.paging?.cursors?.after;
        const isLast = !answer.paging?.next;
        // What is no page, or leads to none, must not pass for a short list: templates would seem to be gone.
        if (!Array.isArray(answer.data) || (!isLast && after === undefined))
          throw new UpstreamUnreachable('Upstream answered no page of templates');
        found.push(...answer.data);
        if (isLast) return found;
      }
      throw new UpstreamUnreachable(`Upstream's list of templates does not end after ${MOST_PAGES} pages`);
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

/** Undefined where it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const refusedBy = (status: number, text: string, accessToken: string): UpstreamRefused =>
  new UpstreamRefused(readUpstreamError(status, withoutToken(text, accessToken)));

/** Upstream repeats a token that it cannot parse in its error, which goes to the customer and to the log. */
const withoutToken = (text: string, accessToken: string): string =>
  text.replaceAll(accessToken, '[access token]');

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
