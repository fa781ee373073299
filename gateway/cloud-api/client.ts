import { type HttpClient } from '../http/http-client';
import { DAY, SECOND, type Clock } from '../time';
import {
  readUpstreamError,
  UpstreamDeclined,
  UpstreamRefused,
  UpstreamSilent,
  UpstreamUnreachable,
  type RequestSubject,
} from './failures';
import { type Call, type SendingCredentials } from './call';
import { parsed } from './json/json-value';
import { mediaCalls, type MediaApi } from './media';
import { PlatformReach } from './reach';
import { PHONE_NUMBER_FIELDS, readPhoneNumber, type PhoneNumberNode } from './phone-number';
import { isNode, SYNCED_TEMPLATE_FIELDS, textOf } from './template';

/** The version of the Graph API for all calls. */
export const UPSTREAM_VERSION = 'v22.0';

/** Timeout of every call except file transfers, in milliseconds. */
export const UPSTREAM_TIMEOUT = 30 * SECOND;
/** Entries per page of a list. The platform allows more, but large pages time out. */
const A_PAGE = 100;
/**
 * The most pages of one list. 500 × 100 exceeds the platform's limit of templates, so more pages mean a loop.
 */
const MOST_PAGES = 500;
/** How long a field that the platform did not know is omitted. It may return. */
const FIELD_LEFT_OUT = DAY;

/** The answer to an accepted message; `contacts` and `messages` come from the platform. */
export interface SendResponse {
  contacts?: { input?: string; wa_id?: string; user_id?: string }[];
  messages: { id: string; message_status?: string }[];
}

export interface CloudApi extends MediaApi {
  /** Returns the platform's clock in milliseconds, read from a response; null if unavailable. */
  time(): Promise<number | null>;
  /**
   * Sends a message.
   * @param body JSON text with `messaging_product` and `to` in the platform's format
   */
  sendMessage(from: SendingCredentials, body: string | Buffer): Promise<SendResponse>;
  /** Marks an inbound message as read. */
  markAsRead(from: SendingCredentials, body: string | Buffer): Promise<void>;
  /** Returns all templates of a business account, and the number of pages read. */
  templates(of: { wabaId: string; accessToken: string }): Promise<{ templates: unknown[]; pages: number }>;
  /**
   * Returns all phone numbers of a business account.
   * @param query filters, and the order
   * @param mayBeLeftOut fields that are omitted if the platform no longer knows them
   */
  phoneNumbers(
    of: { wabaId: string; accessToken: string },
    fields: readonly string[],
    query?: Record<string, string>,
    mayBeLeftOut?: readonly string[],
  ): Promise<{ id: string }[]>;
  /** Returns the phone number's node, without fields that the platform no longer knows. */
  phoneNumber(of: SendingCredentials): Promise<PhoneNumberNode>;
  /**
   * Reads a node or a list for a customer, beyond the stored fields. Answers and errors are the platform's,
   * but the access token, which the platform writes into links, is removed.
   * @param path the node's ID or the list's path, without a leading slash
   * @param fields lowercase words; empty for the platform's default fields
   * @param mayBeLeftOut fields that a second request omits if the platform no longer knows them
   */
  ask(
    path: string,
    fields: readonly string[],
    mayBeLeftOut: readonly string[],
    accessToken: string,
    query?: Record<string, string>,
  ): Promise<Record<string, unknown>>;
  /**
   * Forwards a request of a customer.
   * @returns the platform's answer as received, but without the access token
   */
  forward(request: ForwardedRequest, accessToken: string): Promise<string>;
}

/** A customer's request for the platform. */
export interface ForwardedRequest {
  method: 'get' | 'post' | 'delete';
  /** Without a leading slash. */
  path: string;
  query: Record<string, string>;
  body?: Buffer | AsyncIterable<Uint8Array> | undefined;
  /** Default: JSON. */
  contentType?: string;
  headers?: Record<string, string>;
}

