import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { UPSTREAM_VERSION } from '../../cloud-api/client';
import { UpstreamUnreachable } from '../../cloud-api/failures';
import { isObject, objects, parsed } from '../../cloud-api/json/json-value';
import { TEMPLATE_FIELDS, TEMPLATE_NODE } from '../../cloud-api/template';
import {
  invalidQuery,
  lineNotConfigured,
  notToldYet,
  sharedBusinessAccount,
  tooManyPlatformReads,
} from '../../errors';
import { accessTokenOf, type Line } from '../../lines/line';
import { type ListedTemplate } from '../../templates/known-templates';
import { SECOND } from '../../time';
import {
  apiAddress,
  fieldNames,
  fieldsToAsk,
  lastOf,
  selectedFields,
  type Node,
  type Query,
} from '../http/graph-read';
import { readInteger } from '../http/query';
import { sendList } from '../http/send-list';
import { accountOf, requireWholeAccount } from '../management/forward';
import { operation, type ApiDeps } from '../operation';
import { BAD_QUERY, FORWARDED, REFRESHED } from '../refusals';

/** The platform's default page size, and a maximum above any account's number of templates. */
const PAGE = { minimum: 1, maximum: 6000, default: 25 };

/** A text filter. */
const Text = (description: string) => Type.Optional(Type.String({ description }));

const GraphTemplatesQuery = Type.Object({
  fields: Text('The fields to return, separated by commas.'),
  limit: Type.Optional(Type.Integer({ ...PAGE, description: 'Templates on a page.' })),
  after: Text('A cursor: returns the templates after it.'),
  before: Text('A cursor: returns the templates before it.'),
  name: Text('Only templates with this in their name.'),
  status: Text("Only templates in this state, in the platform's words."),
  language: Text('Only templates in this language.'),
  category: Text('Only templates of this category.'),
  content: Text('Only templates with this in their text.'),
  name_or_content: Text('Only templates with this in their name or their text.'),
  quality_score: Text("Only templates of this quality, in the platform's words."),
  summary: Text('Totals over all templates, for example `total_count,message_template_count`.'),
});

/** A page of templates in the platform's format. */
const GraphTemplatesAnswer = Type.Object({
  data: Type.Array(Type.Object({ id: Type.String() }, { additionalProperties: true })),
  paging: Type.Optional(
    Type.Object({
      cursors: Type.Object({ before: Type.String(), after: Type.String() }),
      previous: Type.Optional(Type.String()),
      next: Type.Optional(Type.String()),
    }),
  ),
  /** The requested fields of `summary`. */
  summary: Type.Optional(Type.Object({}, { additionalProperties: true })),
});

export const listMessageTemplates = operation('get /{account_id}/message_templates', {
  tag: 'Templates',
  id: 'listMessageTemplates',
  scope: 'read',
  rate: 'reads',
  isList: true,
  summary: "List templates in the platform's own form",
  description:
    'For programs that were written for the platform: its own format, in pages with cursors. Accepts the id of the business account, or of your line. Summaries, and fields and filters that the gateway does not store, come from the platform.',
  query: GraphTemplatesQuery,
  answers: { 200: { description: 'A page of templates.', schema: GraphTemplatesAnswer } },
  refusals: () => [
    BAD_QUERY,
    lineNotConfigured(),
    notToldYet('the templates of this account', 37),
    tooManyPlatformReads(5),
    sharedBusinessAccount(),
    ...FORWARDED,
    ...REFRESHED,
  ],
  keepsPlatformStatus: true,
  handler: getMessageTemplates,
});

/**
 * Pages of the stored templates in the platform's format. A request that needs more than the stored data is forwarded
 * to the platform.
 */
