import { type Outcome } from './deliver';

/** What an answer most often means where nobody sees at once. */
const MEANINGS: Record<number, string> = {
  401: 'the receiver requires credentials, for example an Authorization header',
  403: 'the receiver requires credentials, for example an Authorization header',
  404: 'not found; if this is n8n, the workflow may be inactive',
};

/** In a few words why an attempt failed. */
export function reasonOf({ outcome, httpStatus }: Pick<Outcome, 'httpStatus'> & { outcome: string }): string {
  if (httpStatus === null) return outcome;
  const meaning = MEANINGS[httpStatus];
  return meaning ? `HTTP ${httpStatus}: ${meaning}` : `HTTP ${httpStatus}`;
}

/** Why an attempt got no answer, in words that follow a colon. */
const WORDS: Record<string, string> = {
  timeout: 'no answer in time',
  dns: 'host name unknown',
  tls: 'no secure connection',
  connection: 'could not connect',
  address_refused: 'address not allowed',
};

/** A failure as it is stored, in words for a sentence. */
export const inWords = (reason: string): string => WORDS[reason] ?? reason;

/** The same for customers, so that it does not tell which names there are in the gateway's network. */
export const neutral = (reason: string | null): string | null =>
  reason
    ?.replace(/\b(dns|address_refused)\b/, 'connection')
    .replace(/\b(host name unknown|address not allowed)\b/, 'could not connect') ?? null;
