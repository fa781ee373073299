import { type AccountWarning } from '../cloud-api/account-event';
import { type Tables } from '../store/store';
import { DAY, isoTime } from '../time';
import { say } from '../wording/say';
import { type AccountMark } from './conditions/lines';

/** A warning without an end lasts for so long. */
const TOLD_FOR = 7 * DAY;

/** Keeps what the platform reported against a business account until it ends; `null` if the platform took it back. */
export async function noteAccount(
  { alerts }: Pick<Tables, 'alerts'>,
  wabaId: string,
  warning: AccountWarning | null,
  at: number,
): Promise<void> {
  if (!warning) return alerts.removeMark({ kind: 'account', subject: wabaId });
  const mark: AccountMark = {
    warning: warning.said,
    // For processes of the version before.
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
