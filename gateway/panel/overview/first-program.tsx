import { type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { USUAL_SCOPES } from '../../store/schema';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { demoTokenOf } from '../send/demo-token';
import { sendSnippet } from '../send/send-snippet';
import { Form, Submit } from '../ui/form';
import { Copy, Facts } from '../ui/parts';

/** What a program needs to send messages, with the demo token if this user may see it. */
export async function programs(context: UserContext, line: Line, isNext: boolean): Promise<VNode> {
  const { may, gatewayUrl } = context;
  const token = demoTokenOf(context, line);
  const snippet = await sendSnippet({ context, lineId: line.id, phoneNumberId: line.phoneNumberId, token });
  const n8n = (
    <Facts
      facts={[
        [t('Base URL'), <Copy id="base-url" text={gatewayUrl} label={t('base URL')} />],
        [t('Line'), <Copy id="line-id" text={line.phoneNumberId} label={t('line')} />],
        [
          t('Token'),
          token === null ? (
            t('the token that you generate')
          ) : (
            <Copy id="demo-token" text={token} label={t('token')} />
          ),
        ],
      ]}
    />
  );
  return (
    <>
      <p>
        {t('A program needs a token of the line.')}{' '}
        {token !== null && t('This is the token of the demo line, created at the first start.')}
      </p>
      {token === null && may('tokens.manage', line.id) && (
        <Form
          action="/panel/tokens"
          fields={{ line: String(line.id), expires: '', from: 'start' }}
          class="inline"
        >
          {USUAL_SCOPES.map((scope) => (
            <input key={scope} type="hidden" name="scope" value={scope} />
          ))}
          <Submit tone={isNext ? 'primary' : 'plain'}>{t('Generate a token and see how to use it')}</Submit>
        </Form>
      )}
      <div class="folds">
        <details open={isNext}>
          <summary>{t('In n8n')}</summary>
          <div class="stack close">
            <p>
              {t.rich(
                'Install the nodes <code>n8n-nodes-messaging-gateway</code> as described in the README, and add a credential <strong>Messaging Gateway API</strong> with:',
              )}
            </p>
            {n8n}
          </div>
        </details>
        <details>
          <summary>{t('With curl')}</summary>
          <div class="stack close">{snippet}</div>
        </details>
      </div>
    </>
  );
}
