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
import { type CallOptions, type SendingCredentials } from './call';
import { parsed } from './json/json-value';
import { mediaCalls, type MediaApi } from './media';
import { PlatformReach } from './reach';
import { PHONE_NUMBER_FIELDS, readPhoneNumber, type PhoneNumberNode } from './phone-number';
import { isNode, SYNCED_TEMPLATE_FIELDS, textOf } from './template';

/** The version of the Graph API that is spoken with the platform. */
export const UPSTREAM_VERSION = 'v22.0';

/** A send, or any other call, has this long for its answer. */
export const UPSTREAM_TIMEOUT = 30 * SECOND;
/** Entries of one page of a list; the platform's own ceiling is higher, but large pages time out. */
const A_PAGE = 100;
/** Pages that one list may have: 500 × 100 is far beyond the platform's ceiling of templates, so more is a loop. */
const MOST_PAGES = 500;
/** A field that the platform did not know is asked for again after this long: it may come back. */
const FIELD_LEFT_OUT = DAY;

/** The answer to an accepted message. `contacts` and `messages` are the platform's own. */
export interface SendResponse {
  contacts?: { input?: string; wa_id?: string; user_id?: string }[];
  messages: { id: string; message_status?: string }[];
}

export interface CloudApi extends MediaApi {
  /** What time it is there, in milliseconds, which it says with any answer; null if it cannot be asked. */
  time(): Promise<number | null>;
  /**
   * Hands a message to the platform.
   * @param body JSON text, `messaging_product` and `to` as the platform wants them.
   */
  sendMessage(from: SendingCredentials, body: string | Buffer): Promise<SendResponse>;
  /** Marks an inbound message as read. */
  markAsRead(from: SendingCredentials, body: string | Buffer): Promise<void>;
  /** All templates of a business account, from all pages, and the number of pages. */
  templates(of: { wabaId: string; accessToken: string }): Promise<{ templates: unknown[]; pages: number }>;
  /** The ids of all phone numbers of a business account. */
  phoneNumberIds(of: { wabaId: string; accessToken: string }): Promise<string[]>;
  /** The phone number's node; a field that the platform no longer knows is left out of it. */
  phoneNumber(of: SendingCredentials): Promise<PhoneNumberNode>;
  /**
   * A customer's read of a node or a list beyond the stored fields. Answered, or refused, as by the platform,
   * but never with the access token, which the platform writes into links.
   * @param path the node's id, or the path of the list, without a leading slash
   * @param fields lowercase words; none for the platform's default fields
   * @param mayBeLeftOut fields that are omitted in a second request if the platform no longer knows them
   */
  ask(
    path: string,
    fields: readonly string[],
    mayBeLeftOut: readonly string[],
    accessToken: string,
    query?: Record<string, string>,
  ): Promise<Record<string, unknown>>;
}

