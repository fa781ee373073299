import { type VNode } from 'preact';
import { TEMPLATE_STATES, type TemplateState } from '../../cloud-api/template';
import { type LineRow } from '../../store/tables/lines';
import { templateRecord, type TemplateRecord } from '../../templates/template-record';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';
import { categoryWord, messageKind } from '../ui/words/kind-words';
import { FormState } from '../form-state';
import { ActionButton, SelectField, Submit, TextField } from '../ui/form';
import { ListHead } from '../ui/frame/line-head';
import { chosenLine, LineField } from '../ui/line-field';
import { Live } from '../ui/live';
import { Places, placeOf } from '../ui/places';
import { Badge, Card, Empty, Label, Notice, PageHead, Time } from '../ui/parts';
import { pageNotFound } from '../ui/frame/error-page';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { templateKey } from '../send/template-form';
import { TemplatePreview } from '../send/template-preview';
import { reviewAddress } from './sandbox-review';
import { draftList } from './drafts/draft-list';
import { endsSoon } from './patience';
import { TemplateActions, TemplateDialogs } from './template-actions';
import { Reason, stateWord, TemplateBadge, TemplateQuality } from './template-words';
import { beginSync, syncOf, type Sync } from './sync';

export const templatePages: PanelRoute[] = [
  pageRoute('templates.read', '/templates', showTemplates, { live: true }),
  actionRoute('templates.read', '/templates/sync', syncNow),
];

const PAGE = 24;

/** The filter in the address. `from` is the number of templates to skip. */
interface Asked {
  line: LineRow;
  status: TemplateState | null;
  words: string;
  from: number;
}

interface Listed extends TemplateRecord {
  /** The platform's reason code; null if the template is not rejected, or without a reason. */
  rejectedReason: string | null;
  /** The last change of the category by the platform; null if there was none. */
  recategorised: { before: string; at: string } | null;
}

async function showTemplates(context: UserContext): Promise<PanelResponse> {
  const { store } = context.deps;
  const lines = context.deps.lines.all();
  const named = context.query.get('line') ?? '';
  const { line: chosen } = chosenLine(lines, named);
  const line = await store.lines.find((chosen ?? lines[0])?.id ?? 0);
  if (!line) return noLine(context);
  if (named && !chosen) return otherLine(context);
  const asked: Asked = {
    line,
    status: TEMPLATE_STATES.find((state) => state === context.query.get('status')) ?? null,
    words: (context.query.get('q') ?? '').trim(),
    from: placeOf(context.query),
  };
  const all = (await store.templates.ofLine(line.id)).map((row) => ({
    ...templateRecord(row),
    rejectedReason: row.rejected_reason,
    recategorised:
      row.category_before === null || row.category_changed_at === null
        ? null
        : { before: row.category_before, at: row.category_changed_at },
  }));
  const found = all.filter((template) => matches(template, asked));
  const sync = syncOf(context.deps, line.id);
  const drafts = await draftList(context, line.customer_id);
  const state = (
    <SyncState
      sync={sync}
      syncedAt={line.templates_synced_at}
      count={all.filter(({ platform_status: status }) => status !== null).length}
    />
  );
  const list = found.length ? (
    <Found found={found} all={all} asked={asked} />
  ) : (
    <Card>
      <Nothing line={line} isFiltered={all.length > 0} />
    </Card>
  );
  // Live only around a sync, because rendering thousands of templates every second is too slow.
  return page(
    <ListHead
      line={chosen}
      here="templates"
      title={t('Templates')}
      actions={
        <>
          {context.may('templates.write', line.id) && <NewTemplate line={line} />}
          {context.deps.sandboxUrl !== null && context.may('templates.write', line.id) && (
            <a class="button plain" href={reviewAddress(line)}>
              {t('Review in the sandbox')}
            </a>
          )}
          <ActionButton action="/panel/templates/sync" fields={{ line: String(line.id) }} tone="plain">
            {t('Sync now')}
          </ActionButton>
        </>
      }
    >
      {t(
        'Messages that the platform has approved. You can send them at any time, also outside the 24-hour window. Write a draft here and submit it for review.',
      )}
    </ListHead>,
    <>
      {drafts}
      <Filter line={String(line.id)} isChosen={chosen !== null} />
      {sync ? <Live id="sync">{state}</Live> : <div>{state}</div>}
      {sync ? <Live id="templates">{list}</Live> : list}
    </>,
  );
}

