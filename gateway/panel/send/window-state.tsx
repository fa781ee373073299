import { type VNode } from 'preact';
import { normalizedRecipient } from '../../cloud-api/validate/message-request';
import { type Line } from '../../lines/line';
import { isOpen, WINDOW_LENGTH } from '../../messages/customer-service-window';
import { HOUR, isoTime } from '../../time';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { Time } from '../ui/parts';

/** Until when a contact may be written to freely, in milliseconds; null where that is over, or never began. */
export async function windowEnd(
  { deps: { windows } }: UserContext,
  line: Pick<Line, 'id'>,
  contact: string,
): Promise<number | null> {
  const at = await windows.exactLastInboundAt(line.id, normalizedRecipient(contact));
  return at !== null && isOpen(at, windows.now()) ? at + WINDOW_LENGTH : null;
}

/** Of less than this it is told in a conversation, before it is over. */
const SOON = 2 * HOUR;

/** Whether a contact may be written to freely, and until when. @param now in a conversation, which shows it where it matters */
export function WindowState({ end, now }: { end: number | null; now?: number }): VNode {
  return (
    <span
      class="chat-window"
      data-open={end === null ? undefined : ''}
      data-long={end !== null && now !== undefined && end - now > SOON ? '' : undefined}
    >
      {end !== null
        ? t.rich('24-hour window open until {when}', {
            when: <Time at={isoTime(end)} to="minute" />,
          })
        : t('24-hour window closed: only templates arrive until this contact writes')}
    </span>
  );
}
