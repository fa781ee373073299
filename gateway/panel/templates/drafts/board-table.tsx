import { type VNode } from 'preact';
import { type Board, type BoardAccount, type BoardCell } from '../../../management/drafts/board';
import { type Draft } from '../../../templates/drafts/draft';
import { templateRecord } from '../../../templates/template-record';
import { said, Said } from '../../languages/said';
import { t } from '../../languages/t';
import { useRequest } from '../../ui/page-request';
import { type Sayable } from '../../../wording/facts';
import { opens } from '../../ui/form';
import { Badge, Label, Table, Time } from '../../ui/parts';
import { categoryWord } from '../../ui/words/kind-words';
import { languageWord } from '../../ui/words/template-words';
import { DeleteTemplate } from '../delete-template';
import { Reason, TemplateBadge, TemplateQuality } from '../template-words';
import { keyOfCell, type Submission } from './submitting';

interface BoardTableProps {
  draft: Draft;
  board: Board;
  submission: Submission | null;
  /** Whether the user may submit now. */
  isOpen: boolean;
}

/** The languages of a draft on each account. */
export function BoardTable({ draft, board, submission, isOpen }: BoardTableProps): VNode {
  const rows = board.accounts.flatMap((account) =>
    account.cells.map((cell): Row => {
      const { language, action } = cell;
      const key = keyOfCell({ wabaId: account.wabaId, language });
      return {
        ...{ account, cell, key },
        place: t('{language}, {account}', { language: languageWord(language), account: namesOf(account) }),
        isWaiting: submission?.waiting.has(key) ?? false,
        canSubmit: isOpen && action !== null,
        canDelete: isOpen && cell.template !== null,
      };
    }),
  );
  return (
    <Table
      caption={t('Business accounts and languages')}
      rows={rows}
      rowKey={({ key }) => key}
      groupOf={({ account }) => ({
        key: account.wabaId,
        title: `${namesOf(account)} · ${account.wabaId}`,
      })}
      columns={[
        { label: t('Language'), heading: true, cell: (row) => <Language row={row} /> },
        { label: t('At the platform'), cell: (row) => <AtPlatform row={row} draft={draft} /> },
        { label: t('Actions'), actions: true, cell: (row) => <Actions row={row} /> },
      ]}
    />
  );
}

interface Row {
  account: BoardAccount;
  cell: BoardCell;
  /** `keyOfCell` */
  key: string;
  /** In words, for screen readers. */
  place: string;
  /** Whether its submission is not done yet. */
  isWaiting: boolean;
  canSubmit: boolean;
  canDelete: boolean;
}

const namesOf = ({ lines }: BoardAccount): string => lines.map(({ name }) => name).join(', ');

function Language({ row: { cell, key, place, canSubmit } }: { row: Row }): VNode {
  const name = <span class="language-name">{languageWord(cell.language)}</span>;
  if (!canSubmit) return name;
  return (
    <label class="choice">
      <input
        type="checkbox"
        // The live part keeps what is checked in boxes of this name.
        name="one"
        value={key}
        aria-label={t('Select: {place}', { place })}
        checked={cell.action === 'create' || cell.isDifferent}
      />
      {name}
    </label>
  );
}

/** The state at the platform, what differs from the draft, and why the last submission failed. */
function AtPlatform({ row: { account, cell, isWaiting }, draft }: { row: Row; draft: Draft }): VNode {
  const { template, submission, isDifferent, hasOtherCategory } = cell;
  const isInDraft = draft.content.languages.some(({ language }) => language === cell.language);
  const [line] = account.lines;
  return (
    <div class="stack close">
      <div class="cluster">
        <State cell={cell} isWaiting={isWaiting} />
        {isDifferent && <Label>{t('Differs from the draft')}</Label>}
        {!isInDraft && <Label>{t('Not in the draft')}</Label>}
      </div>
      {template && hasOtherCategory && (
        <p>
          {t('Category at the platform: {category}', { category: categoryWord(template.category) })}
          {templateRecord(template).status === 'approved' && (
            <span class="quiet small"> {t('An approved template keeps it, also after an edit.')}</span>
          )}
        </p>
      )}
      {template && templateRecord(template).status === 'rejected' && (
        <Reason reason={template.rejected_reason} />
      )}
      {submission?.failure && !isWaiting && (
        <Failure
          of={template ? t('The last edit was not accepted:') : null}
          at={submission.at}
          because={submission.failure}
        />
      )}
      {account.acting === null && line && <NoToken lineId={line.id} />}
    </div>
  );
}

interface FailureProps {
  of: string | null;
  at: string;
  because: readonly Sayable[];
}

/** @param of what failed, if the state does not say it */
const Failure = ({ of, at, because }: FailureProps): VNode => (
  <p>
    {of !== null && <strong>{of} </strong>}
    {because.map((one) => (
      <span key={said(one)}>
        <Said>{one}</Said>{' '}
      </span>
    ))}
    <span class="quiet small">
      <Time at={at} to="minute" />
    </span>
  </p>
);

function NoToken({ lineId }: { lineId: number }): VNode {
  return useRequest().may('lines.manage', lineId) ? (
    <a href={`/panel/lines/${lineId}/edit`}>{t('Add an access token')}</a>
  ) : (
    <p>{t('No line has an access token.')}</p>
  );
}

const Actions = ({ row: { account, cell, key, place, canSubmit, canDelete } }: { row: Row }): VNode => (
  <div class="cluster">
    {canSubmit && (
      <button type="submit" class="button plain small" name="only" value={key}>
        {cell.action === 'create' ? t('Submit') : t('Send the edit')}
        <span class="sr-only"> {place}</span>
      </button>
    )}
    {canDelete && (
      <button type="button" class="button quiet small" {...opens(dialogOf(account, cell))}>
        {t.of('template', 'Delete')}
        <span class="sr-only"> {place}</span>
      </button>
    )}
  </div>
);

function State({
  cell: { template, submission },
  isWaiting,
}: {
  cell: BoardCell;
  isWaiting: boolean;
}): VNode {
  if (isWaiting) return <Badge tone="info">{t('Being submitted…')}</Badge>;
  if (template)
    return (
      <>
        <TemplateBadge template={templateRecord(template)} />
        <TemplateQuality template={templateRecord(template)} />
      </>
    );
  if (submission?.failure) return <Badge tone="bad">{t.of('template', 'Not accepted')}</Badge>;
  // The list of the platform did not have it when it was last read.
  if (submission) return <Badge tone="warn">{t.of('template', 'Submitted')}</Badge>;
  return <Badge tone="idle">{t.of('template', 'Not submitted')}</Badge>;
}

const dialogOf = ({ wabaId }: BoardAccount, { language }: BoardCell): string =>
  `delete-${wabaId}-${language.replace(/\W/g, '')}`;

/** The dialogs of the table, outside of its form. */
export const DeletionDialogs = ({ draft, board }: { draft: Draft; board: Board }): VNode => (
  <>
    {board.accounts.flatMap((account) =>
      account.cells.flatMap((cell) => {
        const line = account.acting ?? account.lines[0];
        return cell.template && line
          ? [
              <DeleteTemplate
                key={dialogOf(account, cell)}
                id={dialogOf(account, cell)}
                line={line}
                template={cell.template}
                draft={draft.id}
              />,
            ]
          : [];
      }),
    )}
  </>
);
