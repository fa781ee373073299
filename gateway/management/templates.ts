import { UpstreamSilent } from '../cloud-api/failures';
import { parsed } from '../cloud-api/json/json-value';
import { invalidQuery, sharedBusinessAccount, templateNotFound } from '../errors';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { type Store } from '../store/store';
import { type Actor } from '../store/tables/audit';
import { type KnownTemplates, type ListedTemplate } from '../templates/known-templates';
import { EDITS } from '../templates/rules/table';
import { type TemplateIssue } from '../templates/rules/report';
import {
  isSameLanguage,
  issuesOfCreation,
  issuesOfEdit,
  type KnownAccount,
} from '../templates/rules/template-issues';
import { templateRefusal, templateWarnings } from '../templates/template-refusal';
import { type ReadTemplates } from '../templates/sync-templates';
import { type Clock } from '../time';
import { type ChangeAtPlatform } from './change-at-platform';

export interface TemplateChangeDeps {
  store: Store;
  lines: Pick<LineRegistry, 'ofBusinessAccount'>;
  knownTemplates: KnownTemplates;
  readTemplates: ReadTemplates;
  changeAtPlatform: ChangeAtPlatform;
  clock: Clock;
  log: { error(facts: object, message: string): void };
}

/** A template as JSON in the platform's format: parsed, and its bytes. */
export interface GivenTemplate {
  value: Record<string, unknown>;
  raw: Buffer;
}

/** The answer to a creation. */
export interface CreatedTemplate {
  /** The platform's answer: `{id, status, category}`. */
  answer: string;
  /** What the platform will probably refuse in its review. */
  warnings: ReturnType<typeof templateWarnings>;
}

/**
 * Creates a template, which then belongs to the line's customer. If the platform does not answer, its list tells
 * whether it created the template; the request is not repeated.
 * @throws Refusal, also for what the platform's rules refuse; UpstreamSilent if the outcome stays unknown
 */
export async function createTemplate(
  deps: TemplateChangeDeps,
  actor: Actor,
  line: Line,
  { value, raw }: GivenTemplate,
): Promise<CreatedTemplate> {
  const { templates } = await deps.knownTemplates.list(line.id);
  const known = templates.filter(({ row }) => row.upstream_id !== null).map(({ row }) => row);
  const issuesWith = (existing: KnownAccount['templates']) =>
    issuesOfCreation(value, { now: deps.clock(), templates: existing, deleted: [], most: null });
  const issues = issuesWith(known);
  refuse(issues);
  const warnings = templateWarnings(issues);
  const { name, language, category } = value as { name: string; language: string; category: string };
  const claim = await deps.store.templates.claim(line, name);
  if (claim === 'taken') refuse(issuesWith([{ name, language, category }]));
  if (claim === 'common' && isShared(deps, line)) throw sharedBusinessAccount();
  const request = { method: 'post', path: `${line.wabaId}/message_templates`, query: {}, body: raw } as const;
  const entry = { action: 'template.created', details: { template: name, language, category } };
  try {
    const answer = await refreshed(deps, line, async () => {
      const made = await deps.changeAtPlatform(actor, line, { ...request, entry });
      // The creation in another language, if it was refused meanwhile, released the name.
      if (claim !== 'common') await deps.store.templates.claim(line, name);
      return made;
    });
    return { answer, warnings };
  } catch (error) {
    if (!(error instanceof UpstreamSilent)) {
      if (claim === 'claimed') await deps.store.templates.release(line, name);
      throw error;
    }
    await refresh(deps, line);
    const created = await listed(
      deps,
      line,
      (row) => row.name === name && isSameLanguage(row.language, language),
    );
    if (created) {
      const { upstream_id: id, upstream_status: status, category: given } = created.row;
      return { answer: JSON.stringify({ id, status, category: given }), warnings };
    }
    error.said = {
      happened:
        'The platform was asked to create this template and did not answer. Its list does not have it yet.',
      action: 'Look for it in the list before you create it again.',
    };
    throw error;
  }
}

/** Edits a template. @returns the platform's answer @throws Refusal */
export async function editTemplate(
  deps: TemplateChangeDeps,
  actor: Actor,
  line: Line,
  id: string,
  { value, raw }: GivenTemplate,
): Promise<string> {
  const find = () => changeable(deps, line, (row) => row.upstream_id === id);
  let { row } = await find();
  // Its review may have ended since the list was read.
  if (!EDITS.statuses.includes(row.upstream_status ?? '')) {
    await refresh(deps, line);
    ({ row } = await find());
  }
  const { upstream_status: status, parameter_format: parameterFormat } = row;
  // How often the template was edited before, only the platform knows.
  const edited = { ...row, status: status ?? '', parameterFormat, edits: [] };
  refuse(issuesOfEdit(value, edited, deps.clock()));
  const entry = {
    action: 'template.edited',
    details: { template: row.name, language: row.language, fields: Object.keys(value) },
  };
  return refreshed(deps, line, () =>
    deps.changeAtPlatform(actor, line, { method: 'post', path: id, query: {}, body: raw, entry }),
  );
}

