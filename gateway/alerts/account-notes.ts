import { type AccountWarning } from '../cloud-api/account-event';
import { type Tables } from '../store/store';
import { DAY, isoTime } from '../time';

/** What the platform does not say the end of is told for so long. */
const TOLD_FOR = 7 * DAY;

/** Keeps what the platform told against a business account, until that is over; `null` where it took it back. */
export async function noteAccount(
  { alerts }: Pick<Tables, 'alerts'>,
  wabaId: string,
  warning: AccountWarning | null,
  at: number,
): Promise<void> {
  if (!warning) return alerts.removeMark({ kind: 'account', subject: wabaId });
  const until = isoTime(warning.until ?? at + TOLD_FOR);
  await alerts.storeMark({
    kind: 'account',
    subject: wabaId,
    value: JSON.stringify({ sentence: warning.sentence, until }),
    at: isoTime(at),
  });
}
