import { type Severity } from '../../store/schema';
import { type AlertFact } from '../../wording/facts';

/** A problem that needs a user's attention, in its current state. */
export type Condition = AlertFact & {
  /** The affected object, unique within the kind. */
  subject: string;
  /**
   * Null if it does not concern a single line; the business account is then null too, unless it concerns all lines of
   * one.
   */
  lineId: number | null;
  wabaId: string | null;
  /** The only customer of the business account that it concerns; undefined for all. */
  customerId?: number;
  severity: Severity;
  /** ISO time. */
  since: string;
  /** Deliveries that wait because of the problem, up to `MOST_WAITING`; null if unknown. */
  waiting: number | null;
  /** False for old or minor problems, which are only shown in the panel. */
  isTold: boolean;
};

/** The count of waiting deliveries stops here. */
export { MOST_GLANCED as MOST_WAITING } from '../../store/reports/backlog';

/** The host of a URL: everything after it may be a secret. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? '…';
