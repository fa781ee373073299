import { type ComponentChildren, type VNode } from 'preact';
import { type ConditionKind, type Rules } from '../../alerts/conditions/kind';
import { CONDITION_KINDS, KINDS } from '../../alerts/kinds';
import { type AlertKind } from '../../wording/facts';
import { languageNow } from '../../wording/language';
import { ruleOf, sayRule } from '../../wording/say';
import { rulesOf } from '../../alerts/rules';
import { setRules } from '../../alerts/use-cases/set-rules';
import { FormState } from '../form-state';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { Form, Submit } from '../ui/form';
import { Card, PageHead } from '../ui/parts';
import { number } from '../languages/numbers';
import { t } from '../languages/t';

/** The page of the alert rules, each a sentence. */
export const alertRulePages: PanelRoute[] = [
  pageRoute('alerts.read', '/alerts/rules', (context) => showRules(context), { isGatewayWide: true }),
  actionRoute('gateway', '/alerts/rules', saveRules),
];

async function showRules(context: UserContext, given?: FormState): Promise<PanelResponse> {
  const rules = rulesOf(await context.deps.store.alerts.rules());
  const state = given ?? new FormState();
  return page(
    <PageHead tab={t('Alert rules')} title={t('Rules')} back={{ href: '/panel/alerts', label: t('Alerts') }}>
      {t.rich('When to notify <link>the channels</link>. The overview still shows everything else.', {
        link: (parts) => <a href="/panel/alerts/channels">{parts}</a>,
      })}
    </PageHead>,
    <Card title={t('Notify when …')}>
      {context.may('gateway') ? (
        <Form action="/panel/alerts/rules" state={state} class="form wide">
          {groupsOf(CONDITION_KINDS).map(({ heading, kinds }) => (
            <Group key={heading} heading={heading}>
              {kinds.map((kind) => (
                <Rule key={kind} kind={kind} rules={rules} given={given} />
              ))}
            </Group>
          ))}
          <div class="actions">
            <Submit>{t('Save the rules')}</Submit>
          </div>
        </Form>
      ) : (
        groupsOf(CONDITION_KINDS.filter((kind) => rules[kind].isOn)).map(({ heading, kinds }) => (
          <Group key={heading} heading={heading}>
            <ul>
              {kinds.map((kind) => (
                <li key={kind}>{ruleSentence(kind, rules)}</li>
              ))}
            </ul>
          </Group>
        ))
      )}
    </Card>,
    state,
  );
}

/** Headings of the groups, by the first kind of each group. */
const headings = (): Partial<Record<AlertKind, string>> => ({
  destination_failing: t('Destinations and deliveries'),
  line_disconnected: t('Lines and templates'),
  token_expiring: t('Tokens'),
  budget_used: t('Customers'),
  disk_short: t('The gateway itself'),
  log_in_attack: t('Attacks'),
});

/** @returns the kinds grouped by heading; empty groups are left out */
function groupsOf(kinds: AlertKind[]): { heading: string; kinds: AlertKind[] }[] {
  const groups: { heading: string; kinds: AlertKind[] }[] = [];
  for (const kind of CONDITION_KINDS) {
    const heading = headings()[kind];
    if (heading !== undefined) groups.push({ heading, kinds: [] });
    if (kinds.includes(kind)) groups.at(-1)?.kinds.push(kind);
  }
  return groups.filter((group) => group.kinds.length > 0);
}

const Group = ({ heading, children }: { heading: string; children: ComponentChildren }): VNode => (
  <section class="alert-rules">
    <h3>{heading}</h3>
    <div>{children}</div>
  </section>
);

export const ruleSentence = (kind: AlertKind, rules: Rules): string =>
  sayRule(languageNow(), kind, number(rules[kind].threshold));

const unitWord = (unit: NonNullable<ConditionKind['threshold']>['of']): string =>
  ({
    minutes: t('minutes'),
    days: t('days'),
    megabytes: t('megabytes'),
    seconds: t('seconds'),
    times: t('times'),
  })[unit];

/** A rule: its sentence, its switch, and its number. */
function Rule({ kind, rules, given }: { kind: AlertKind; rules: Rules; given?: FormState }): VNode {
  const { threshold }: ConditionKind = KINDS[kind];
  const [before = '', after] = ruleOf(languageNow(), kind).split(/\bN\b/);
  const isOn = given ? given.has(`on-${kind}`) : rules[kind].isOn;
  const issue = given?.issueOf(`n-${kind}`);
  return (
    <div class="choice">
      <input
        type="checkbox"
        id={`field-on-${kind}`}
        name={`on-${kind}`}
        value="yes"
        checked={isOn}
        aria-label={ruleSentence(kind, rules)}
      />
      <span>
        <label for={`field-on-${kind}`}>{before}</label>
        {threshold && after !== undefined && (
          <>
            <input
              class="alert-number"
              id={`field-n-${kind}`}
              name={`n-${kind}`}
              type="number"
              min={1}
              max={threshold.most}
              value={given?.text(`n-${kind}`) ?? String(rules[kind].threshold)}
              aria-label={`${unitWord(threshold.of)}: ${ruleSentence(kind, rules)}`}
              {...(issue && { 'aria-invalid': 'true' as const, autofocus: true, 'data-focus': '' })}
            />
            <label for={`field-on-${kind}`}>{after}</label>
          </>
        )}
        {issue && <span class="fault">{issue}</span>}
      </span>
    </div>
  );
}

async function saveRules(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session, form } = context;
  const state = new FormState(form);
  const given = CONDITION_KINDS.map((kind) => ({
    kind,
    isOn: state.has(`on-${kind}`),
    threshold: state.text(`n-${kind}`),
  }));
  const fields = Object.fromEntries(CONDITION_KINDS.map((kind) => [kind, `n-${kind}`]));
  const changed = await state.given(() => setRules(deps, actor, session.grants, given), fields);
  if (changed === null) return showRules(context, state);
  return seeOther('/panel/alerts/rules', changed ? t('The rules are saved.') : t('Nothing was changed.'));
}
