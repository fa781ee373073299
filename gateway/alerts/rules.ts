import { type RuleRow } from '../store/alerts';
import { DAY, MINUTE, SECOND } from '../time';
import { CONDITION_KINDS, KINDS, type ConditionKind, type Kind } from './kinds';

/** Whether a condition is told, and from which measure on, in its own unit. */
export interface Rule {
  isOn: boolean;
  threshold: number;
}

export type Rules = Record<ConditionKind, Rule>;

/** As they are from the first start, with what an operator has changed. */
export function rulesOf(rows: RuleRow[]): Rules {
  const changed = new Map(rows.map((row) => [row.kind, row]));
  const entries = CONDITION_KINDS.map((kind): [ConditionKind, Rule] => {
    const { threshold }: Kind = KINDS[kind];
    const row = changed.get(kind);
    return [
      kind,
      { isOn: row ? row.is_on === 1 : true, threshold: row?.threshold ?? threshold?.default ?? 0 },
    ];
  });
  return Object.fromEntries(entries) as Rules;
}

const MILLISECONDS = { minutes: MINUTE, days: DAY, seconds: SECOND, megabytes: 0, times: 0 };

/** How long a condition has to last until it is told; 0 where its threshold measures something else. */
export function lastsUntilTold(kind: ConditionKind, rules: Rules): number {
  const { threshold }: Kind = KINDS[kind];
  return threshold?.of === 'minutes' ? rules[kind].threshold * MILLISECONDS.minutes : 0;
}

/** A threshold that is a time, in milliseconds. */
export const thresholdTime = (kind: ConditionKind, rules: Rules): number => {
  const { threshold }: Kind = KINDS[kind];
  return threshold ? rules[kind].threshold * MILLISECONDS[threshold.of] : 0;
};

/** The rule as a sentence, with its threshold. */
export const ruleSentence = (kind: ConditionKind, rules: Rules): string =>
  KINDS[kind].rule.replace(/\bN\b/, rules[kind].threshold.toLocaleString('en'));
