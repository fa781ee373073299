import { type VNode } from 'preact';
import { draftBoard, type Board } from '../../../management/drafts/board';
import { type DraftCell } from '../../../management/drafts/submit-draft';
import { type Draft } from '../../../templates/drafts/draft';
import { deleteDraft } from '../../../templates/drafts/manage-drafts';
import { t } from '../../languages/t';
import { page, seeOther, type PanelResponse } from '../../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../../panel-route';
import { type UserContext } from '../../request-context';
import { ActionButton, Confirm, Form, Submit } from '../../ui/form';
import { Live } from '../../ui/live';
import { Card, Empty, Notice, PageHead } from '../../ui/parts';
import { languageWord } from '../../ui/words/template-words';
import { formOf } from '../editor/draft-form';
import { findingsOf } from '../editor/findings';
import { endsSoon } from '../patience';
import { reviewAddress } from '../sandbox-review';
import { templateFile } from '../template-file';
import { BoardTable, DeletionDialogs } from './board-table';
import { boardPath, draftOfRoute, draftPath, draftTitle, mayWriteDrafts, templatesPath } from './draft-route';
import { beginSubmission, submissionOf, type Submission } from './submitting';

/** Where a draft stands at the platform, and its submission. */
export const boardPages: PanelRoute[] = [
  pageRoute('templates.read', '/templates/drafts/:id/board', showBoard, { live: true }),
  actionRoute('templates.write', '/templates/drafts/:id/submit', submit),
  pageRoute('templates.read', '/templates/drafts/:id/export', async (context) =>
    templateFile(await draftOfRoute(context)),
  ),
  actionRoute('templates.write', '/templates/drafts/:id/delete', remove),
];

async function showBoard(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const draft = await draftOfRoute(context);
  const board = await draftBoard(deps, draft);
  const submission = submissionOf(deps, draft.id);
  const mayWrite = mayWriteDrafts(context, draft.customerId);
  const [line] = board.accounts.flatMap(({ lines }) => lines);
  const state = <Places draft={draft} board={board} submission={submission} mayWrite={mayWrite} />;
  return page(
    <PageHead
      title={draftTitle(draft)}
      tab={t('Accounts of {name}', { name: draftTitle(draft) })}
      back={{ href: templatesPath(context, draft), label: t('Templates') }}
      actions={
        <>
          <a class="button plain" href={draftPath(draft)}>
            {mayWrite ? t('Edit the draft') : t('View the draft')}
          </a>
          {deps.sandboxUrl !== null && mayWrite && line && (
            <a class="button plain" href={reviewAddress(line)}>
              {t('Review in the sandbox')}
            </a>
          )}
        </>
      }
    >
      {t('Submit the template to your business accounts, and follow its review in each language.')}
    </PageHead>,
    <>
      <Findings draft={draft} board={board} />
      {submission ? <Live id="places">{state}</Live> : <div>{state}</div>}
      <DraftActions draft={draft} mayWrite={mayWrite} />
    </>,
  );
}

/** What blocks the submission, and what the review will probably refuse, with links to the fields. */
function Findings({ draft, board }: { draft: Draft; board: Board }): VNode {
  const issues = board.languages.map((one) => one.issues);
  const found = findingsOf(issues, formOf(draft));
  const levels = [
    {
      level: 'refused',
      tone: 'bad',
      title: t('Correct this first. The platform would refuse it.'),
    },
    {
      level: 'likely',
      tone: 'warn',
      title: t('The review will probably refuse this. You can submit it anyway.'),
    },
  ] as const;
  return (
    <>
      {levels.map(({ level, tone, title }) => {
        const some = found.filter((finding) => finding.level === level);
        return (
          some.length > 0 && (
            <Notice key={level} tone={tone}>
              <p>
                <strong>{title}</strong>
              </p>
              <ul>
                {some.map(({ language, field, sentence }) => (
                  <li key={`${field} ${sentence}`}>
                    <a href={`${draftPath(draft)}?check=1#${field ? `field-${field}` : 'findings'}`}>
                      <PlaceOf draft={draft} language={language} field={field} />
                    </a>
                    {': '}
                    {sentence}
                  </li>
                ))}
              </ul>
            </Notice>
          )
        );
      })}
    </>
  );
}

function PlaceOf({ draft, language, field }: { draft: Draft; language: number; field: string }): VNode {
  if (field === 'name') return <>{t('Name')}</>;
  if (field === 'category') return <>{t('Category')}</>;
  const word = languageWord(draft.content.languages[language]?.language ?? '');
  return <span class="language-name">{word || t('Language')}</span>;
}

