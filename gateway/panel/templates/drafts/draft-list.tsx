import { type VNode } from 'preact';
import { templateStateOf, type TemplateState, TEMPLATE_STATES } from '../../../cloud-api/template';
import { draftStandings } from '../../../management/drafts/board';
import { type TemplateRow } from '../../../store/tables/templates';
import { draftOf, type Draft } from '../../../templates/drafts/draft';
import { t } from '../../languages/t';
import { type UserContext } from '../../request-context';
import { Badge, Card, Nothing, Table, Time } from '../../ui/parts';
import { categoryWord } from '../../ui/words/kind-words';
import { stateTone, stateWord } from '../template-words';
import { boardPath, draftPath, draftTitle } from './draft-route';

/** The drafts of a customer, and where each stands; null if there are none. */
export async function draftList(
  { deps }: Pick<UserContext, 'deps'>,
  customerId: number | null,
): Promise<VNode | null> {
  const drafts = (await deps.store.templateDrafts.ofCustomer(customerId)).map(draftOf);
  if (!drafts.length) return null;
  const standings = await draftStandings(deps, customerId, drafts);
  return (
    <Card title={t('Drafts')} flush>
      <Table
        caption={t('Drafts')}
        rows={drafts}
        rowKey={({ id }) => id}
        columns={[
          {
            label: t('Name'),
            heading: true,
            cell: (draft) => (
              <a class="row-link" href={draftPath(draft)}>
                {draftTitle(draft)}
              </a>
            ),
          },
          {
            label: t('Languages'),
            cell: ({ content }) => (
              <span class="language-name">
                {content.languages.map(({ language }) => language).join(', ')}
              </span>
            ),
          },
          {
            label: t('Category'),
            cell: ({ category }) =>
              category ? categoryWord(category) : <Nothing>{t.of('category', 'none')}</Nothing>,
          },
          { label: t('At the platform'), cell: (draft) => <Standing templates={standings.of(draft)} /> },
          { label: t('Saved'), cell: (draft) => <Saved draft={draft} /> },
          {
            label: t('Actions'),
            actions: true,
            cell: (draft) => (
              <a class="button plain small" href={boardPath(draft)}>
                {t('Accounts')}
                <span class="sr-only"> {draftTitle(draft)}</span>
              </a>
            ),
          },
        ]}
      />
    </Card>
  );
}

const Saved = ({ draft }: { draft: Draft }): VNode => (
  <>
    <Time at={draft.updatedAt} to="minute" /> <span class="quiet">{draft.updatedBy}</span>
  </>
);

/** How many accounts have it, and the states of its templates with their numbers. */
function Standing({ templates }: { templates: readonly TemplateRow[] }): VNode {
  if (!templates.length) return <Nothing>{t('not submitted')}</Nothing>;
  const accounts = new Set(templates.map((row) => row.line_id)).size;
  const states = Map.groupBy(
    templates,
    (row): TemplateState => templateStateOf(row.upstream_status ?? '') ?? 'pending',
  );
  return (
    <div class="cluster">
      <span>{t('{accounts, plural, one {# account} other {# accounts}}', { accounts })}</span>
      {TEMPLATE_STATES.filter((state) => states.has(state)).map((state) => (
        <Badge key={state} tone={stateTone(state)}>
          {`${stateWord(state)} ${states.get(state)?.length ?? 0}`}
        </Badge>
      ))}
    </div>
  );
}
