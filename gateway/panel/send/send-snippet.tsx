import { type VNode } from 'preact';
import { WINDOW_LENGTH } from '../../messages/customer-service-window';
import { curlOf, textTo } from './curl';
import { Copy } from '../ui/parts';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';

/** The first sandbox contact. */
const TO = '12025550147';

interface SendSnippetProps {
  context: UserContext;
  lineId: number;
  phoneNumberId: string;
  /** Null shows a placeholder. */
  token: string | null;
}

/** A command that sends a text, with the conditions for its delivery. */
export async function sendSnippet({
  context,
  lineId,
  phoneNumberId,
  token,
}: SendSnippetProps): Promise<VNode> {
  const { sandboxUrl, windows } = context.deps;
  const phoneWords = t('the sandbox phone of {to}', { to: TO });
  const phone = context.may('messages.read', lineId) ? (
    <a href={`/panel/phone/${lineId}/${TO}`}>{phoneWords}</a>
  ) : (
    phoneWords
  );
  const wroteAt = sandboxUrl === null ? null : await windows.lastInboundAt(lineId, TO);
  const first =
    sandboxUrl === null ? (
      <p>
        {t.rich(
          'Replace <code>{number}</code> with the number of a contact who wrote to the line in the last 24 hours.',
          {
            number: TO,
          },
        )}
      </p>
    ) : (
      <p>
        {t.rich(
          'You can send a text only to a contact who wrote in the last 24 hours. Write something from {phone} first, then run this in a terminal.',
          { phone },
        )}
      </p>
    );
  const isOpen = wroteAt !== null && wroteAt + WINDOW_LENGTH > windows.now();
  return (
    <>
      {token === null && <p>{t.rich('Replace <code>TOKEN</code> with your token.')}</p>}
      {isOpen ? <p>{t.rich('Run it in a terminal: the text arrives on {phone}.', { phone })}</p> : first}
      <Copy
        id="send-a-text"
        label={t('Command that sends a text')}
        text={curlOf({ gatewayUrl: context.gatewayUrl, phoneNumberId, token, body: textTo(TO) })}
      />
    </>
  );
}
