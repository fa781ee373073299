import { DAY, MINUTE, SECOND } from '../../time';
import { type AlertKind } from '../../wording/facts';

/** What the gateway knows of a kind of condition beside its sentences, which stand in the catalogues (`wording/`). */
export interface ConditionKind {
  /** The measure from which on people are notified, unless an operator changes it. */
  threshold?: { of: 'minutes' | 'days' | 'megabytes' | 'seconds' | 'times'; default: number; most: number };
  /** Its subject is the id of a destination. */
  isOfDestination?: true;
  /** What it turns into, of the same subject: one story, of which a channel hears the second half alone. */
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