/**
 * The platform's HTTP API.
 * Every call throws UpstreamRefused (an error answer), UpstreamDeclined (not carried out, no reason),
 * UpstreamUnreachable (nothing was sent, or a read failed) or UpstreamSilent (sent, but no answer).
 * @param address without a trailing slash
 * @param timeout of one request, in milliseconds
 * @param reach records whether calls are answered
 */
// eslint-disable-next-line max-lines-per-function -- one function for each call of the platform
export function cloudApi(
  http: HttpClient,
  address: string,
  timeout = UPSTREAM_TIMEOUT,
  clock: Clock = Date.now,
  reach: Pick<PlatformReach, 'answered' | 'failed'> = new PlatformReach(clock),
): CloudApi {
  const root = `${address}/${UPSTREAM_VERSION}`;
  /** Fields that the platform does not know, by path. */
  const leftOut = new Map<string, { fields: string[]; until: number }>();

  const call: Call = async <T>(...request: Parameters<Call>) => (await answered(...request)).value as T;

  async function answered(
    ...[
      method,
      url,
      accessToken,
      data,
      { contentType = 'application/json', traceparent, about: given, headers: more, ...bounds } = {},
    ]: Parameters<Call>
  ): Promise<{ value: object; text: string }> {
    const about = given === 'message' ? undefined : (given ?? 'record');
    const headers = {
      authorization: `Bearer ${accessToken}`,
      ...more,
      ...(data !== undefined && { 'content-type': contentType }),
      ...(traceparent !== undefined && { traceparent }),
    };
    const isMessage = method === 'post' && (typeof data === 'string' || Buffer.isBuffer(data));
    let answer;
    try {
      answer = await (isMessage
        ? http.exchange({ method: 'POST', url, body: data, headers, timeout })
        : http.axios.request<Buffer>({ method, url, data, headers, timeout, ...bounds }));
    } catch (error) {
      // If an upload failed, the file itself can be the cause.
      if (data === undefined || isMessage) reach.failed(error);
      if (neverConnected(error))
        throw new UpstreamUnreachable('The platform cannot be reached', { cause: error });
      throw noAnswer('The platform did not answer', error);
    }
    reach.answered();
    const text = answer.data.toString('utf8');
    if (answer.status < 200 || answer.status > 299)
      throw refusedBy(answer.status, text, accessToken, answer.headers['retry-after'], about);
    const value = parsed(text);
    if (typeof value !== 'object' || value === null)
      throw noAnswer('The platform answered something that is no JSON object');
    if (!('messages' in value)) refuseFailure(value, text);
    return { value, text };

    /** Throws if an answer with status 200 contains an error. An answer with messages is a success. */
    function refuseFailure(told: { error?: unknown; success?: unknown }, bytes: string): void {
      if (told.error) {
        const refused = refusedBy(400, bytes, accessToken, undefined, about);
        throw refused.answer.verbatim === null
          ? refusedBy(502, bytes, accessToken, undefined, about)
          : refused;
      }
      if (told.success === false) throw new UpstreamDeclined('The platform answered without success');
    }

    /** Returns the error for a missing answer. A read changes nothing, so it can be repeated. */
    function noAnswer(message: string, cause?: unknown): Error {
      const Failure = method === 'get' ? UpstreamUnreachable : UpstreamSilent;
      return new Failure(message, { cause });
    }
  }

  const post = <T>(
    { phoneNumberId, accessToken, traceparent }: SendingCredentials,
    body: string | Buffer,
  ): Promise<T> =>
    call('post', `${root}/${encodeURIComponent(phoneNumberId)}/messages`, accessToken, body, {
      about: 'message',
      ...(traceparent !== undefined && { traceparent }),
    });

  return {
    ...mediaCalls({ http, address, root, call, refusedBy, silence: timeout }),

    async time() {
      const told = await http.axios
        .request<Buffer>({ method: 'get', url: `${address}/`, timeout })
        .then(({ headers }) => {
          reach.answered();
          return Date.parse(String(headers.date));
        })
        .catch((error: unknown) => {
          reach.failed(error);
          return NaN;
        });
      return Number.isNaN(told) ? null : told;
    },

    async sendMessage(from, body) {
      const { contacts, messages } = await post<Partial<SendResponse>>(from, body);
      const sent = objects(messages).filter(({ id }) => typeof id === 'string');
      if (!sent.length) throw new UpstreamSilent('The platform answered without a message id');
      return { ...(Array.isArray(contacts) && { contacts: objects(contacts) }), messages: sent };
    },

    async markAsRead(from, body) {
      await post(from, body).catch((error: unknown) => {
        if (error instanceof UpstreamSilent)
          error.said = {
            happened: 'The platform was asked to mark the message as read and did not answer.',
            action: 'Ask again: a message that is read already stays so.',
          };
        throw error;
      });
    },

    async templates({ wabaId, accessToken }) {
      const { entries, pages } = await readPages(wabaId, 'message_templates', accessToken, {
        fields: SYNCED_TEMPLATE_FIELDS,
        named: 'templates',
        keyOf: templateKey,
      });
      return { templates: entries, pages };
    },

    async phoneNumbers({ wabaId, accessToken }, fields, query, mayBeLeftOut = []) {
      const { entries } = await readPages(wabaId, 'phone_numbers', accessToken, {
        fields,
        named: 'phone numbers',
        keyOf: idOf,
        query,
        mayBeLeftOut,
      });
      return JSON.parse(withoutToken(JSON.stringify(entries), accessToken)) as { id: string }[];
    },

    async phoneNumber({ phoneNumberId, accessToken }) {
      const answer = await read<object>(encodeURIComponent(phoneNumberId), PHONE_NUMBER_FIELDS, accessToken);
      const node = readPhoneNumber(answer);
      if (!Object.keys(node).length)
        throw new UpstreamUnreachable('The platform answered nothing that can be read of the phone number');
      return node;
    },

    async ask(path, fields, mayBeLeftOut, accessToken, query) {
      const answer = await read<Record<string, unknown>>(path, fields, accessToken, query, mayBeLeftOut);
      if (!isNode(answer)) throw new UpstreamUnreachable('The platform answered deeper than anything it has');
      return JSON.parse(withoutToken(JSON.stringify(answer), accessToken)) as Record<string, unknown>;
    },

    async forward({ method, path, query, body, ...options }, accessToken) {
      const search = new URLSearchParams(query).toString();
      const { text } = await answered(
        method,
        `${root}/${path}${search && `?${search}`}`,
        accessToken,
        body,
        options,
      );
      return withoutToken(text, accessToken);
    },
  };

  /**
   * Reads all pages of a list of a business account and counts them.
   * @param of returns the key of an entry, which detects repeated pages
   */
  async function readPages(
    wabaId: string,
    edge: string,
    accessToken: string,
    {
      fields,
      named,
      keyOf,
      query,
      mayBeLeftOut = fields,
    }: {
      fields: readonly string[];
      named: string;
      keyOf(entry: unknown): string;
      query?: Record<string, string> | undefined;
      mayBeLeftOut?: readonly string[];
    },
  ): Promise<{ entries: unknown[]; pages: number }> {
    const entries: unknown[] = [];
    const told = new Set<string>();
    const cursors = new Set<string>();
    let after: string | undefined;
    for (let pages = 1; pages <= MOST_PAGES; pages++) {
      const answer = await read<{
        data?: unknown;
        paging?: { next?: unknown; cursors?: { after?: unknown } | null } | null;
      }>(
        `${encodeURIComponent(wabaId)}/${edge}`,
        fields,
        accessToken,
        { ...query, limit: String(A_PAGE), ...(after !== undefined && { after }) },
        mayBeLeftOut,
      );
      const cursor = answer.paging?.cursors?.after;
      const isLast = !answer.paging?.next;
      // An invalid page must not count as the end of the list, or entries would seem to be deleted.
      if (!Array.isArray(answer.data) || (!isLast && (typeof cursor !== 'string' || cursor === '')))
        throw new UpstreamUnreachable(`The platform answered no page of ${named}`);
      const size = told.size;
      answer.data.forEach((entry) => told.add(keyOf(entry)));
      entries.push(...(answer.data as unknown[]));
      if (isLast) return { entries, pages };
      if (cursors.has(cursor as string) || (answer.data.length > 0 && told.size === size))
        throw new UpstreamUnreachable(`The platform's list of ${named} leads back to a page that was read`);
      after = cursor as string;
      cursors.add(after);
    }
    throw new UpstreamUnreachable(`The platform's list of ${named} does not end after ${MOST_PAGES} pages`);
  }

  /**
   * Reads fields of a node or a list. The platform fails the whole request for an unknown field and names it.
   * Such a field is omitted from the next request and for the following day. Needs at most one request per
   * field.
   */
  async function read<T>(
    path: string,
    fields: readonly string[],
    accessToken: string,
    query: Record<string, string> = {},
    mayBeLeftOut = fields,
  ): Promise<T> {
    const known = leftOut.get(path);
    if (known && known.until <= clock()) leftOut.delete(path);
    let asked = fields.filter((field) => !leftOut.get(path)?.fields.includes(field));
    for (;;) {
      const parameters = [asked.length && `fields=${asked.join(',')}`, new URLSearchParams(query).toString()];
      const url = `${root}/${path}?${parameters.filter(Boolean).join('&')}`;
      try {
        return await call<T>('get', url, accessToken);
      } catch (error) {
        const gone = unknownFields(error).filter(
          (field) => asked.includes(field) && mayBeLeftOut.includes(field),
        );
        if (!gone.length || gone.length === asked.length) throw error;
        asked = asked.filter((field) => !gone.includes(field));
        const { fields: before = [], until = clock() + FIELD_LEFT_OUT } = leftOut.get(path) ?? {};
        leftOut.set(path, { fields: [...before, ...gone], until });
      }
    }
  }
}

