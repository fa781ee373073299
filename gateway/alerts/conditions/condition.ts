import { type Severity } from '../../store/schema';
import { type ConditionKind } from '../kinds';

/** Something that needs a person, as it is at this moment. */
export interface Condition {
  kind: ConditionKind;
  /** What it is about, among those of its kind. */
  subject: string;
  /** Null where it is not about one line; then the business account too, unless all of its lines are meant. */
  lineId: number | null;
  wabaId: string | null;
  severity: Severity;
  /** Sentences: what happened, more about it, that it is over, and what to do. The first and third without a full stop. */
  title: string;
  text: string;
  over: string;
  action: string;
  /** Of the panel's page where it is set right, and the words on the link there. */
  path: string;
  remedy: string;
  /** ISO time. */
  since: string;
  /** How many deliveries wait because of it, up to `MOST_WAITING`; null where that is not known. */
  waiting: number | null;
  /** False for what only the panel shows: it is old, or of no hurry. */
  isTold: boolean;
}

/** More that waits is not counted. */
export { MOST_GLANCED as MOST_WAITING } from '../../store/reports/backlog';

/** The host of an address: what follows it may be a secret of the receiver's. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? 'an address';