const NewTemplate = ({ line }: { line: LineRow }): VNode => (
  <>
    <ActionButton action="/panel/templates/drafts" fields={{ line: String(line.id) }} tone="primary">
      {t('New template')}
    </ActionButton>
    <a class="button plain" href={`/panel/templates/import?line=${line.id}`}>
      {t('Import')}
    </a>
  </>
);

const noLine = (context: UserContext): PanelResponse =>
  page(
    <PageHead title={t('Templates')} />,
    <Card>
      <Empty title={t('There is no line yet')}>
        <p>{t('Templates belong to a line: add the line first.')}</p>
        {context.may('lines.manage') && (
          <a class="button primary" href="/panel/lines/new">
            {t('Add a line')}
          </a>
        )}
      </Empty>
    </Card>,
  );

/** Shown if no line or several lines match. */
const otherLine = (context: UserContext): PanelResponse =>
  page(
    <PageHead title={t('Templates')} />,
    <>
      <Filter line={context.query.get('line') ?? ''} />
      <Card>
        <Empty title={t('Whose templates?')}>
          <p>{t('Choose one line above.')}</p>
        </Empty>
      </Card>
    </>,
  );

function Nothing({ line, isFiltered }: { line: LineRow; isFiltered: boolean }): VNode {
  return isFiltered ? (
    <Empty title={t('No template matches this')}>
      <a href={`/panel/templates?line=${line.id}`}>{t('Show all of this line')}</a>
    </Empty>
  ) : (
    <Empty title={t('This line has no template')}>
      <p>{t('Choose “New template” to write one, or “Sync now” if the platform has some.')}</p>
    </Empty>
  );
}

