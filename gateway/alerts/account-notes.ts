import { type AccountWarning } from '../cloud-api/account-event';
import { type Tables } from '../store/store';
import { DAY, isoTime } from '../time';
import { say } from '../wording/say';
import { type AccountMark } from './conditions/lines';

/** A warning without an end is reported for this long. */
const TOLD_FOR = 7 * DAY;

/** Stores the platform's restriction of a business account until its end; `null` if the platform lifted it. */
export async function noteAccount(
  { alerts }: Pick<Tables, 'alerts'>,
  wabaId: string,
  warning: AccountWarning | null,
  at: number,
): Promise<void> {
  if (!warning) return alerts.removeMark({ kind: 'account', subject: wabaId });
  const mark: AccountMark = {
    warning: warning.said,
    // For processes of the previous version.
    sentence: say('en', warning.said),
    until: isoTime(warning.until ?? at + TOLD_FOR),
  };
  await alerts.storeMark({
    kind: 'account',
    subject: wabaId,
    value: JSON.stringify(mark),
    at: isoTime(at),
  });
}
