import { notPermitted } from '../../errors';
import { Issues } from '../../primitives/issues';
import { mayIn, type By } from '../../rights/grants';
import { RULE_MARK } from '../../store/tables/alerts';
import { type Actor } from '../../store/tables/audit';
import { audited, changesIn, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { fact, type AlertKind } from '../../wording/facts';
import { type ConditionKind, type Rule } from '../conditions/kind';
import { KINDS } from '../kinds';
import { rulesOf } from '../rules';

/** A rule as entered. The threshold is ignored for kinds without one. */
export interface RuleInput {
  kind: AlertKind;
  isOn: boolean;
  threshold: number | string;
}

/**
 * Switches conditions on or off, and sets their thresholds. Incidents that end because of this are not reported as
 * recovered.
 * @returns the number of changed rules
 * @throws Refusal if `by` may not change the gateway, or with all issues, by kind
 */
export async function setRules(deps: AuditedDeps, actor: Actor, by: By, given: RuleInput[]): Promise<number> {
  if (by && !mayIn(by, 'gateway', null)) throw notPermitted();
  const issues = new Issues();
  const entered = given.map(({ kind, isOn, threshold }) => {
    const { most }: Partial<ConditionKind['threshold']> = (KINDS[kind] as ConditionKind).threshold ?? {};
    if (most === undefined) return { kind, isOn, threshold: 0 };
    return {
      kind,
      isOn,
      threshold: issues.addWhole(kind, threshold, [1, most], fact('number.range', { most })),
    };
  });
  issues.check();
  const stored = rulesOf(await deps.store.alerts.rules());
  const changed = entered.filter(
    ({ kind, isOn, threshold }) => isOn !== stored[kind].isOn || threshold !== stored[kind].threshold,
  );
  for (const { kind, ...rule } of changed) await setRule(deps, actor, kind, rule);
  return changed.length;
}

const setRule = (deps: AuditedDeps, actor: Actor, kind: AlertKind, rule: Rule): Promise<Rule> =>
  audited<Rule>(
    deps,
    actor,
    (before) => ({
      action: 'alert_rule.changed',
      details: {
        condition: kind,
        threshold: rule.threshold,
        changes: changesIn({
          is_on: [before.isOn, rule.isOn],
          threshold: [before.threshold, rule.threshold],
        }),
      },
    }),
    async ({ store }) => {
      const before = rulesOf(await store.alerts.rules())[kind];
      await store.alerts.storeRule({ kind, is_on: Number(rule.isOn), threshold: rule.threshold });
      await store.alerts.storeMark({
        ...{ kind: RULE_MARK, subject: kind, value: '' },
        at: isoTime(deps.clock()),
      });
      return before;
    },
  );
