import { type FactValues } from './facts';

/**
 * Describes why an attempt failed, in one language.
 * @param outcomes words for failures without a response
 * @param answers the most frequent meaning of an HTTP status, by `HTTP 404`; others are shown as they are
 */
export const failedAttempt =
  (outcomes: Record<string, string>, answers: Record<string, string>) =>
  ({ failure }: FactValues['attempt.failed']): string => {
    // Earlier versions stored the meaning after the status.
    const [code = ''] = failure.split(':');
    const meaning = answers[code];
    return outcomes[failure] ?? (meaning ? `${code}: ${meaning}` : failure);
  };
