import { randomBytes } from 'node:crypto';
import { type Readable } from 'node:stream';
import { collected, type HttpClient } from '../http/http-client';
import { MINUTE } from '../time';
import { type Call, type SendingCredentials } from './call';
import { UpstreamSilent, UpstreamUnreachable, type UpstreamRefused } from './failures';

/** A file to upload. `content` is read once, from start to end. */
export interface OutgoingFile {
  /** The customer's file name; sanitized before the upload. */
  filename: string;
  /** The MIME type with its parameters. */
  type: string;
  /** Throws if the file turns out to be invalid; the platform then stores nothing. */
  content: AsyncIterable<Uint8Array>;
}

/**
 * The platform's description of a media file; `file_size` is a number or text.
 * Format: developers.facebook.com/docs/whatsapp/cloud-api/reference/media
 */
export interface MediaNode {
  id: string;
  /** Valid for five minutes, and only with the access token. */
  url: string;
  mime_type?: string;
  sha256?: string;
  file_size?: number | string;
  messaging_product?: string;
}

/** Content of a file from the platform: the whole file (200) or the requested range (206). */
export interface MediaContent {
  status: 200 | 206;
  headers: Record<string, string>;
  body: Readable;
}

export interface MediaApi {
  /**
   * Uploads a file as a stream.
   * @throws any error of its content, besides the errors of every call
   */
  uploadMedia(from: SendingCredentials, file: OutgoingFile): Promise<{ id: string }>;
  /** Returns null if the ID is not a file. Refuses a file of another phone number. */
  media(of: SendingCredentials, id: string): Promise<MediaNode | null>;
  /** Refuses a file of another phone number. */
  deleteMedia(of: SendingCredentials, id: string): Promise<void>;
  /**
   * @param range value of the Range header
   * @param signal aborts the download
   */
  mediaContent(
    accessToken: string,
    url: string,
    options: { range?: string; signal: AbortSignal },
  ): Promise<MediaContent>;
}

/** Timeout of a whole transfer: enough for a slow customer and 100 MB. */
const TRANSFER_TIMEOUT = 15 * MINUTE;
/** What is read of an error that arrives instead of a file. The beginning of a broken one still describes it. */
const ERROR_BOUNDS = { maxAnswerBytes: 64 * 1024, brokenBody: 'ignored' } as const;
/** The platform answers some clients without a user agent with a page instead of the file. */
const USER_AGENT = 'messaging-gateway';
/** The platform's own domains. Files are on lookaside.fbsbx.com; the others are known or possible hosts. */
const UPSTREAM_DOMAINS = ['facebook.com', 'fbsbx.com', 'fbcdn.net', 'whatsapp.net'];
/** Headers of the file that the customer receives. */
const CONTENT_HEADERS = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'accept-ranges',
];

/**
 * @param silence how long the platform may send nothing, in milliseconds
 * @param address of the platform, without a trailing slash
 */
