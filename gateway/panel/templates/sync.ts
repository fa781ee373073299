import { Refusal } from '../../errors';
import { type Line } from '../../lines/line';
import { type RefreshReport } from '../../lines/refresh';
import { isoTime, MINUTE, SECOND } from '../../time';
import { t } from '../languages/t';
import { sentenceOfRefusal } from '../ui/frame/error-page';
import { type PanelDeps } from '../dependencies';

/** A sync that somebody asked for here: pages show it while it runs, and what came of it. */
export interface Sync {
  isRunning: boolean;
  /** When it began; ISO time. */
  at: string;
  /** Why nothing was synced, in sentences; null where it was. */
  failure: string | null;
  /** Until when that is worth telling; milliseconds. */
  until: number;
}

/** The latest of each line. Of this process alone: others see when the line was last synced. */
const syncs = new WeakMap<PanelDeps['store'], Map<number, Sync>>();

export function syncOf({ store, clock }: PanelDeps, lineId: number): Sync | null {
  const sync = syncs.get(store)?.get(lineId) ?? null;
  return sync && (sync.isRunning || clock() < sync.until) ? sync : null;
}

/** A failure is told for so long; that somebody asked too soon only until he may ask again. */
const TELL_FOR = 10 * MINUTE;

/** Asks the platform for the line's templates. Resolves when that is over, however it went. */
export async function beginSync(deps: PanelDeps, line: Line): Promise<void> {
  const { store, refresher, syncTemplates, clock, log } = deps;
  const syncsOf = syncs.get(store) ?? new Map<number, Sync>();
  syncs.set(store, syncsOf);
  if (syncsOf.get(line.id)?.isRunning) return;
  const at = isoTime(clock());
  syncsOf.set(line.id, { isRunning: true, at, failure: null, until: 0 });
  const end = (failure: string | null, tellFor = TELL_FOR) =>
    syncsOf.set(line.id, { isRunning: false, at, failure, until: clock() + tellFor });
  try {
    const report = await refresher.refresh(line, 'templates', 'person', () => syncTemplates(line), true);
    end(failureOf(report), 'retry_after' in report ? report.retry_after * SECOND : TELL_FOR);
  } catch (error) {
    if (!(error instanceof Refusal)) log.error({ error, line: line.id }, 'templates not synced');
    end(
      error instanceof Refusal
        ? t('The platform refused: {reason}', { reason: sentenceOfRefusal(error) })
        : t("The gateway's log shows the reason."),
    );
  }
}

function failureOf(report: RefreshReport): string | null {
  if (!report.requested || report.performed) return null;
  if (report.reason === 'cooldown')
    return t(
      'The platform was asked less than a minute ago, and is not asked more often. Try it again in {seconds, number} seconds.',
      { seconds: report.retry_after },
    );
  if (report.reason === 'no_credentials')
    return t('This line has no access token: give one in the settings of the line.');
  return t('The platform could not be asked just now. Try it again in a moment.');
}
