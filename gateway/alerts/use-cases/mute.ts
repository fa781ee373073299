import { type Actor } from '../../store/tables/audit';
import { type MuteRow } from '../../store/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';

/** What is to be muted: all that fulfils everything that is given; everything where nothing is. */
export interface Muted {
  kind: string | null;
  subject: string | null;
  lineId: number | null;
  /** In words. */
  what: string;
  /** ISO time. */
  until: string;
}

/** Nobody is told of it until then; that it is over is told all the same to who was told that it began. */
export const mute = (
  deps: AuditedDeps,
  actor: Actor,
  { kind, subject, lineId, what, until }: Muted,
): Promise<MuteRow> =>
  audited<MuteRow>(deps, actor, { action: 'alert.muted', lineId, details: { what, until } }, ({ store }) =>
    store.alerts.insertMute({
      ...{ kind, subject, line_id: lineId, what, until },
      who: actor.who,
      created_at: isoTime(deps.clock()),
    }),
  );

/** @returns whether it was muted until now */
export const unmute = (deps: AuditedDeps, actor: Actor, id: number): Promise<boolean> =>
  audited<MuteRow | null>(
    deps,
    actor,
    (ended) => ended && { action: 'alert.unmuted', lineId: ended.line_id, details: { what: ended.what } },
    ({ store }) => store.alerts.endMute(id),
  ).then((ended) => ended !== null);