export function mediaCalls(of: {
  http: HttpClient;
  address: string;
  root: string;
  call: Call;
  refusedBy: (
    status: number,
    text: string,
    accessToken: string,
    retryAfter: unknown,
    about: 'file',
  ) => UpstreamRefused;
  silence: number;
}): MediaApi {
  const { http, address, root, call, refusedBy, silence } = of;
  const urlOf = (id: string, { phoneNumberId }: SendingCredentials): string =>
    `${root}/${encodeURIComponent(id)}?phone_number_id=${encodeURIComponent(phoneNumberId)}`;

  return {
    async uploadMedia(from, file) {
      const url = `${root}/${encodeURIComponent(from.phoneNumberId)}/media`;
      const form = formOf(file);
      const answer = await call<{ id?: unknown }>('post', url, from.accessToken, form.body(), {
        contentType: form.contentType,
        timeout: TRANSFER_TIMEOUT,
        silence,
      }).catch((error: unknown) => {
        if (form.broken) throw form.broken.error;
        if (!(error instanceof UpstreamSilent)) throw error;
        // The platform does not store an incomplete form, so nothing was stored.
        if (!form.isWhole)
          throw new UpstreamUnreachable('The platform did not take the file', { cause: error });
        error.said = {
          happened: 'The file was handed to the platform, which did not answer.',
          action: 'Upload it again: the platform deletes a file that no message uses after 30 days.',
        };
        throw error;
      });
      if (!form.isWhole) throw new UpstreamUnreachable('The platform answered before it had the file');
      if (typeof answer.id !== 'string')
        throw new UpstreamUnreachable('The platform answered without a media id');
      return { ...answer, id: answer.id };
    },

    async media(of, id) {
      const node = await call<Partial<MediaNode>>('get', urlOf(id, of), of.accessToken, undefined, {
        about: 'file',
      });
      return typeof node.url === 'string' && typeof node.mime_type === 'string'
        ? { ...node, id, url: node.url }
        : null;
    },

    async deleteMedia(of, id) {
      await call('delete', urlOf(id, of), of.accessToken, undefined, { about: 'file' }).catch(
        (error: unknown) => {
          if (error instanceof UpstreamSilent)
            error.said = {
              happened: 'The platform was asked to delete the file and did not answer.',
              action: 'Ask for the file to see whether it is still there.',
            };
          throw error;
        },
      );
    },

    async mediaContent(accessToken, url, { range, signal }) {
      if (!isUpstreamsOwn(url, address))
        throw new UpstreamUnreachable('The platform named an address for a file that is none of its own');
      const { status, headers, data } = await http.axios
        .request<Readable>({
          url,
          headers: {
            authorization: `Bearer ${accessToken}`,
            'user-agent': USER_AGENT,
            ...(range !== undefined && { range }),
          },
          responseType: 'stream',
          timeout: TRANSFER_TIMEOUT,
          silence,
          signal,
        })
        .catch((error: unknown) => {
          throw new UpstreamUnreachable('The platform did not answer', { cause: error });
        });
      if (status === 200 || status === 206)
        return { status, headers: chosen(headers as Record<string, unknown>), body: data };
      const told = await collected(data, ERROR_BOUNDS);
      throw refusedBy(status, told.toString('utf8'), accessToken, undefined, 'file');
    },
  };
}

/**
 * Whether the access token may be sent to a URL: only to the configured platform server, or by HTTPS to the
 * platform's own domains.
 */
export function isUpstreamsOwn(url: string, address: string): boolean {
  const target = URL.parse(url);
  if (!target || target.username || target.password) return false;
  if (target.origin === new URL(address).origin) return true;
  const host = target.hostname.replace(/\.$/, '');
  return (
    target.protocol === 'https:' &&
    target.port === '' &&
    UPSTREAM_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`))
  );
}

/**
 * Builds the upload form. Its last line follows only after the whole file, so that a partial file is never
 * stored.
 */
function formOf({ filename, type: given, content }: OutgoingFile) {
  // Removes control characters, even if earlier checks missed one: they would let a customer add form fields.
  const type = given.replace(/\p{Cc}/gu, '');
  const boundary = `gateway-${randomBytes(24).toString('hex')}`;
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const form = {
    contentType: `multipart/form-data; boundary=${boundary}`,
    isWhole: false,
    broken: null as { error: unknown } | null,
    async *body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(
        `${field('messaging_product', 'whatsapp')}${field('type', type)}--${boundary}\r\n` +
          `Content-Disposition: form-data; name="file"; filename="${safeFilename(filename)}"\r\n` +
          `Content-Type: ${type}\r\n\r\n`,
      );
      try {
        yield* content;
      } catch (error) {
        form.broken = { error };
        throw error;
      }
      form.isWhole = true;
      yield Buffer.from(`\r\n--${boundary}--\r\n`);
    },
  };
  return form;
}

/** The limit of common file systems. */
const LONGEST_FILENAME = 255;

/**
 * Returns the last part of a path without characters that end a line, a header or a quoted string; never
 * empty.
 */
export function safeFilename(filename: string): string {
  const last = filename.split(/[\\/]/).at(-1) ?? '';
  const printable = last.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '');
  const short = Array.from(printable).slice(-LONGEST_FILENAME).join('');
  return short.replaceAll('"', '%22').trim() || 'file';
}

const chosen = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    CONTENT_HEADERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
