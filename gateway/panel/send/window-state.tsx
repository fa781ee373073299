import { type VNode } from 'preact';
import { normalizedRecipient } from '../../cloud-api/validate/message-request';
import { type Line } from '../../lines/line';
import { isOpen, WINDOW_LENGTH } from '../../messages/customer-service-window';
import { HOUR, isoTime } from '../../time';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { Time } from '../ui/parts';

/** When the 24-hour window closes, in milliseconds; null if it is closed. */
export async function windowEnd(
  { deps: { windows } }: UserContext,
  line: Pick<Line, 'id'>,
  contact: string,
): Promise<number | null> {
  const at = await windows.exactLastInboundAt(line.id, normalizedRecipient(contact));
  return at !== null && isOpen(at, windows.now()) ? at + WINDOW_LENGTH : null;
}

/** A conversation shows the closing time only within this time before it. */
const SOON = 2 * HOUR;

/**
 * Whether the 24-hour window is open, and until when. @param now for a conversation, which shows only a near
 * end
 */
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
