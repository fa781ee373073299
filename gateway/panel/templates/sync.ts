import { Refusal } from '../../errors';
import { type Line } from '../../lines/line';
import { type RefreshReport } from '../../lines/refresh';
import { isoTime, MINUTE, SECOND } from '../../time';
import { t } from '../languages/t';
import { sentenceOfRefusal } from '../ui/frame/error-page';
import { type PanelDeps } from '../dependencies';

/** A sync started in the panel, with its progress or result. */
export interface Sync {
  isRunning: boolean;
  /** Start, as ISO time. */
  at: string;
  /** Why the sync failed, in sentences; null if it succeeded. */
  failure: string | null;
  /** Until when the result is shown, in milliseconds. */
  until: number;
}

/** The latest sync of each line in this process. Other processes only show when the line was last synced. */
const syncs = new WeakMap<PanelDeps['refresher'], Map<number, Sync>>();

export function syncOf({ refresher, clock }: PanelDeps, lineId: number): Sync | null {
  const sync = syncs.get(refresher)?.get(lineId) ?? null;
  return sync && (sync.isRunning || clock() < sync.until) ? sync : null;
}

/**
 * How long a failure is shown. The refusal of a too early sync is only shown until the next sync is allowed.
 */
const TELL_FOR = 10 * MINUTE;

/** Reads the line's templates from the platform. Resolves after success and after failure. */
export async function beginSync(deps: PanelDeps, line: Line): Promise<void> {
  const { refresher, syncTemplates, clock, log } = deps;
  const syncsOf = syncs.get(refresher) ?? new Map<number, Sync>();
  syncs.set(refresher, syncsOf);
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
    return t('The templates were synced less than a minute ago. Try again in {seconds, number} seconds.', {
      seconds: report.retry_after,
    });
  if (report.reason === 'no_credentials')
    return t('This line has no access token. Enter it in the settings of the line.');
  return t('The platform could not be reached. Try again in a moment.');
}
