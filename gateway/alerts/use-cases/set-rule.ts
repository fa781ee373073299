import { RULE_MARK } from '../../store/alerts';
import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { type ConditionKind } from '../kinds';
import { type Rule } from '../rules';

/** Changes whether a condition is told, and from which measure on. What ends by that alone is not told as over. */
export const setRule = (deps: AuditedDeps, actor: Actor, kind: ConditionKind, rule: Rule): Promise<void> =>
  audited(
    deps,
    actor,
    {
      action: 'alert_rule.changed',
      details: { condition: kind, is_on: rule.isOn, threshold: rule.threshold },
    },
    async ({ store }) => {
      await store.alerts.storeRule({ kind, is_on: Number(rule.isOn), threshold: rule.threshold });
      await store.alerts.storeMark({
        ...{ kind: RULE_MARK, subject: kind, value: '' },
        at: isoTime(deps.clock()),
      });
    },
  );
