import { type FactValues } from './facts';

/**
 * Why an attempt failed, in one language.
 * @param outcomes words for failures without an answer
 * @param answers what an HTTP status most often means, by `HTTP 404`; others are given as they are
 */
export const failedAttempt =
  (outcomes: Record<string, string>, answers: Record<string, string>) =>
  ({ failure }: FactValues['attempt.failed']): string => {
    // Earlier versions stored the meaning behind the status.
    const [code = ''] = failure.split(':');
    const meaning = answers[code];
    return outcomes[failure] ?? (meaning ? `${code}: ${meaning}` : failure);
  };
