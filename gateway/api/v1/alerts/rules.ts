import * as Type from 'typebox';
import { type ConditionKind } from '../../../alerts/conditions/kind';
import { CONDITION_KINDS, isConditionKind, KINDS } from '../../../alerts/kinds';
import { rulesOf } from '../../../alerts/rules';
import { setRules } from '../../../alerts/use-cases/set-rules';
import { alertRuleNotFound, notPermitted } from '../../../errors';
import { mayIn } from '../../../rights/grants';
import { type Tables } from '../../../store/store';
import { type AlertKind } from '../../../wording/facts';
import { TextOrNull } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { change, get, list } from '../described';
import { pageInMemory } from '../list-page';
import { found, type AdminContext } from '../operation';

export const AlertRule = Type.Object({
  condition: Type.String(),
  enabled: Type.Boolean(),
  threshold: Type.Unsafe<number | null>({ type: 'integer', nullable: true }),
  unit: TextOrNull,
});

type Rule = Type.Static<typeof AlertRule>;

const RuleChange = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    threshold: Type.Optional(
      Type.Integer({ minimum: 1, description: 'In the `unit` of the rule. Ignored for rules without one.' }),
    ),
  },
  { additionalProperties: false },
);
const readChange = bodyOf(typesOf(RuleChange));

const shown = (condition: AlertKind, { isOn, threshold }: { isOn: boolean; threshold: number }): Rule => {
  const { threshold: limit }: ConditionKind = KINDS[condition];
  return {
    condition,
    enabled: isOn,
    threshold: limit ? threshold : null,
    unit: limit?.of ?? null,
  };
};

function conditionIn({ params, by }: AdminContext): AlertKind {
  if (!mayIn(by, 'alerts.read', null) && !mayIn(by, 'gateway', null)) throw notPermitted();
  const { condition = '' } = params;
  if (!isConditionKind(condition)) throw alertRuleNotFound();
  return condition;
}

async function object(context: AdminContext, { alerts }: Pick<Tables, 'alerts'>): Promise<Rule> {
  const condition = conditionIn(context);
  return shown(condition, rulesOf(await alerts.rules())[condition]);
}

const TAG = 'Alerts';

export const listAlertRules = list('/alert-rules', {
  tag: TAG,
  id: 'listAlertRules',
  permission: 'alerts.read',
  summary: 'List alert rules',
  description:
    'When channels are notified. The rules are those of the whole gateway, so the token must reach all customers.',
  schema: 'AlertRule',
  refusals: () => [notPermitted()],
  handler: async (context) => {
    if (!mayIn(context.by, 'alerts.read', null)) throw notPermitted();
    const rules = rulesOf(await context.deps.store.alerts.rules());
    const rows = CONDITION_KINDS.map((condition, index) => ({ id: index + 1, condition }));
    return pageInMemory(context, rows, ({ condition }) => shown(condition, rules[condition]));
  },
});

export const getAlertRule = get('/alert-rules/{condition}', {
  tag: TAG,
  id: 'getAlertRule',
  permission: 'alerts.read',
  summary: 'Get an alert rule',
  description: 'The rule of one condition. The token must reach all customers.',
  schema: 'AlertRule',
  refusals: () => [alertRuleNotFound(), notPermitted()],
  object,
});

export const changeAlertRule = change('/alert-rules/{condition}', {
  tag: TAG,
  id: 'changeAlertRule',
  permission: 'gateway',
  fields: Object.fromEntries(CONDITION_KINDS.map((kind) => [kind, 'threshold'])),
  summary: 'Change an alert rule',
  description: 'Incidents that end because of the change are not reported as recovered.',
  body: { schema: RuleChange, examples: { off: { value: { enabled: false } } } },
  schema: 'AlertRule',
  refusals: () => [alertRuleNotFound(), notPermitted()],
  object,
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const { enabled, threshold } = readChange(request);
    const condition = conditionIn(context);
    const before = rulesOf(await deps.store.alerts.rules())[condition];
    const after = { isOn: enabled ?? before.isOn, threshold: threshold ?? before.threshold };
    await setRules(deps, actor, by, [{ kind: condition, ...after }]);
    return found(shown(condition, after));
  },
});
