import { AddressRefused, type DestinationRules } from '../../http/destination-address';
import { type HttpClient } from '../../http/http-client';
import { type LineRegistry } from '../../lines/line-registry';
import { type SendDeps } from '../../sending/send';
import { fact, type Fact, type Said } from '../../wording/facts';
import { say } from '../../wording/say';
import { SECOND, type Clock } from '../../time';
import { type SpokenNotice } from '../notice';

/** The dependencies for sending alerts. */
export interface ChannelDeps extends SendDeps {
  http: HttpClient;
  rules: DestinationRules;
  lines: LineRegistry;
}

/** The settings of a channel, by the names of its fields. */
export type ChannelSettings = Record<string, string>;

export interface ChannelField {
  name: string;
  label: string;
  hint?: string;
  /** Never shown again after it is stored. */
  isSecret?: true;
  /** The field with the server that receives the secrets. If it changes, the secrets must be entered again. */
  isServer?: true;
  isOptional?: true;
  type?: 'text' | 'url' | 'email' | 'tel' | 'long';
  /** The options of a select field; omitted for text fields. */
  choices?: { value: string; label: string }[];
  default?: string;
  placeholder?: string;
}

/** A kind of channel. */
export interface ChannelKind {
  label: string;
  /** A sentence on where to find the settings. */
  hint: string;
  fields: ChannelField[];
  /** The faults of complete settings, by field. */
  check?(settings: ChannelSettings, rules: DestinationRules): Record<string, Fact | null>;
  /** @throws ChannelFailure if the alert was not accepted */
  send(
    deps: ChannelDeps,
    settings: ChannelSettings,
    notice: SpokenNotice,
    isForCustomer: boolean,
  ): Promise<void>;
  /** The receiver, without secrets. */
  shown(settings: ChannelSettings): string;
}

/** An alert was not accepted: the reason, and the wait before a retry (ms). */
export class ChannelFailure extends Error {
  override name = 'ChannelFailure';
  constructor(
    readonly said: Said,
    readonly retryAfter: number | null = null,
  ) {
    super(say('en', said));
  }
}

/** For the whole exchange; a lease on an alert lasts longer. */
export const CHANNEL_TIMEOUT = 15 * SECOND;

/** Bytes of a response that are read. Shorter ones are shown (`outbox.ts`) after secrets are removed. */
const LONGEST_ANSWER = 4_000;

interface Post {
  url: string;
  headers?: Record<string, string>;
  body: string | Buffer;
  method?: 'POST' | 'PUT' | 'GET';
}

/**
 * Sends a POST, as JSON by default.
 * @returns the text of the response
 * @throws ChannelFailure if the status is not 2xx
 */
export async function post(
  { http, clock }: Pick<ChannelDeps, 'http' | 'clock'>,
  { url, headers = {}, body, method = 'POST' }: Post,
  isForCustomer = false,
): Promise<string> {
  const bytes = Buffer.from(body);
  const answer = await http
    .exchange({
      method,
      url,
      headers: {
        'content-type': 'application/json',
        ...headers,
        'content-length': String(bytes.length),
        'user-agent': 'Messaging-Gateway',
      },
      body: method === 'GET' ? null : bytes,
      timeout: CHANNEL_TIMEOUT,
      isForCustomer,
    })
    .catch((error: unknown) => {
      throw new ChannelFailure(unreached(error));
    });
  const text = answer.data.toString('utf8');
  if (answer.status >= 200 && answer.status <= 299) return text;
  const told = text.trim().slice(0, LONGEST_ANSWER);
  throw new ChannelFailure(
    fact('channel.answered', { status: answer.status, text: told }),
    retryAfterOf(String(answer.headers['retry-after'] ?? ''), clock),
  );
}

/** Why there was no response. */
export function unreached(error: unknown): Fact {
  if (error instanceof AddressRefused) return error.because;
  const { message, code, name } = error as { message?: string; code?: string; name?: string };
  if (name === 'TimeoutError') return fact('channel.late', {});
  return fact('channel.unreached', { why: message || code || '' });
}

function retryAfterOf(header: string, clock: Clock): number | null {
  if (/^\d{1,6}(\.\d+)?$/.test(header)) return Number(header) * SECOND;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - clock());
}

/** The origin of a URL: everything after it is usually a secret. */
export const shownAddress = (text: string | undefined): string => {
  const url = URL.parse(text ?? '');
  return url ? `${url.host}${url.pathname === '/' ? '' : '/…'}` : '';
};

/** Truncates to this many characters, with an ellipsis. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
