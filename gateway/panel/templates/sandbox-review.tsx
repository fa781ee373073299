import { setTimeout } from 'node:timers/promises';
import { type VNode } from 'preact';
import { notPermitted } from '../../errors';
import { type Line } from '../../lines/line';
import { type TemplateRow } from '../../store/tables/templates';
import { templateRecord } from '../../templates/template-record';
import { SECOND } from '../../time';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { askSandbox, SandboxRefusal, SandboxUnavailable } from '../send/sandbox-client';
import { TemplatePreview } from '../send/template-preview';
import { pageNotFound } from '../ui/frame/error-page';
import { ActionButton, Form, SelectField, Submit } from '../ui/form';
import { Card, Empty, PageHead, Table } from '../ui/parts';
import { categoryWord } from '../ui/words/kind-words';
import { reasonWords, TemplateBadge } from './template-words';

/** The sandbox's review of templates, decided by the user in place of the platform. */
export const sandboxReviewPages: PanelRoute[] = [
  pageRoute('templates.write', '/templates/review/:line', showReview),
  actionRoute('templates.write', '/templates/review/:line', changeRule),
  pageRoute('templates.write', '/templates/review/:line/:template', showTemplate),
  actionRoute('templates.write', '/templates/review/:line/:template', decide),
];

export const reviewAddress = ({ id }: Pick<Line, 'id'>, template?: string | null): string =>
  `/panel/templates/review/${id}${template ? `/${encodeURIComponent(template)}` : ''}`;

/** A template that the platform has. */
type Known = TemplateRow & { upstream_id: string };

/** The rule as the sandbox tells it. */
interface ReviewRule {
  mode: string;
  reason?: string;
  category?: string;
  after?: string;
}

const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'];

/** What the platform may decide next, by status or else by state. */
const NEXT: Record<string, string[]> = {
  approved: ['PAUSED', 'DISABLED'],
  pending: ['APPROVED', 'REJECTED'],
  rejected: ['APPROVED'],
  disabled: ['APPROVED'],
  PAUSED: ['APPROVED', 'DISABLED'],
  DISABLED: ['REINSTATED'],
};

const DECISIONS: Record<string, () => string> = {
  APPROVED: () => t('Approve'),
  REJECTED: () => t('Reject'),
  PAUSED: () => t('Pause'),
  DISABLED: () => t('Disable'),
  REINSTATED: () => t('Reinstate'),
};

const nextOf = (row: TemplateRow): string[] =>
  NEXT[row.upstream_status ?? ''] ?? NEXT[templateRecord(row).status] ?? [];

function lineAt({ deps, params }: UserContext): Line {
  const line = deps.lines.all().find(({ id }) => String(id) === params.line);
  if (!line) throw pageNotFound();
  return line;
}

/** Without the templates of other customers, as on the page of templates. */
const knownOf = async ({ deps }: UserContext, line: Line): Promise<Known[]> =>
  (await deps.store.templates.ofLine(line.id)).filter((row): row is Known => row.upstream_id !== null);

async function templateAt(context: UserContext, line: Line): Promise<Known> {
  const found = (await knownOf(context, line)).find((row) => row.upstream_id === context.params.template);
  if (!found) throw pageNotFound();
  return found;
}

/** @throws SandboxRefusal, SandboxUnavailable */
const ask = <T,>(
  { deps }: UserContext,
  line: Line,
  path: string,
  body?: Record<string, string>,
): Promise<T> =>
  body
    ? askSandbox(deps.sandboxUrl ?? '', 'POST', path, { ...body, line: line.phoneNumberId })
    : askSandbox(deps.sandboxUrl ?? '', 'GET', `${path}?line=${encodeURIComponent(line.phoneNumberId)}`);

/** Whether the user may set the rule, which is for all lines of the business account. */
const maySetRule = ({ may }: UserContext): boolean => may('templates.write', null);

