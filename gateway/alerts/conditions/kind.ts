import { DAY, MINUTE, SECOND } from '../../time';
import { type AlertKind } from '../../wording/facts';

/** The rules of a kind of condition. Its texts are in the catalogues (`wording/`). */
export interface ConditionKind {
  /** The default threshold for alerts, which operators can change. */
  threshold?: { of: 'minutes' | 'days' | 'megabytes' | 'seconds' | 'times'; default: number; most: number };
  /** Whether its subject is the id of a destination. */
  isOfDestination?: true;
  /** The kind that replaces this one for the same subject: a channel only gets alerts about the later kind. */
  turnsInto?: AlertKind;
}

export type Kinds = Partial<Record<AlertKind, ConditionKind>>;

/** Whether a kind causes alerts, and its threshold in its own unit. */
export interface Rule {
  isOn: boolean;
  threshold: number;
}

export type Rules = Record<AlertKind, Rule>;

const MILLISECONDS = { minutes: MINUTE, days: DAY, seconds: SECOND, megabytes: 0, times: 0 };

/** A threshold in milliseconds, for kinds measured in time. */
export const thresholdTime = (
  { threshold: { of } }: Required<Pick<ConditionKind, 'threshold'>>,
  rule: Rule,
): number => rule.threshold * MILLISECONDS[of];
