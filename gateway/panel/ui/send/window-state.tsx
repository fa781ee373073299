import { type VNode } from 'preact';
import { normalizedRecipient } from '../../../cloud-api/validate/message-request';
import { type Line } from '../../../lines/line';
import { isOpen, WINDOW_LENGTH } from '../../../messages/customer-service-window';
import { isoTime } from '../../../time';
import { t } from '../../languages/t';
import { type UserContext } from '../../request-context';
import { Time } from '../parts';

/** Whether a contact may be written to freely, and until when. */
export async function windowState(
  { deps: { windows } }: UserContext,
  line: Pick<Line, 'id'>,
  contact: string,
): Promise<VNode> {
  const at = await windows.exactLastInboundAt(line.id, normalizedRecipient(contact));
  const isWindowOpen = isOpen(at, windows.now()) && at !== null;
  return (
    <span class="chat-window" data-open={isWindowOpen ? '' : undefined}>
      {isWindowOpen
        ? t.rich('24-hour window open until {when}', {
            when: <Time at={isoTime(at + WINDOW_LENGTH)} to="minute" />,
          })
        : t('24-hour window closed: only templates arrive until this contact writes')}
    </span>
  );
}
