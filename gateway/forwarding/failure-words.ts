import { type Outcome } from './deliver';

/** What an answer most often means where nobody sees at once. */
const MEANINGS: Record<number, string> = {
  401: 'a log-in or a header is asked for that is not sent',
  403: 'a log-in or a header is asked for that is not sent',
  404: 'nothing is at this address; so answers n8n while the workflow is not active',
};

/** In a few words why an attempt failed. */
export function reasonOf({ outcome, httpStatus }: Pick<Outcome, 'httpStatus'> & { outcome: string }): string {
  if (httpStatus === null) return outcome;
  const meaning = MEANINGS[httpStatus];
  return meaning ? `HTTP ${httpStatus}: ${meaning}` : `HTTP ${httpStatus}`;
}

/** What came of it where there was no answer; the panel has the same words, and translates them. */
const WORDS: Record<string, string> = {
  timeout: 'No answer in time',
  dns: 'Host name unknown',
  tls: 'No secure connection',
  connection: 'Not reachable',
  address_refused: 'Address not allowed',
};

/** The same for who reads it in a sentence. */
export const inWords = (reason: string): string => WORDS[reason] ?? reason;

/** The same for customers, so that it does not tell which names there are in the gateway's network. */
export const neutral = (reason: string | null): string | null =>
  reason
    ?.replace(/\b(dns|address_refused)\b/, 'connection')
    .replace(/\b(Host name unknown|Address not allowed)\b/, 'Not reachable') ?? null;