/**
 * Deletes a template in all its languages, or in those with these ids. The platform keeps the name from being used
 * for 30 days.
 * @param query the platform's: `name`, and `hsm_id` or `hsm_ids`
 * @returns the platform's answer @throws Refusal
 */
export async function deleteTemplate(
  deps: TemplateChangeDeps,
  actor: Actor,
  line: Line,
  query: { name?: string; hsm_id?: string; hsm_ids?: string },
): Promise<string> {
  const { name } = query;
  const ids = idsIn(query);
  if (name === undefined && ids === null) throw invalidQuery('The query needs name, hsm_id or hsm_ids.');
  const deleted = await Promise.all(
    (ids ?? [null]).map((id) =>
      changeable(
        deps,
        line,
        (row) => (name === undefined || row.name === name) && (id === null || row.upstream_id === id),
      ),
    ),
  );
  const named = (of: 'name' | 'language') => [...new Set(deleted.map(({ row }) => row[of]))].join(', ');
  const entry = {
    action: 'template.deleted',
    details: { template: named('name'), language: ids === null ? null : named('language') },
  };
  const path = `${line.wabaId}/message_templates`;
  return refreshed(deps, line, () =>
    deps.changeAtPlatform(actor, line, { method: 'delete', path, query, entry }),
  );
}

/** The ids in the platform's query; null if it names none. @throws Refusal */
function idsIn({ hsm_id: id, hsm_ids: list }: { hsm_id?: string; hsm_ids?: string }): string[] | null {
  if (id === undefined && list === undefined) return null;
  const ids: unknown = list === undefined ? [id] : parsed(list);
  const isIds = Array.isArray(ids) && ids.length > 0 && ids.every((one) => /^\d{1,32}$/.test(String(one)));
  if ((id !== undefined && list !== undefined) || !isIds)
    throw invalidQuery('Give one id as hsm_id, or several as hsm_ids=["1","2"].');
  return ids.map(String);
}

function refuse(issues: readonly TemplateIssue[]): void {
  const refused = templateRefusal(issues);
  if (refused) throw refused;
}

/** A template of the line by the platform's id. @returns null if there is none, or if it is another customer's */
export const templateById = (
  deps: Pick<TemplateChangeDeps, 'knownTemplates'>,
  line: Line,
  id: string,
): Promise<ListedTemplate | null> => listed(deps, line, (row) => row.upstream_id === id);

/** The first template of the line that the platform has and that is meant. */
async function listed(
  { knownTemplates }: Pick<TemplateChangeDeps, 'knownTemplates'>,
  line: Line,
  isMeant: (row: ListedTemplate['row']) => boolean,
): Promise<ListedTemplate | null> {
  const { templates } = await knownTemplates.list(line.id);
  return templates.find(({ row }) => row.upstream_id !== null && isMeant(row)) ?? null;
}

/**
 * @throws Refusal if there is no such template, or if it belongs to nobody on an account with lines of other customers
 */
async function changeable(
  deps: TemplateChangeDeps,
  line: Line,
  isMeant: (row: ListedTemplate['row']) => boolean,
): Promise<ListedTemplate> {
  const found = await listed(deps, line, isMeant);
  if (!found) throw templateNotFound();
  const isCommon = (await deps.store.templates.owner(line.wabaId, found.row.name)) === null;
  if (isCommon && isShared(deps, line)) throw sharedBusinessAccount();
  return found;
}

/** Whether the line's business account has lines of other customers. */
export const isShared = ({ lines }: Pick<TemplateChangeDeps, 'lines'>, line: Line): boolean =>
  lines.ofBusinessAccount(line.wabaId).some(({ customerId }) => customerId !== line.customerId);

async function refreshed<T>(deps: TemplateChangeDeps, line: Line, change: () => Promise<T>): Promise<T> {
  const done = await change();
  await refresh(deps, line);
  return done;
}

/** Reads the list, for all lines of the account. If that fails, polling reads it later. */
export async function refresh({ lines, readTemplates, log }: TemplateChangeDeps, line: Line): Promise<void> {
  try {
    const storeFor = await readTemplates(line);
    for (const { id } of lines.ofBusinessAccount(line.wabaId)) await storeFor(id);
  } catch (error) {
    log.error({ error, line: line.id }, 'templates not read after a change: the next poll reads them');
  }
}
