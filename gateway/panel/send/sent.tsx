import { type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { curlOf } from './curl';
import { Copy } from '../ui/parts';
import { n8nNode } from './n8n-node';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';

interface SentAsProps {
  line: Pick<Line, 'id' | 'phoneNumberId'>;
  /** The body of the send. */
  body: Record<string, unknown>;
  /** The token in the command; null shows a placeholder. */
  token?: string | null;
}

/** Three ways for a program to send this message; the first one is open. */
export function SentAs({ line, body, token = null }: SentAsProps): VNode {
  const { gatewayUrl } = useRequest();
  return (
    <div class="folds">
      <details name="sent-as" open>
        <summary>{t('In n8n')}</summary>
        <div class="stack close">
          <p class="quiet small">
            {t.rich(
              'Copy this, click into an n8n workflow and paste: it becomes a <em>Messaging Gateway</em> node with these settings.',
              { em: (parts) => <em>{parts}</em> },
            )}
          </p>
          <Copy id="sent-n8n" text={n8nNode(body)} label={t('node for n8n')} />
        </div>
      </details>
      <details name="sent-as">
        <summary>{t('With curl')}</summary>
        <div class="stack close">
          {token === null && (
            <p class="quiet small">
              {t.rich('Replace <code>TOKEN</code> with a <link>token of the line</link>.', {
                link: (parts) => <a href={`/panel/tokens?line=${line.id}`}>{parts}</a>,
              })}
            </p>
          )}
          <Copy
            id="sent-curl"
            text={curlOf({ gatewayUrl, phoneNumberId: line.phoneNumberId, token, body })}
            label={t('command')}
          />
        </div>
      </details>
      <details name="sent-as">
        <summary>{t('As JSON')}</summary>
        <div class="stack close">
          <p class="quiet small">
            {t.rich('The body of <code>{address}</code>; every field is in the <link>API reference</link>.', {
              address: `POST /api/v22.0/${line.phoneNumberId}/messages`,
              link: (parts) => <a href="/docs#/Messages/sendMessage">{parts}</a>,
            })}
          </p>
          <Copy id="sent-json" text={JSON.stringify(body, null, 2)} label="JSON" />
        </div>
      </details>
    </div>
  );
}