async function showReview(context: UserContext): Promise<PanelResponse> {
  const line = lineAt(context);
  const templates = await knownOf(context, line);
  const rule = maySetRule(context)
    ? await ask<ReviewRule>(context, line, '/review').catch((error: unknown) => {
        if (error instanceof SandboxUnavailable) return null;
        throw error;
      })
    : null;
  const isPending = (row: Known) => nextOf(row).includes('REJECTED');
  return page(
    <PageHead
      title={t('Review in the sandbox')}
      back={{ href: `/panel/templates?line=${line.id}`, label: t('Templates') }}
    >
      {t(
        'In the sandbox, you act as the platform: approve, reject or pause the templates of {line}. The gateway receives the same notifications as from WhatsApp.',
        {
          line: line.name,
        },
      )}
    </PageHead>,
    <div class="stack">
      <Card flush>
        {templates.length ? (
          <TemplateTable
            line={line}
            rows={[...templates.filter(isPending), ...templates.filter((row) => !isPending(row))]}
          />
        ) : (
          <Empty title={t('This line has no template')}>
            <a class="button plain" href={`/panel/templates?line=${line.id}`}>
              {t('Templates')}
            </a>
          </Empty>
        )}
      </Card>
      {rule && <RuleCard line={line} rule={rule} />}
    </div>,
  );
}

const TemplateTable = ({ line, rows }: { line: Line; rows: Known[] }): VNode => (
  <Table
    caption={t('Templates')}
    rows={rows}
    rowKey={({ upstream_id: id }) => id}
    columns={[
      {
        label: t('Template'),
        cell: ({ upstream_id: id, name, language }) => (
          <>
            <a href={reviewAddress(line, id)}>{name}</a> <span class="quiet">{language}</span>
          </>
        ),
      },
      { label: t('Category'), cell: ({ category }) => categoryWord(category) },
      { label: t('Status'), cell: (row) => <TemplateBadge template={templateRecord(row)} /> },
      {
        label: t('Actions'),
        actions: true,
        cell: (row) =>
          nextOf(row).includes('REJECTED') && (
            <ActionButton
              action={reviewAddress(line, row.upstream_id)}
              fields={{ event: 'APPROVED' }}
              tone="plain"
            >
              {t('Approve')}
              <span class="sr-only"> {t('of {name}', { name: row.name })}</span>
            </ActionButton>
          ),
      },
    ]}
  />
);

const reasonChoices = () => Object.entries(reasonWords()).map(([value, label]) => ({ value, label }));

const categoryChoices = (but?: string) =>
  CATEGORIES.filter((value) => value !== but).map((value) => ({ value, label: categoryWord(value) }));

function RuleCard({ line, rule }: { line: Line; rule: ReviewRule }): VNode {
  const state = new FormState({ reason: 'INVALID_FORMAT', category: 'MARKETING', after: '0s', ...rule });
  return (
    <Card title={t('Who reviews new and edited templates?')}>
      <Form action={reviewAddress(line)} class="form close" state={state}>
        <SelectField
          name="mode"
          label={t('Decision')}
          hint={t('For all lines of this business account.')}
          choices={[
            { value: 'manual', label: t('You, on this page') },
            { value: 'approve', label: t('The sandbox approves them') },
            { value: 'reject', label: t('The sandbox rejects them') },
            { value: 'recategorise', label: t('The sandbox approves them in another category') },
          ]}
        />
        <SelectField name="reason" label={t('Reason, if it rejects')} choices={reasonChoices()} />
        <SelectField
          name="category"
          label={t('Category, if it changes the category')}
          choices={categoryChoices()}
        />
        <SelectField
          name="after"
          label={t('Duration of a review')}
          choices={[
            { value: '0s', label: t('None') },
            { value: '5s', label: t('5 seconds') },
            { value: '1m', label: t('1 minute') },
          ]}
        />
        <Submit tone="plain">{t.of('button', 'Set')}</Submit>
      </Form>
    </Card>
  );
}

