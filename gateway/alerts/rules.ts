import { type RuleRow } from '../store/tables/alerts';
import { type AlertKind } from '../wording/facts';
import { thresholdTime, type ConditionKind, type Rules } from './conditions/kind';
import { CONDITION_KINDS, KINDS } from './kinds';

/** The default rules with the operator's changes. */
export function rulesOf(rows: RuleRow[]): Rules {
  const changed = new Map(rows.map((row) => [row.kind, row]));
  const entries = CONDITION_KINDS.map((kind) => {
    const row = changed.get(kind);
    const threshold = row?.threshold ?? KINDS[kind].threshold?.default ?? 0;
    return [kind, { isOn: row ? row.is_on === 1 : true, threshold }];
  });
  return Object.fromEntries(entries) as Rules;
}

/** How long a condition must last before it causes alerts; 0 if its threshold is not a time. */
export function lastsUntilTold(kind: AlertKind, rules: Rules): number {
  const { threshold }: ConditionKind = KINDS[kind];
  return threshold?.of === 'minutes' ? thresholdTime({ threshold }, rules[kind]) : 0;
}
