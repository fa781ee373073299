import { destinationUrlRefused, headersRefused, quoted } from '../../errors';
import { type DestinationRules } from '../../http/destination-address';
import { type Vault } from '../../store/vault';

/** What the gateway sends itself, or what belongs to the connection. */
const TAKEN_HEADERS =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-.*|user-agent|accept-encoding|webhook-.*|x-hub-.*|x-gateway-.*|traceparent|tracestate|proxy-.*)$/i;
const MOST_HEADERS = 20;
const LONGEST_HEADER = 2048;

/** @throws Refusal for headers that cannot be sent. @returns null where there are none */
export function sealedHeaders(vault: Vault, headers: Record<string, string>): string | null {
  const entries = Object.entries(headers);
  if (!entries.length) return null;
  if (entries.length > MOST_HEADERS) throw headersRefused(`At most ${MOST_HEADERS} headers are possible.`);
  for (const [name, value] of entries) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name))
      throw headersRefused(`${quoted(name)} is no name of a header.`);
    if (TAKEN_HEADERS.test(name))
      throw headersRefused(`The header ${quoted(name)} is sent by the gateway itself.`);
    if (!/^[\x20-\x7e]*$/.test(value) || value.length > LONGEST_HEADER)
      throw headersRefused(
        `The value of ${quoted(name)} takes up to ${LONGEST_HEADER} characters, on one line and without accents.`,
      );
  }
  return vault.seal('destinations.headers', JSON.stringify(headers));
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