interface PlacesProps {
  draft: Draft;
  board: Board;
  submission: Submission | null;
  mayWrite: boolean;
}

function Places({ draft, board, submission, mayWrite }: PlacesProps): VNode {
  if (!board.accounts.length)
    return (
      <Card>
        <Empty title={t('There is no business account to submit it to')}>
          <p>{t('Add a line first. Its business account then appears here.')}</p>
        </Empty>
      </Card>
    );
  const isOpen = mayWrite && !submission?.isRunning;
  const canSubmit = isOpen && board.accounts.some(({ cells }) => cells.some(({ action }) => action !== null));
  const table = (
    <Card flush>
      <BoardTable draft={draft} board={board} submission={submission} isOpen={isOpen} />
    </Card>
  );
  return (
    <div class="stack">
      {submission && <Progress submission={submission} />}
      {canSubmit ? (
        <Form action={`${draftPath(draft)}/submit`} class="stack">
          {table}
          <div class="actions">
            <Submit>{t('Submit the selected ones')}</Submit>
          </div>
        </Form>
      ) : (
        table
      )}
      {canSubmit && (
        <p class="quiet small">
          {t(
            'Each selected field is submitted on its own, so a refusal stops none of the others. An approved template can be edited once a day, and ten times in 30 days.',
          )}
        </p>
      )}
      {isOpen && <DeletionDialogs draft={draft} board={board} />}
    </div>
  );
}

function Progress({ submission }: { submission: Submission }): VNode {
  const { isRunning, count, outcomes } = submission;
  if (isRunning)
    return (
      <Notice tone="info">
        <p>
          <strong>
            {t('Submitting: {done, number} of {count, number} done…', { done: outcomes.length, count })}
          </strong>{' '}
          {t('You may leave this page: it continues.')}
        </p>
      </Notice>
    );
  if (outcomes.length < count)
    return (
      <Notice tone="bad">
        <p>
          {t('The submission broke off after {done, number} of {count, number}. Submit the others again.', {
            done: outcomes.length,
            count,
          })}{' '}
          {t("The gateway's log shows the reason.")}
        </p>
      </Notice>
    );
  const failed = outcomes.filter(({ failure }) => failure !== null).length;
  return failed ? (
    <Notice tone="warn">
      <p>
        {t(
          '{failed, plural, one {# of {count, number} was not accepted. The table shows why.} other {# of {count, number} were not accepted. The table shows why.}}',
          { failed, count },
        )}
      </p>
    </Notice>
  ) : (
    <Notice tone="good">
      <p>{t('Submitted. The platform reviews it now, which takes minutes to a day.')}</p>
    </Notice>
  );
}

function DraftActions({ draft, mayWrite }: { draft: Draft; mayWrite: boolean }): VNode {
  const path = draftPath(draft);
  return (
    <Card title={t('This draft')}>
      <div class="actions">
        <a class="button plain" href={`${path}/export`}>
          {t('Export JSON')}
        </a>
        {mayWrite && (
          <>
            <ActionButton action={`${path}/duplicate`} tone="plain">
              {t('Duplicate')}
            </ActionButton>
            <Confirm
              id="delete-draft"
              action={`${path}/delete`}
              button={t('Delete the draft')}
              tone="danger"
              title={t('Delete the draft {name}?', { name: draftTitle(draft) })}
              confirm={t.of('template', 'Delete')}
            >
              <p>
                {t(
                  'Its texts and sample files are deleted. Templates that were submitted from it stay at the platform.',
                )}
              </p>
            </Confirm>
          </>
        )}
      </div>
    </Card>
  );
}

/** The cells in the form: one by its own button, or those that are checked. */
const chosenCells = (form: FormData): DraftCell[] =>
  (form.has('only') ? [form.get('only')] : form.getAll('one')).map((key) => {
    const [wabaId = '', language = ''] = String(key).split(' ');
    return { wabaId, language };
  });

async function submit(context: UserContext): Promise<PanelResponse> {
  const draft = await draftOfRoute(context);
  const cells = chosenCells(context.form);
  const back = boardPath(draft);
  if (!cells.length) return seeOther(back, t('Select at least one field of the table.'), 'idle');
  if (submissionOf(context.deps, draft.id)?.isRunning)
    return seeOther(back, t('The draft is still being submitted. Wait until it is done.'), 'idle');
  const { ended } = await beginSubmission(context, draft.id, cells);
  await endsSoon(ended);
  return seeOther(back);
}

async function remove(context: UserContext): Promise<PanelResponse> {
  const draft = await draftOfRoute(context);
  await deleteDraft(context.deps, context.actor, context.session.grants, draft.id);
  return seeOther(templatesPath(context, draft), t('The draft is deleted.'));
}
