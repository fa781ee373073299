import { type Severity } from '../../store/schema';
import { type AlertFact } from '../../wording/facts';

/** A problem that needs a person, in its current state. */
export type Condition = AlertFact & {
  /** What it is about: unique within its kind. */
  subject: string;
  /** Null if it is not about one line; then the business account too, unless it is about all lines of one. */
  lineId: number | null;
  wabaId: string | null;
  severity: Severity;
  /** ISO time. */
  since: string;
  /** How many deliveries wait because of it, up to `MOST_WAITING`; null if that is not known. */
  waiting: number | null;
  /** False for what only the panel shows: it is old, or of no hurry. */
  isTold: boolean;
};

/** More that waits is not counted. */
export { MOST_GLANCED as MOST_WAITING } from '../../store/reports/backlog';

/** The host of a URL: everything after it may be a secret of the receiver. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? '…';
