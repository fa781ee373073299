import { AddressRefused, type DestinationRules } from '../../http/destination-address';
import { type HttpClient } from '../../http/http-client';
import { type LineRegistry } from '../../lines/line-registry';
import { type SendDeps } from '../../sending/send';
import { fact, type Fact, type Said } from '../../wording/facts';
import { say } from '../../wording/say';
import { SECOND, type Clock } from '../../time';
import { type SpokenNotice } from '../notice';

/** What alerts are sent with. */
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
  /** Never shown again once it is stored. */
  isSecret?: true;
  /** The field with the server that gets the secrets: if it changes, they have to be entered again. */
  isServer?: true;
  isOptional?: true;
  type?: 'text' | 'url' | 'email' | 'tel' | 'long';
  /** The choices, if it is not typed. */
  choices?: { value: string; label: string }[];
  default?: string;
  placeholder?: string;
}

/** A kind of channel. */
export interface ChannelKind {
  label: string;
  /** Where to find its settings, in a sentence. */
  hint: string;
  fields: ChannelField[];
  /** The faults of complete settings, by the name of the field. */
  check?(settings: ChannelSettings, rules: DestinationRules): Record<string, Fact | null>;
  /** @throws ChannelFailure if it was not taken */
  send(
    deps: ChannelDeps,
    settings: ChannelSettings,
    notice: SpokenNotice,
    isForCustomer: boolean,
  ): Promise<void>;
  /** Its receiver, without secrets. */
  shown(settings: ChannelSettings): string;
}

/** A notice did not arrive: why, and after how long (ms) it may be tried again. */
export class ChannelFailure extends Error {
  override name = 'ChannelFailure';
  constructor(
    readonly said: Said,
    readonly retryAfter: number | null = null,
  ) {
    super(say('en', said));
  }
}

/** For the whole exchange; a claim on a notice lasts longer. */
export const CHANNEL_TIMEOUT = 15 * SECOND;

/** Bytes of an answer that are read; shorter ones are shown (`outbox.ts`), after secrets are removed. */
const LONGEST_ANSWER = 4_000;

interface Post {
  url: string;
  headers?: Record<string, string>;
  body: string | Buffer;
  method?: 'POST' | 'PUT' | 'GET';
}

/**
 * POSTs, JSON by default.
 * @returns the answer's text
 * @throws ChannelFailure unless it is a 2xx
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

/** Why nothing was answered. */
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

/** The origin: everything after it is usually a secret. */
export const shownAddress = (text: string | undefined): string => {
  const url = URL.parse(text ?? '');
  return url ? `${url.host}${url.pathname === '/' ? '' : '/…'}` : '';
};

/** Cut to this many characters, with an ellipsis if it was longer. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
