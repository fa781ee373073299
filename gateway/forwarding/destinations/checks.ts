import { destinationUrlRefused, headersRefused, quoted, rawNotGathered, secretRefused } from '../../errors';
import { type DestinationRules } from '../../http/destination-address';
import { faultOfCopied } from '../../primitives/credential';
import { type DestinationMode } from '../../store/schema';
import { type Vault } from '../../store/vault';

/** What the gateway sends itself, or what belongs to the connection. */
const TAKEN_HEADERS =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-.*|user-agent|accept-encoding|webhook-.*|x-hub-.*|x-gateway-.*|traceparent|tracestate|proxy-.*)$/i;
const MOST_HEADERS = 20;
const LONGEST_HEADER = 2048;

/** Why headers cannot be sent, in a sentence; null where they can. */
export function faultOfHeaders(headers: Record<string, string>): string | null {
  const entries = Object.entries(headers);
  if (entries.length > MOST_HEADERS) return `At most ${MOST_HEADERS} headers are possible.`;
  for (const [name, value] of entries) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return `${quoted(name)} is no name of a header.`;
    if (TAKEN_HEADERS.test(name)) return `The header ${quoted(name)} is sent by the gateway itself.`;
    if (!/^[\x20-\x7e]*$/.test(value) || value.length > LONGEST_HEADER)
      return `The value of ${quoted(name)} takes up to ${LONGEST_HEADER} characters, on one line and without accents.`;
    const fault = faultOfCopied(value);
    if (fault !== null) return `The value of ${quoted(name)} ${fault}`;
  }
  return null;
}

/** Headers as a person writes them, one "Name: value" a line. @returns null if a line is not of that form */
export function headersIn(text: string): Record<string, string> | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const pairs = lines.map((line) => /^([^:]+):(.*)$/.exec(line));
  if (pairs.includes(null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1]?.trim() ?? '', pair?.[2]?.trim() ?? '']));
}

/** @throws Refusal for headers that cannot be sent. @returns null where there are none */
export function sealedHeaders(vault: Vault, headers: Record<string, string>): string | null {
  const fault = faultOfHeaders(headers);
  if (fault !== null) throw headersRefused(fault);
  return Object.keys(headers).length ? vault.seal('destinations.headers', JSON.stringify(headers)) : null;
}

/** The lengths of a signing secret. */
export const SECRET_LENGTH = { minLength: 16, maxLength: 512 };

/** Why a signing secret is refused, in a sentence; null if it is accepted. */
export function faultOfSecret(secret: string): string | null {
  if (secret.length < SECRET_LENGTH.minLength || secret.length > SECRET_LENGTH.maxLength)
    return 'A signing secret has 16 to 512 characters.';
  const fault = faultOfCopied(secret);
  return fault && `The signing secret ${fault}`;
}

/** @throws Refusal for one that is not accepted */
export function sealedSecret(vault: Vault, secret: string): string {
  const fault = faultOfSecret(secret);
  if (fault !== null) throw secretRefused(fault);
  return vault.seal('destinations.secret', secret);
}

/** @throws Refusal if stored headers would go to another server, which may be a stranger's */
export function checkSameOrigin(before: string, after: string): void {
  if (new URL(before).origin === new URL(after).origin) return;
  throw headersRefused(
    'This destination has headers, and the new address is on another server. Enter the headers again together with the address, or remove them.',
  );
}

/** @throws Refusal where several events come at once, and are to wait for a pause */
export function checkPause(mode: DestinationMode, quietSeconds: number | null | undefined): void {
  if (mode === 'raw' && quietSeconds) throw rawNotGathered();
}

/** @throws Refusal for what is no web address, or one that may not be called */
export function checkedUrl(rules: DestinationRules, text: string): string {
  const url = URL.parse(text);
  if (!url)
    throw destinationUrlRefused('url is not a web address. It looks like https://example.com/webhook');
  const refused = rules.refuseUrl(url);
  if (refused !== null) throw destinationUrlRefused(refused);
  return url.href;
}
