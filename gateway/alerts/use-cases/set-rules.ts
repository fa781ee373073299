import { RULE_MARK } from '../../store/tables/alerts';
import { type Actor } from '../../store/tables/audit';
import { audited, changesIn, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { type AlertKind } from '../../wording/facts';
import { type Rule } from '../conditions/kind';
import { rulesOf } from '../rules';

/**
 * Switches a condition on or off, or sets its threshold. Incidents that end because of this are not reported as
 * recovered.
 */
export const setRule = (deps: AuditedDeps, actor: Actor, kind: AlertKind, rule: Rule): Promise<void> =>
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
  ).then(() => undefined);