function matches(template: TemplateRecord, { status, words }: Asked): boolean {
  if (status !== null && template.status !== status) return false;
  const text = [
    template.name,
    template.language,
    template.category,
    template.header?.text,
    template.body,
    template.footer,
  ]
    .join(' ')
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

interface FilterProps {
  line: string;
  /** Whether a line is already chosen, so that the filter needs no line field. */
  isChosen?: boolean;
}

function Filter({ line, isChosen = false }: FilterProps): VNode {
  const { query } = useRequest();
  const state = new FormState({ line, status: query.get('status') ?? '', q: query.get('q') ?? '' });
  return (
    <form class="filter pairs" method="get" action="/panel/templates">
      {isChosen ? <input type="hidden" name="line" value={line} /> : <LineField state={state} none={null} />}
      <SelectField
        state={state}
        name="status"
        label={t('Status')}
        choices={[
          { value: '', label: t.of('states', 'All') },
          ...TEMPLATE_STATES.map((value) => ({ value, label: stateWord(value) })),
        ]}
      />
      <TextField
        state={state}
        name="q"
        label={t('Search')}
        placeholder={t('Search')}
        type="search"
        maxLength={200}
      />
      <Submit tone="plain">{t('Filter')}</Submit>
    </form>
  );
}

function Found({ found, all, asked }: { found: Listed[]; all: Listed[]; asked: Asked }): VNode {
  const context = useRequest();
  const shown = found.slice(asked.from, asked.from + PAGE);
  const to = (from: number) => {
    const query = new URLSearchParams(context.query);
    if (from) query.set('from', String(from));
    else query.delete('from');
    return `/panel/templates?${query}`;
  };
  return (
    <div class="stack">
      <div class="templates">
        {shown.map((template) => (
          <Template
            key={`${template.name} ${template.language}`}
            template={template}
            line={asked.line}
            test={context.may('messages.send', asked.line.id) ? `/panel/lines/${asked.line.id}/send` : null}
          />
        ))}
      </div>
      <TemplateDialogs line={asked.line} shown={shown} all={all} />
      <Places from={asked.from} shown={shown.length} all={found.length} page={PAGE} hrefOf={to} />
    </div>
  );
}

const Rejected = ({ reason }: { reason: string | null }): VNode => (
  <>
    <Reason reason={reason} />
    <p>{t('Correct it and submit it again, or request a review at the platform and then sync.')}</p>
  </>
);

interface TemplateProps {
  template: Listed;
  line: LineRow;
  /** The page to send the template; null if this user may not send. */
  test: string | null;
}

function Template({ template, line, test }: TemplateProps): VNode {
  const isMissing = template.is_starter && template.platform_status === null;
  const word = template.platform_status?.toLowerCase();
  const values = valuesOf(template);
  return (
    <section class="card template">
      <div class="template-head">
        <h2>{template.name}</h2>
        <div class="cluster">
          {isMissing ? (
            <Badge tone="idle">{t('Not at the platform yet')}</Badge>
          ) : (
            <TemplateBadge template={template} />
          )}
          {template.is_starter && <Label>{t('Starter')}</Label>}
          {template.recategorised && <Badge tone="warn">{t('Category changed')}</Badge>}
        </div>
        <div class="cluster quiet small">
          {[
            template.language,
            categoryWord(template.category),
            ![template.status, 'paused'].includes(word ?? '') && word,
          ]
            .filter(Boolean)
            .join(' · ')}
          {!isMissing && <TemplateQuality template={template} />}
        </div>
      </div>
      <TemplatePreview template={template} />
      <div class="template-foot small">
        {template.recategorised && (
          <p>
            {t.rich('Category changed from {from} to {to} on {when}.', {
              from: categoryWord(template.recategorised.before),
              to: categoryWord(template.category),
              when: <Time at={template.recategorised.at} to="minute" />,
            })}
          </p>
        )}
        {template.status === 'rejected' && <Rejected reason={template.rejectedReason} />}
        {values.length ? (
          <p>
            <span class="quiet">{t('Values to give:')} </span>
            {values.map(({ part, names }, index) => (
              <span key={part}>
                {index > 0 && ' · '}
                {part}
                {names.map((name) => (
                  <span key={name}>
                    {' '}
                    <span class="template-value">{name}</span>
                  </span>
                ))}
              </span>
            ))}
          </p>
        ) : (
          <p class="quiet">{t('No values to give.')}</p>
        )}
        {isMissing && (
          <p class="quiet">{t('A suggestion: choose “Edit”, adapt it and submit it to the platform.')}</p>
        )}
        <TemplateActions line={line} template={template}>
          {test !== null && !isMissing && template.status === 'approved' && (
            <a
              class="button plain small"
              href={`${test}?${new URLSearchParams({ template: templateKey(template) })}`}
            >
              {t('Send a test')}
              <span class="sr-only"> {t('of {name}', { name: template.name })}</span>
            </a>
          )}
        </TemplateActions>
      </div>
    </section>
  );
}

const placeholder = (name: string): string => `{{${name}}}`;

/** The values that a send needs, by part. */
function valuesOf(template: TemplateRecord): { part: string; names: string[] }[] {
  const { header, header_variables: inHeader, variable_names: inBody, buttons } = template;
  const isMedia = header !== null && header.type !== 'text';
  return [
    {
      part: t.of('template', 'header'),
      names: isMedia ? [messageKind(header.type)] : inHeader.map(placeholder),
    },
    { part: t.of('template', 'body'), names: inBody.map(placeholder) },
    ...buttons.map(({ index, variables }) => ({
      part: t('button {number}', { number: index + 1 }),
      names: variables ? ['{{1}}'] : [],
    })),
  ].filter(({ names }) => names.length > 0);
}

interface SyncStateProps {
  sync: Sync | null;
  syncedAt: string | null;
  /** The number of templates on the platform. */
  count: number;
}

function SyncState({ sync, syncedAt, count }: SyncStateProps): VNode {
  if (sync?.isRunning)
    return (
      <Notice tone="info">
        <p>
          <strong>{t('Reading all templates from the platform…')}</strong>{' '}
          {t.rich('Started: {when}. You may leave this page: it continues.', { when: <Time at={sync.at} /> })}
        </p>
      </Notice>
    );
  if (sync?.failure)
    return (
      <Notice tone="warn">
        <p>
          <strong>{t('Not synced.')}</strong> {sync.failure}{' '}
          {t.rich('Last synced: {when}.', { when: <Time at={syncedAt} /> })}
        </p>
      </Notice>
    );
  return (
    <p class="quiet">
      {syncedAt === null
        ? t("Not synced yet. The platform's templates are not known here.")
        : t.rich(
            '{count, plural, one {One template} other {# templates}} at the platform, last synced {when}.',
            { count, when: <Time at={syncedAt} /> },
          )}
    </p>
  );
}

async function syncNow(context: UserContext): Promise<PanelResponse> {
  const id = String(context.form.get('line') ?? '');
  const line = context.deps.lines.all().find((one) => String(one.id) === id);
  if (!line) throw pageNotFound();
  await endsSoon(beginSync(context.deps, line));
  const done = syncOf(context.deps, line.id);
  const isDone = done !== null && !done.isRunning && done.failure === null;
  return seeOther(`/panel/templates?line=${line.id}`, isDone ? t('The templates are synced.') : null);
}
