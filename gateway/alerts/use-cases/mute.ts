import { invalidField } from '../../errors';
import { endOf, type EndInput } from '../../primitives/end-input';
import { type By } from '../../rights/grants';
import { type Actor } from '../../store/tables/audit';
import { type IncidentRow, type MuteRow } from '../../store/tables/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { type Tables } from '../../store/store';
import { isoTime } from '../../time';
import { fact, type AlertFact } from '../../wording/facts';
import { say, sayAlert, sayRule } from '../../wording/say';
import { type IncidentFacts } from '../incident-text';
import { isConditionKind } from '../kinds';
import { rulesOf } from '../rules';
import { checkMayManageAlerts } from './alert-rights';

/** Ten years. */
const LONGEST_MUTE_HOURS = 87_600;

/** The incidents to mute: all that match every given condition. */
export interface Muted {
  kind: string | null;
  subject: string | null;
  lineId: number | null;
  /** For a single incident: the `facts` in its row. */
  facts: string | null;
}

/**
 * Suppresses alerts until an end. Channels that were notified of the start still get the end.
 * @throws Refusal if `by` may not mute them, or with all issues, by field
 */
export async function mute(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  { kind, subject, lineId, facts }: Muted,
  end: EndInput,
): Promise<MuteRow> {
  const now = deps.clock();
  const until = endOf(end, now, LONGEST_MUTE_HOURS);
  if (until === null) throw invalidField('hours', 'required', fact('value.missing', {}));
  const muted = { kind, subject, line_id: lineId, facts };
  return audited<MuteRow>(
    deps,
    actor,
    { action: 'alert.muted', lineId, details: { what: whatOf(muted), until } },
    async ({ store }) => {
      await checkMayManageAlerts(store, by, lineId);
      return store.alerts.insertMute({
        ...muted,
        until,
        what: await inEnglish(store, muted),
        who: actor.who,
        created_at: isoTime(now),
      });
    },
  );
}

type What = Pick<MuteRow, 'kind' | 'subject' | 'line_id' | 'facts'>;

/** For the audit entry. */
const whatOf = ({ kind, facts }: What): object => ({
  ...(kind !== null && { kind }),
  ...(facts !== null && { values: (JSON.parse(facts) as IncidentFacts).values }),
});

/** For lists in commands, and for processes of the previous version. */
async function inEnglish(store: Pick<Tables, 'alerts' | 'lines'>, what: What): Promise<string> {
  const { kind, line_id: lineId, facts } = what;
  const line = lineId === null ? null : await store.lines.find(lineId);
  const of = line ? `${line.name}: ` : '';
  if (kind === null)
    return say('en', line ? fact('muted.line', { line: line.name }) : fact('muted.everything', {}));
  if (!isConditionKind(kind)) return `${of}${kind}`;
  if (facts !== null)
    return sayAlert('en', { kind, values: (JSON.parse(facts) as IncidentFacts).values } as AlertFact).title;
  const { threshold } = rulesOf(await store.alerts.rules())[kind];
  return `${of}${sayRule('en', kind, String(threshold)).replace(/\.$/, '')}`;
}

/**
 * The part of the incidents that is muted, by one of them: it alone, all of its line, or all of its kind.
 * @param what `this`, `line` or `kind`
 */
export function mutedOf(incident: IncidentRow, what: string): Muted {
  const { kind, subject, line_id: lineId, facts } = incident;
  if (what === 'line' && lineId !== null) return { kind: null, subject: null, lineId, facts: null };
  if (what === 'kind') return { kind, subject: null, lineId: null, facts: null };
  return { kind, subject, lineId, facts };
}

/** @returns whether the mute was active @throws Refusal if `by` may not end it */
export const unmute = (deps: AuditedDeps, actor: Actor, by: By, id: number): Promise<boolean> =>
  audited<MuteRow | null>(
    deps,
    actor,
    (ended) =>
      ended && {
        action: 'alert.unmuted',
        lineId: ended.line_id,
        details: { what: ended.subject !== null && ended.facts === null ? ended.what : whatOf(ended) },
      },
    async ({ store }) => {
      const ended = await store.alerts.endMute(id);
      if (ended) await checkMayManageAlerts(store, by, ended.line_id);
      return ended;
    },
  ).then((ended) => ended !== null);
