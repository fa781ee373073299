import { type FAILED_OUTCOMES } from '../../../store/schema';
import { t } from '../../languages/t';

type Cause = (typeof FAILED_OUTCOMES)[number];

/** The labels of failure causes, with advice. */
const CAUSES: Record<Cause, () => { word: string; remedy: string }> = {
  http_error: () => ({
    word: t('Answered with an error'),
    remedy: t(
      "The receiver didn't return a status of 200 to 299. See the response below and the receiver’s log.",
    ),
  }),
  timeout: () => ({
    word: t('No answer in time'),
    remedy: t(
      'The receiver did not answer within 20 seconds. It should answer first and do its work afterwards.',
    ),
  }),
  dns: () => ({
    word: t('Host name unknown'),
    remedy: t(
      'The host name of the address cannot be found. Check its spelling, and that its domain has not expired.',
    ),
  }),
  tls: () => ({
    word: t('No secure connection'),
    remedy: t(
      "The receiver's certificate has expired, is for another host name, or has an unknown issuer. Renew it.",
    ),
  }),
  connection: () => ({
    word: t('Not reachable'),
    remedy: t(
      'The connection failed or was closed. Check that the receiver is running and that its firewall allows the gateway.',
    ),
  }),
  address_refused: () => ({
    word: t('Address not allowed'),
    remedy: t(
      'The address is in a private network, to which the gateway sends nothing by default. Use a public address, or allow this one with GATEWAY_ALLOW_DESTINATIONS and restart the gateway.',
    ),
  }),
};

export const causeWords = (cause: Cause): { word: string; remedy: string } => CAUSES[cause]();

export const isCause = (text: string): text is Cause => Object.hasOwn(CAUSES, text);

/** Labels a failure: the HTTP status, or the cause if there was no answer. */
export function causeWord(outcome: string, httpStatus: number | null): string {
  if (httpStatus !== null) return `HTTP ${httpStatus}`;
  return isCause(outcome) ? causeWords(outcome).word : outcome;
}
