import { DAY, MINUTE, SECOND } from '../../time';
import { type AlertKind } from '../../wording/facts';

/** The rules of a kind of condition. Its sentences are in the catalogues (`wording/`). */
export interface ConditionKind {
  /** The measure from which on people are notified, unless an operator changes it. */
  threshold?: { of: 'minutes' | 'days' | 'megabytes' | 'seconds' | 'times'; default: number; most: number };
  /** Its subject is the id of a destination. */
  isOfDestination?: true;
  /** The kind that continues this one for the same subject: a channel is notified only of the later one. */
  turnsInto?: AlertKind;
}

export type Kinds = Partial<Record<AlertKind, ConditionKind>>;

/** Whether people are notified of a kind, and from which measure on, in its own unit. */
export interface Rule {
  isOn: boolean;
  threshold: number;
}

export type Rules = Record<AlertKind, Rule>;

const MILLISECONDS = { minutes: MINUTE, days: DAY, seconds: SECOND, megabytes: 0, times: 0 };

/** A threshold that is a time, in milliseconds. */
export const thresholdTime = (
  { threshold: { of } }: Required<Pick<ConditionKind, 'threshold'>>,
  rule: Rule,
): number => rule.threshold * MILLISECONDS[of];