function getMessageTemplates(deps: ApiDeps) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | Type.Static<typeof GraphTemplatesAnswer>> => {
    const { line } = request;
    const { account_id: id } = request.params as { account_id: string };
    const query = request.query as Query;
    accountOf(deps, request);
    const fields = lastOf(query.fields);
    const limit = readInteger('limit', lastOf(query.limit), PAGE);
    const link: PageLink = (name, cursor) => {
      const parameters = new URLSearchParams({
        ...given(query, KEPT_IN_LINKS),
        limit: `${limit}`,
        [name]: cursor,
      });
      return `${apiAddress(request, deps.publicUrl)}/${UPSTREAM_VERSION}/${id}/message_templates?${parameters.toString()}`;
    };
    const isKept = !fieldsToAsk(fields, TEMPLATE_NODE) && !Object.keys(given(query, NOT_KEPT)).length;
    if (!isKept) return askPage(deps, line, query, link);

    const cursors = { after: readCursor(query, 'after'), before: readCursor(query, 'before') };
    await syncOnce(deps, line);
    const { templates } = await deps.knownTemplates.list(line.id);
    const isAskedFor = filterOf(query);
    const found = templates.filter(({ row }) => isAskedFor(row));
    const { page, from } = pageOf(found, cursors, limit);
    const [first, last] = [page[0], page.at(-1)];
    if (!first || !last) return { data: [] };
    const [before, after] = [cursorOf(first), cursorOf(last)];
    const paging = {
      cursors: { before, after },
      ...(from > 0 && { previous: link('before', before) }),
      ...(from + page.length < found.length && { next: link('after', after) }),
    };
    const names = selectedFields(fields, TEMPLATE_NODE);
    const nodes = page.map((template) => nodeJson(template, names));
    return sendList(reply, '{"data":[', nodes, `],"paging":${JSON.stringify(paging)}}`);
  };
}

type PageLink = (name: 'after' | 'before', cursor: string) => string;

/** Filters of the platform that the gateway applies itself. */
const FILTERS = ['name', 'status', 'language', 'category'];

/** Parameters that only the platform can answer: other filters, and the total count. */
const NOT_KEPT = ['summary', 'content', 'name_or_content', 'quality_score'];

/** Query parameters that links to other pages keep: never a token. */
const KEPT_IN_LINKS = ['fields', ...FILTERS, ...NOT_KEPT];