/**
 * Returns the objects in a list. Tolerates anything else, because an accepted message must count as accepted
 * even if its answer is malformed.
 */
const objects = <T extends object>(list: T[] | undefined): T[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];
const LONGEST_KEY = 1024;

/** Returns a key that detects duplicate templates. */
const templateKey = (template: unknown): string => {
  const { id, name, language } = (template ?? {}) as { id?: unknown; name?: unknown; language?: unknown };
  return [id, name, language].map((value) => textOf(value, LONGEST_KEY)).join('\n');
};

const idOf = (entry: unknown): string => textOf((entry as { id?: unknown } | null)?.id, LONGEST_KEY) ?? '';

const refusedBy = (
  status: number,
  text: string,
  accessToken: string,
  retryAfter: unknown,
  about: RequestSubject | undefined,
): UpstreamRefused =>
  new UpstreamRefused(readUpstreamError(status, withoutToken(text, accessToken), retryAfter, about));

/**
 * Removes the access token. The platform repeats an unparsable token in its error, which customers and logs
 * receive, and includes tokens in the links between pages.
 */
const withoutToken = (text: string, accessToken: string): string =>
  text.replaceAll(accessToken, REMOVED).replaceAll(encodeURIComponent(accessToken), REMOVED);
const REMOVED = '[access token]';

/** Returns the unknown fields that failed a request; empty if it failed for another reason. */
function unknownFields(error: unknown): string[] {
  if (!(error instanceof UpstreamRefused) || error.answer.code !== 100) return [];
  const named = error.answer.message.matchAll(/nonexisting field \((\w+)\)/g);
  return Array.from(named, ([, field]) => field as string);
}

/** Errors of a connection that was never opened, so nothing was sent. */
const NEVER_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

/** Whether the connection failed before anything was sent. */
function neverConnected(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return syscall === 'connect' || NEVER_CONNECTED.includes(code);
}
