import { type Line } from '../../lines/line';
import { type TemplateRow } from '../../store/tables/templates';
import { isoTime } from '../../time';
import { markKey, type Mark } from './lines';
import { type Condition } from './condition';

type StoppedTemplate = Pick<TemplateRow, 'line_id' | 'name' | 'language' | 'upstream_status' | 'status_at'>;

export interface TemplateFacts {
  lines: Line[];
  /** Those that the platform has stopped. */
  templates: StoppedTemplate[];
  marks: ReadonlyMap<string, Mark>;
  now: number;
}

/** States in which the platform sends a template no longer by its own decision; people archive and delete. */
export const STOPPED_STATES = ['REJECTED', 'PAUSED', 'DISABLED'];

const ADVICE: Record<string, string> = {
  REJECTED: 'Read in the WhatsApp Manager why, correct it, and submit it again.',
  PAUSED: 'Too many people blocked or reported it. It goes on by itself after some hours; change it before.',
  DISABLED: 'It was paused too often. Make another one in its place.',
};

const KIND = 'templates';
const nameOf = ({ name, language }: StoppedTemplate): string => `${name} (${language})`;

/** Of each business account: a template of it is that of all its lines. */
function byAccount({
  lines,
  templates,
}: TemplateFacts): Map<string, { line: Line; templates: StoppedTemplate[] }> {
  const lineById = new Map(lines.filter(({ isActive }) => isActive).map((line) => [line.id, line]));
  const accounts = new Map<string, { line: Line; templates: StoppedTemplate[] }>();
  for (const template of templates) {
    const line = lineById.get(template.line_id);
    if (!line) continue;
    const known = accounts.get(line.wabaId);
    if (!known) accounts.set(line.wabaId, { line, templates: [template] });
    else if (!known.templates.some((one) => nameOf(one) === nameOf(template))) known.templates.push(template);
  }
  return accounts;
}

/** Those that were stopped before the gateway first looked at the account are no news. */
export function templateConditions(facts: TemplateFacts): Condition[] {
  return [...byAccount(facts)].flatMap(([wabaId, { line, templates }]) => {
    const mark = facts.marks.get(markKey({ kind: KIND, subject: wabaId }));
    if (!mark) return [];
    const old = new Set(JSON.parse(mark.value) as string[]);
    return templates
      .filter((template) => !old.has(nameOf(template)))
      .map((template) => conditionOf(line, template, facts.now));
  });
}

function conditionOf(line: Line, template: StoppedTemplate, now: number): Condition {
  const state = template.upstream_status?.toUpperCase() ?? '';
  return {
    kind: 'template_stopped',
    subject: `${line.wabaId} ${nameOf(template)}`,
    lineId: line.id,
    wabaId: line.wabaId,
    severity: 'warning',
    title: `Template ${nameOf(template)} of ${line.name} was ${state.toLowerCase()}`,
    text: 'WhatsApp sends it no longer.',
    over: `Template ${nameOf(template)} of ${line.name} can be sent again, or is gone`,
    action: ADVICE[state] ?? '',
    path: `/panel/templates?line=${line.id}`,
    remedy: 'See the templates',
    since: template.status_at ?? isoTime(now),
    waiting: null,
    isTold: true,
  };
}

/** What is to be marked: of each account whose templates were read, those that are known as stopped from before. */
export function newTemplateMarks(facts: TemplateFacts & { synced: ReadonlySet<number> }): Mark[] {
  const stopped = byAccount(facts);
  const accounts = new Set(
    facts.lines.filter(({ id, isActive }) => isActive && facts.synced.has(id)).map(({ wabaId }) => wabaId),
  );
  return [...accounts].flatMap((wabaId): Mark[] => {
    const mark = facts.marks.get(markKey({ kind: KIND, subject: wabaId }));
    const now = new Set((stopped.get(wabaId)?.templates ?? []).map(nameOf));
    const old = mark && (JSON.parse(mark.value) as string[]);
    // What can be sent again is news when it is stopped once more.
    const next = old ? old.filter((name) => now.has(name)) : [...now];
    if (old?.length === next.length) return [];
    return [{ kind: KIND, subject: wabaId, value: JSON.stringify(next), at: isoTime(facts.now) }];
  });
}
