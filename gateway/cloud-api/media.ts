import { randomBytes } from 'node:crypto';
import { type Readable } from 'node:stream';
import { type HttpClient } from '../http/http-client';
import { MINUTE } from '../time';
import { type Call, type SendingCredentials } from './call';
import { UpstreamSilent, UpstreamUnreachable, type UpstreamRefused } from './failures';

/** A file on its way to the platform. What reads `content` reads it once, from its beginning to its end. */
export interface OutgoingFile {
  /** As the customer named it; made safe here. */
  filename: string;
  /** A MIME type, with its parameters. */
  type: string;
  /** Fails if the file turns out to be invalid: the platform then stores nothing. */
  content: AsyncIterable<Uint8Array>;
}

/**
 * A media file as the platform describes it.
 * Shape: developers.facebook.com/docs/whatsapp/cloud-api/reference/media. `file_size` comes as a number or as text.
 */
export interface MediaNode {
  id: string;
  /** Good for five minutes, and only with the access token. */
  url: string;
  mime_type?: string;
  sha256?: string;
  file_size?: number | string;
  messaging_product?: string;
}

/** A file as it comes from the platform: all of it (200) or the range that was asked for (206). */
export interface MediaContent {
  status: 200 | 206;
  headers: Record<string, string>;
  body: Readable;
}

export interface MediaApi {
  /** Hands a file to the platform as it arrives. @throws what its content fails with, beside what every call throws */
  uploadMedia(from: SendingCredentials, file: OutgoingFile): Promise<{ id: string }>;
  /** Null if the object with that id is no file. A file of another phone number is refused. */
  media(of: SendingCredentials, id: string): Promise<MediaNode | null>;
  /** A file of another phone number is refused. */
  deleteMedia(of: SendingCredentials, id: string): Promise<void>;
  /** @param signal ends the download. @param range as in the header */
  mediaContent(
    accessToken: string,
    url: string,
    options: { range?: string; signal: AbortSignal },
  ): Promise<MediaContent>;
}

/** The whole of a file's way, at the rate at which a slow customer sends or reads 100 MB. */
const TRANSFER_TIMEOUT = 15 * MINUTE;
/** The beginning of an answer that is an error in a file's place. */
const ERROR_LIMIT = 64 * 1024;
/** Some clients without a name are answered with a page instead of the file. */
const USER_AGENT = 'messaging-gateway';
/** The platform's own domains. Files are at lookaside.fbsbx.com; the others are where its files have been or may be. */
const UPSTREAM_DOMAINS = ['facebook.com', 'fbsbx.com', 'fbcdn.net', 'whatsapp.net'];
/** The part of the platform's answer about a file that the customer gets. */
const CONTENT_HEADERS = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'accept-ranges',
];

/**
 * @param silence how long the platform may be silent, in milliseconds.
 * @param address of the platform, without a slash at its end
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
        // The platform does not store an incomplete form.
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
      throw refusedBy(status, await beginningOf(data), accessToken, undefined, 'file');
    },
  };
}

/**
 * Whether the credential may go there: to the very server that is set as the platform, or by https to one of the
 * platform's own domains. An answer that names another address is not followed.
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

/** The form that the platform takes a file in. Its last line is written only once the whole file has passed. */
function formOf({ filename, type: given, content }: OutgoingFile) {
  // Even if earlier checks missed one: a control character would end the header line and start a part of the
  // customer's own.
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

/** As long as a file system takes. */
const LONGEST_FILENAME = 255;

/** The last part of a path, without what ends a line, a header or a quoted text; never empty. */
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

async function beginningOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= ERROR_LIMIT) break;
    }
  } catch {
    // An error whose body breaks off is still an error: the received part is read.
  }
  return Buffer.concat(chunks).subarray(0, ERROR_LIMIT).toString('utf8');
}
