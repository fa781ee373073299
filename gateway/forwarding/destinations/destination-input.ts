import { quoted } from '../../errors';
import { type DestinationRules } from '../../http/destination-address';
import { faultOfCopied } from '../../primitives/credential';
import { Issues } from '../../primitives/issues';
import { DESTINATION_MODES, type DestinationMode } from '../../store/schema';
import { type DestinationRow } from '../../store/tables/destinations';
import { fact, type Fact } from '../../wording/facts';
import { EVENT_KINDS, LONGEST_QUIET, type EventKind } from '../destination';

/** The submitted fields of a destination. Fields that stay unchanged are omitted. */
export interface DestinationInput {
  url?: string | undefined;
  /** Generated if omitted. */
  secret?: string | null | undefined;
  events?: readonly string[] | null | undefined;
  mode?: string | null | undefined;
  /**
   * Seconds without a message from the contact before its messages are sent as one event; null: each is sent
   * immediately.
   */
  quietSeconds?: Seconds | null | undefined;
  /** Custom headers, sent with every event in addition to the gateway's own. As text: one "Name: value" per line. */
  headers?: Record<string, string> | string | undefined;
  /** Seconds until the destination is removed; omitted: it never expires. */
  expiresIn?: number | undefined;
}

/** A number or typed text; empty text or 0 means none. */
type Seconds = number | string;

/** The validated fields. */
export interface DestinationValues {
  url: string | undefined;
  secret: string | null;
  events: readonly EventKind[] | undefined;
  mode: DestinationMode | undefined;
  quietSeconds: number | null | undefined;
  headers: Record<string, string> | undefined;
  expiresIn: number | undefined;
}

/** The stored destination that the input changes. */
type Stored = Pick<DestinationRow, 'url' | 'mode' | 'quiet_seconds' | 'headers_sealed'>;

/** The lengths of a signing secret. */
export const SECRET_LENGTH = { minLength: 16, maxLength: 512 };
/** A year, in seconds. */
export const LONGEST_LIFE = 366 * 24 * 3600;

/** Headers that the gateway sets itself, or that belong to the connection. */
const OWN_HEADERS =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-.*|user-agent|accept-encoding|webhook-.*|x-hub-.*|x-gateway-.*|traceparent|tracestate|proxy-.*)$/i;
const MOST_HEADERS = 20;
const LONGEST_HEADER = 2048;

/**
 * Validates the fields of a destination, for the API, the panel and the command line.
 * @param stored null for a new destination
 * @throws Refusal with all issues, by field
 */
export function destinationInput(
  rules: DestinationRules,
  given: DestinationInput,
  stored: Stored | null = null,
): DestinationValues {
  const { secret = null, events, mode, expiresIn } = given;
  const issues = new Issues();
  const url = given.url === undefined ? null : URL.parse(given.url);
  const urlFault = given.url === undefined ? null : faultOfUrl(rules, given.url);
  issues.add('url', 'address', urlFault);
  if (secret !== null) issues.add('secret', 'secret', faultOfSecret(secret));
  issues.addChoices('events', EVENT_KINDS, events);
  issues.addChoice('mode', DESTINATION_MODES, mode);

  const quietSeconds = secondsIn(given.quietSeconds);
  issues.addSeconds('quiet_seconds', quietSeconds, LONGEST_QUIET);
  const waits = quietSeconds === undefined ? stored?.quiet_seconds : quietSeconds;
  if ((mode ?? stored?.mode) === 'raw' && waits) issues.add('quiet_seconds', 'mode', fact('raw.waits', {}));

  const headers = typeof given.headers === 'string' ? headersIn(given.headers) : given.headers;
  if (headers !== undefined) issues.add('headers', 'headers', faultOfHeaders(headers));
  // Otherwise the stored headers, which may contain credentials, would be sent to another server.
  else if (url && !urlFault && stored?.headers_sealed && new URL(stored.url).origin !== url.origin)
    issues.add('headers', 'headers', fact('header.elsewhere', {}));

  issues.addSeconds('expires_in', expiresIn, LONGEST_LIFE);
  issues.check();
  return {
    url: url?.href,
    secret,
    events: (events as EventKind[] | null) ?? undefined,
    mode: (mode as DestinationMode | null) ?? undefined,
    quietSeconds,
    headers: headers ?? undefined,
    expiresIn,
  };
}

/** Why a URL is not allowed; null if it is. */
export function faultOfUrl(rules: DestinationRules, text: string): Fact | null {
  const url = URL.parse(text);
  return url ? rules.refuseUrl(url) : fact('url.invalid', {});
}

/** Why a signing secret is not accepted; null if it is. */
export function faultOfSecret(secret: string): Fact | null {
  const { minLength: least, maxLength: most } = SECRET_LENGTH;
  return secret.length < least || secret.length > most
    ? fact('secret.length', { least, most })
    : faultOfCopied(secret, 'signing_secret');
}

/**
 * Why headers cannot be sent; null if they can. @param headers null for text that does not have one "Name: value" per
 * line
 */
export function faultOfHeaders(headers: Record<string, string> | null): Fact | null {
  if (headers === null) return fact('header.lines', {});
  const entries = Object.entries(headers);
  if (entries.length > MOST_HEADERS) return fact('header.many', { most: MOST_HEADERS });
  for (const [given, value] of entries) {
    const name = quoted(given);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(given)) return fact('header.name', { name });
    if (OWN_HEADERS.test(given)) return fact('header.own', { name });
    if (!/^[\x20-\x7e]*$/.test(value) || value.length > LONGEST_HEADER)
      return fact('header.value', { name, most: LONGEST_HEADER });
    const fault = faultOfCopied(value, { header: name });
    if (fault !== null) return fault;
  }
  return null;
}

/** Parses headers, one "Name: value" per line. @returns null if a line has another form */
export function headersIn(text: string): Record<string, string> | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const pairs = lines.map((line) => /^([^:]+):(.*)$/.exec(line));
  if (pairs.includes(null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1]?.trim() ?? '', pair?.[2]?.trim() ?? '']));
}

/** @returns null for none; NaN for text that is not a number */
function secondsIn(given: Seconds | null | undefined): number | null | undefined {
  if (typeof given !== 'string') return given;
  return /^\d*$/.test(given) ? Number(given) || null : Number.NaN;
}