/**
 * The platform's HTTP API.
 * Every call fails with UpstreamRefused (it answered an error), UpstreamDeclined (it answered that it did not do it),
 * UpstreamUnreachable (nothing was handed over, or something was only read) or UpstreamSilent (handed over, no answer).
 * @param address without a slash at its end.
 * @param timeout for one exchange, in milliseconds
 * @param reach told of every call whether an answer came
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
  /** By path: fields that the platform does not know there. */
  const leftOut = new Map<string, { fields: string[]; until: number }>();

  async function call<T>(
    method: 'get' | 'post' | 'delete',
    url: string,
    accessToken: string,
    data?: string | Buffer | AsyncIterable<Uint8Array>,
    { contentType = 'application/json', traceparent, about: given, ...bounds }: CallOptions = {},
  ): Promise<T> {
    const about = given === 'message' ? undefined : (given ?? 'record');
    const headers = {
      authorization: `Bearer ${accessToken}`,
      ...(data !== undefined && { 'content-type': contentType }),
      ...(traceparent !== undefined && { traceparent }),
    };
    const isMessage = typeof data === 'string' || Buffer.isBuffer(data);
    const asked = isMessage
      ? http.exchange({ method: 'POST', url, body: data, headers, timeout })
      : http.axios.request<Buffer>({ method, url, data, headers, timeout, ...bounds });
    const answer = await asked.catch((error: unknown) => {
      // A file that is uploaded may itself be what fails.
      if (data === undefined || isMessage) reach.failed(error);
      if (neverConnected(error))
        throw new UpstreamUnreachable('The platform cannot be reached', { cause: error });
      throw noAnswer('The platform did not answer', error);
    });
    reach.answered();
    const text = answer.data.toString('utf8');
    if (answer.status < 200 || answer.status > 299)
      throw refusedBy(answer.status, text, accessToken, answer.headers['retry-after'], about);
    const value = parsed(text);
    if (typeof value !== 'object' || value === null)
      throw noAnswer('The platform answered something that is no JSON object');
    if (!('messages' in value)) refuseFailure(value, text);
    return value as T;

    /** An answer 200 may contain an error. An answer with messages is a success. */
    function refuseFailure(told: { error?: unknown; success?: unknown }, bytes: string): void {
      if (told.error) {
        const refused = refusedBy(400, bytes, accessToken, undefined, about);
        throw refused.answer.verbatim === null
          ? refusedBy(502, bytes, accessToken, undefined, about)
          : refused;
      }
      if (told.success === false) throw new UpstreamDeclined('The platform answered without success');
    }

    /** A read changes nothing at the platform, so it may be repeated. */
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

    async phoneNumberIds({ wabaId, accessToken }) {
      const { entries } = await readPages(wabaId, 'phone_numbers', accessToken, {
        fields: ['id'],
        named: 'phone numbers',
        keyOf: idOf,
      });
      return entries.map(idOf);
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
  };

  /**
   * Reads all pages of a list of a business account, and counts them.
   * @param of the key of an entry, by which repeated pages are noticed
   */
  async function readPages(
    wabaId: string,
    edge: string,
    accessToken: string,
    { fields, named, keyOf }: { fields: readonly string[]; named: string; keyOf(entry: unknown): string },
  ): Promise<{ entries: unknown[]; pages: number }> {
    const entries: unknown[] = [];
    const told = new Set<string>();
    const cursors = new Set<string>();
    let after: string | undefined;
    for (let pages = 1; pages <= MOST_PAGES; pages++) {
      const answer = await read<{
        data?: unknown;
        paging?: { next?: unknown; cursors?: { after?: unknown } | null } | null;
      }>(`${encodeURIComponent(wabaId)}/${edge}`, fields, accessToken, {
        limit: String(A_PAGE),
        ...(after !== undefined && { after }),
      });
      const cursor = answer.paging?.cursors?.after;
      const isLast = !answer.paging?.next;
      // An invalid page must not pass for the end of the list: entries would seem to be gone.
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
   * Reads fields of a node or of a list. The platform fails the whole request for one that it no longer knows and names
   * it: it is left out, and the rest asked for again, so that there is an answer after as many requests as fields at
   * most. What was left out is not asked for again for a day.
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

/** An accepted message stays accepted, whatever else the answer contains: only objects of a list are read. */
const objects = <T extends object>(list: T[] | undefined): T[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];
const LONGEST_KEY = 1024;

/** The key of a template, to find duplicates. */
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
 * The platform repeats a token that it cannot parse in its error, which goes to the customer and to the log, and writes
 * it into the links to the pages of a list.
 */
const withoutToken = (text: string, accessToken: string): string =>
  text.replaceAll(accessToken, REMOVED).replaceAll(encodeURIComponent(accessToken), REMOVED);
const REMOVED = '[access token]';

/** The fields for which the platform fails the whole request; none if it fails for something else. */
function unknownFields(error: unknown): string[] {
  if (!(error instanceof UpstreamRefused) || error.answer.code !== 100) return [];
  const named = error.answer.message.matchAll(/nonexisting field \((\w+)\)/g);
  return Array.from(named, ([, field]) => field as string);
}

/** Errors of a connection that was never opened: nothing was handed over. */
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

/** And any failure while the connection was opened. */
function neverConnected(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return syscall === 'connect' || NEVER_CONNECTED.includes(code);
}