/** The parameters that are set. */
const given = (query: Query, names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = lastOf(query[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** A page from the platform, with links that point to this API. */
async function askPage(
  deps: ApiDeps,
  line: Line,
  query: Query,
  link: PageLink,
): Promise<Type.Static<typeof GraphTemplatesAnswer>> {
  const accessToken = accessTokenOf(line);
  // Totals count templates of other customers too.
  if (query.summary !== undefined) requireWholeAccount(deps, line);
  await deps.platformReads.take(line);
  const others = await deps.store.templates.namesOfOthers(line);
  const fields = fieldNames(lastOf(query.fields) ?? '');
  // The name decides whose a template is.
  const isNameAdded = others.size > 0 && fields.length > 0 && !fields.includes('name');
  const { data, paging, summary } = (await deps.cloudApi.ask(
    `${encodeURIComponent(line.wabaId)}/message_templates`,
    isNameAdded ? [...fields, 'name'] : fields,
    TEMPLATE_FIELDS,
    accessToken,
    given(query, [...FILTERS, ...NOT_KEPT, 'limit', 'after', 'before']),
  )) as { data?: unknown; paging?: UpstreamPaging | null; summary?: unknown };
  if (!Array.isArray(data)) throw new UpstreamUnreachable('The platform answered no page of templates');
  const { before, after } = paging?.cursors ?? {};
  return {
    data: (objects(data) as (Node & { id: string })[])
      .filter(({ name }) => !others.has(String(name)))
      .map((template) => (isNameAdded ? { ...template, name: undefined } : template)),
    ...(typeof before === 'string' &&
      typeof after === 'string' && {
        paging: {
          cursors: { before, after },
          ...(isLink(paging?.previous) && { previous: link('before', before) }),
          ...(isLink(paging?.next) && { next: link('after', after) }),
        },
      }),
    ...(isObject(summary) && { summary }),
  };
}

const isLink = (value: unknown): boolean => typeof value === 'string' && value !== '';

interface UpstreamPaging {
  cursors?: { before?: unknown; after?: unknown } | null;
  previous?: unknown;
  next?: unknown;
}

/** Reads templates from the platform if they were never read. */
async function syncOnce(deps: ApiDeps, line: Line): Promise<void> {
  const isSynced = async () => (await deps.knownTemplates.list(line.id)).syncedAt !== null;
  if (await isSynced()) return;
  if (line.accessToken === null) throw lineNotConfigured();
  const perform = () => deps.syncTemplates(line);
  const report = await deps.refresher.refresh(line, 'templates', 'gateway', perform, true);
  if (await isSynced()) return;
  throw notToldYet('the templates of this account', 'retry_after' in report ? report.retry_after : 1);
}

/**
 * Starter templates that the platform does not have are not listed. As on the platform, `name` matches any part of a
 * name.
 */
function filterOf(query: Query): (row: ListedTemplate['row']) => boolean {
  const name = lastOf(query.name)?.toLowerCase() ?? '';
  const among = (filter: string): ((value: string) => boolean) => {
    const asked = lastOf(query[filter]);
    const values = asked === undefined ? null : new Set(listed(asked));
    return (value) => values?.has(value.toUpperCase()) ?? true;
  };
  const [isStatus, isLanguage, isCategory] = [among('status'), among('language'), among('category')];
  return (row) =>
    row.upstream_status !== null &&
    row.name.includes(name) &&
    isStatus(row.upstream_status) &&
    isLanguage(row.language) &&
    isCategory(row.category);
}

/** `APPROVED`, `APPROVED,PAUSED` or `["APPROVED"]`: the platform's clients use all three. */
const listed = (value: string): string[] =>
  value
    .toUpperCase()
    .split(/[[\],"\s]+/)
    .filter(Boolean);

/** The fields of a template in the platform's format, as JSON, with stored bytes unchanged. */
function nodeJson(template: ListedTemplate, names: string[]): Buffer[] {
  const node = nodeOf(template);
  const pieces: Buffer[] = [];
  let text = '';
  for (const name of names) {
    const value = node[name];
    if (value === undefined || value === null) continue;
    text += `${text || pieces.length ? ',' : '{'}"${name}":`;
    if (Buffer.isBuffer(value)) {
      pieces.push(Buffer.from(text), value);
      text = '';
    } else text += JSON.stringify(value);
  }
  return [...pieces, Buffer.from(`${text}}`)];
}

const nodeOf = ({ row, components }: ListedTemplate): Node => ({
  name: row.name,
  parameter_format: row.parameter_format,
  components,
  language: row.language,
  status: row.upstream_status,
  category: row.category,
  quality_score: qualityOf(row),
  id: row.upstream_id,
});

/** As in the platform's list; for a score from an event, the event's time is the date. */
function qualityOf({
  quality_score: score,
  quality_node: node,
  quality_at: at,
}: ListedTemplate['row']): unknown {
  if (score === null) return undefined;
  if (node !== null) return JSON.parse(node);
  return { score, ...(at !== null && { date: Math.floor(Date.parse(at) / SECOND) }) };
}

/** A template's position in the list, which is stable while others are added or removed: its name and language. */
const cursorOf = ({ row: { name, language } }: ListedTemplate): string =>
  Buffer.from(JSON.stringify([name, language])).toString('base64url');

type Cursor = [name: string, language: string];

function readCursor(query: Query, name: 'after' | 'before'): Cursor | null {
  const given = lastOf(query[name]);
  if (given === undefined) return null;
  const read = parsed(Buffer.from(given, 'base64url').toString('utf8'));
  if (Array.isArray(read) && read.length === 2 && read.every((part) => typeof part === 'string'))
    return read as Cursor;
  throw invalidQuery(`Invalid cursors values: ${name} takes a cursor of an answer, as it was given.`);
}

/** @param from index of the first template on the page */
function pageOf(
  found: ListedTemplate[],
  { after, before }: { after: Cursor | null; before: Cursor | null },
  limit: number,
): { page: ListedTemplate[]; from: number } {
  const isBehind = ({ row: { name, language } }: ListedTemplate, [ofName, ofLanguage]: Cursor) =>
    name > ofName || (name === ofName && language > ofLanguage);
  const isAt = ({ row: { name, language } }: ListedTemplate, [ofName, ofLanguage]: Cursor) =>
    name === ofName && language === ofLanguage;
  if (after) {
    const from = found.filter((one) => isAt(one, after) || !isBehind(one, after)).length;
    return { page: found.slice(from, from + limit), from };
  }
  if (before) {
    const end = found.filter((one) => !isAt(one, before) && !isBehind(one, before)).length;
    const from = Math.max(0, end - limit);
    return { page: found.slice(from, end), from };
  }
  return { page: found.slice(0, limit), from: 0 };
}
