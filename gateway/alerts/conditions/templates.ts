import { type Line } from '../../lines/line';
import { type RecategorisedTemplate, type StoppedTemplate } from '../../store/reports/alert-facts';
import { DAY, isoTime } from '../../time';
import { type Kinds } from './kind';
import { accountOf, markKey, type Mark } from './lines';
import { type Condition } from './condition';

export const templateKinds = { template_stopped: {}, template_category: {} } satisfies Kinds;

/** A changed category is news for this long. */
export const NEW_CATEGORY_FOR = 7 * DAY;

export interface TemplateFacts {
  lines: Line[];
  /** Templates that the platform stopped. */
  templates: StoppedTemplate[];
  marks: ReadonlyMap<string, Mark>;
  now: number;
}

const KIND = 'templates';
type Listed = StoppedTemplate | RecategorisedTemplate;

const nameOf = ({ name, language }: Pick<Listed, 'name' | 'language'>): string => `${name} (${language})`;

/** Groups templates by business account, because they belong to all its lines. */
function byAccount<One extends Listed>({
  lines,
  templates,
}: {
  lines: Line[];
  templates: One[];
}): Map<string, { lines: Line[]; templates: One[] }> {
  const active = lines.filter(({ isActive }) => isActive);
  const lineById = new Map(active.map((line) => [line.id, line]));
  const linesOf = Map.groupBy(active, ({ wabaId }) => wabaId);
  const accounts = new Map<string, { lines: Line[]; templates: One[] }>();
  for (const template of templates) {
    const line = lineById.get(template.line_id);
    if (!line) continue;
    const known = accounts.get(line.wabaId);
    if (!known) accounts.set(line.wabaId, { lines: linesOf.get(line.wabaId) ?? [], templates: [template] });
    else if (!known.templates.some((one) => nameOf(one) === nameOf(template))) known.templates.push(template);
  }
  return accounts;
}

/** Templates that were stopped before the gateway first read the account are not reported. */
export function templateConditions(facts: TemplateFacts): Condition[] {
  return [...byAccount(facts)].flatMap(([wabaId, { lines, templates }]) => {
    const mark = facts.marks.get(markKey({ kind: KIND, subject: wabaId }));
    if (!mark) return [];
    const old = new Set(JSON.parse(mark.value) as string[]);
    return templates
      .filter((template) => !old.has(nameOf(template)))
      .map((template) => conditionOf(wabaId, linesWith(template, lines), template, facts.now));
  });
}

const linesWith = ({ owner }: Listed, lines: Line[]): Line[] =>
  owner === null ? lines : lines.filter(({ customerId }) => customerId === owner);

const of = (wabaId: string, lines: Line[], template: Listed) => ({
  subject: `${wabaId} ${nameOf(template)}`,
  lineId: lines.length === 1 ? (lines[0]?.id ?? null) : null,
  wabaId,
  ...(template.owner !== null && { customerId: template.owner }),
  severity: 'warning' as const,
  waiting: null,
  isTold: true,
});

const conditionOf = (wabaId: string, lines: Line[], template: StoppedTemplate, now: number): Condition => ({
  ...of(wabaId, lines, template),
  kind: 'template_stopped',
  values: {
    template: nameOf(template),
    account: accountOf(lines),
    state: template.upstream_status?.toUpperCase() ?? '',
    lineId: template.line_id,
  },
  since: template.status_at ?? isoTime(now),
});

export const categoryConditions = (facts: {
  lines: Line[];
  templates: RecategorisedTemplate[];
}): Condition[] =>
  [...byAccount(facts)].flatMap(([wabaId, { lines, templates }]) =>
    templates.map((template): Condition => {
      const own = linesWith(template, lines);
      return {
        ...of(wabaId, own, template),
        kind: 'template_category',
        values: {
          template: nameOf(template),
          account: accountOf(own),
          before: template.category_before ?? '',
          category: template.category,
          lineId: template.line_id,
        },
        since: template.category_changed_at ?? '',
      };
    }),
  );

/** The marks to store for newly read accounts: their templates that are already stopped. */
export function newTemplateMarks(facts: TemplateFacts & { synced: ReadonlySet<number> }): Mark[] {
  const stopped = byAccount(facts);
  const accounts = new Set(
    facts.lines.filter(({ id, isActive }) => isActive && facts.synced.has(id)).map(({ wabaId }) => wabaId),
  );
  return [...accounts].flatMap((wabaId): Mark[] => {
    const mark = facts.marks.get(markKey({ kind: KIND, subject: wabaId }));
    const now = new Set((stopped.get(wabaId)?.templates ?? []).map(nameOf));
    const old = mark && (JSON.parse(mark.value) as string[]);
    // A template that can be sent again is reported again if it is stopped once more.
    const next = old ? old.filter((name) => now.has(name)) : [...now];
    if (old?.length === next.length) return [];
    return [{ kind: KIND, subject: wabaId, value: JSON.stringify(next), at: isoTime(facts.now) }];
  });
}