async function showTemplate(context: UserContext): Promise<PanelResponse> {
  const line = lineAt(context);
  const row = await templateAt(context, line);
  const template = templateRecord(row);
  const action = reviewAddress(line, row.upstream_id);
  const next = nextOf(row);
  return page(
    <PageHead title={row.name} back={{ href: reviewAddress(line), label: t('Review in the sandbox') }}>
      {row.language} · {categoryWord(row.category)} · <TemplateBadge template={template} />
    </PageHead>,
    <div class="stack">
      <TemplatePreview template={template} />
      <Card title={t('What does the platform decide?')}>
        <div class="stack">
          <Form action={action} class="cluster">
            {next
              .filter((event) => event !== 'REJECTED')
              .map((event) => (
                <Submit key={event} name="event" value={event} tone="plain">
                  {DECISIONS[event]?.()}
                </Submit>
              ))}
          </Form>
          {next.includes('REJECTED') && (
            <Form action={action} class="form close" fields={{ event: 'REJECTED' }}>
              <SelectField
                name="reason"
                label={t('Why it is rejected')}
                state={new FormState({ reason: 'INVALID_FORMAT' })}
                choices={reasonChoices()}
              />
              <Submit tone="plain">{t('Reject')}</Submit>
            </Form>
          )}
          <Form action={action} class="form close">
            <SelectField
              name="category"
              label={t('Another category')}
              state={new FormState({})}
              choices={categoryChoices(row.category)}
            />
            <Submit tone="plain">{t('Change the category')}</Submit>
          </Form>
        </div>
      </Card>
    </div>,
  );
}

const given = ({ form }: UserContext, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.slice(0, 100) : '';
};

/** Changes the sandbox and audits it afterwards, because the sandbox has its own storage. */
async function changed(
  context: UserContext,
  line: Line,
  path: string,
  body: Record<string, string>,
  details: Record<string, string> = {},
): Promise<PanelResponse | null> {
  try {
    await ask(context, line, path, body);
  } catch (error) {
    if (error instanceof SandboxRefusal) return seeOther(context.path, error.message, 'bad');
    if (!(error instanceof SandboxUnavailable)) throw error;
    return seeOther(context.path, t('The sandbox does not answer.'), 'bad');
  }
  const entry = { action: 'sandbox.switched', lineId: line.id, details: { ...details, ...body } };
  await context.audited(entry, async () => undefined);
  return null;
}

async function changeRule(context: UserContext): Promise<PanelResponse> {
  const line = lineAt(context);
  if (!maySetRule(context)) throw notPermitted();
  const mode = given(context, 'mode');
  const rule = {
    mode,
    ...(mode === 'reject' && { reason: given(context, 'reason') }),
    ...(mode === 'recategorise' && { category: given(context, 'category') }),
    ...(mode !== 'manual' && { after: given(context, 'after') }),
  };
  const refused = await changed(context, line, '/review', rule);
  return refused ?? seeOther(reviewAddress(line), t('Set. It applies to the next creation or edit.'));
}

async function decide(context: UserContext): Promise<PanelResponse> {
  const line = lineAt(context);
  const row = await templateAt(context, line);
  const [event, category] = [given(context, 'event'), given(context, 'category')];
  const body = {
    ...(event && { event }),
    ...(event === 'REJECTED' && { reason: given(context, 'reason') }),
    ...(category && { category }),
  };
  const path = `/templates/${encodeURIComponent(row.upstream_id)}`;
  const details = { template: row.name, language: row.language };
  const refused = await changed(context, line, path, body, details);
  if (refused) return refused;
  await isKnown(context, line, row);
  return seeOther(reviewAddress(line), t('Done. The gateway was notified, as by WhatsApp.'));
}

/** Most milliseconds to wait until the gateway has received the sandbox's notification. */
const PATIENCE = 2 * SECOND;
const STEP = 25;

/** Waits until the template has changed, so that the next page shows it. */
async function isKnown({ deps }: UserContext, line: Line, before: Known): Promise<void> {
  const { name, language } = before;
  for (let waited = 0; waited < PATIENCE; waited += STEP) {
    const now = await deps.store.templates.find(line.id, name, language);
    if (now?.upstream_status !== before.upstream_status || now.category !== before.category) return;
    await setTimeout(STEP);
  }
}
