import { type VNode } from 'preact';
import { type LineRow } from '../../store/tables/lines';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';
import { Copy, Notice } from '../ui/parts';

/** The values to enter in the platform's settings, so that it sends events to this gateway. */
export function CallbackValues({ line }: { line: LineRow }): VNode {
  const { deps, gatewayUrl, may } = useRequest();
  const { callback } = deps;
  const address = `${gatewayUrl}/webhooks/platform/${line.phone_number_id}`;
  return (
    <div class="stack">
      <p>
        {t.rich(
          'At the platform, open your app → WhatsApp → Configuration → Webhook → Edit, paste these two, and choose <strong>Verify and save</strong>. Then subscribe to the field <code>messages</code>.',
        )}
      </p>
      {!address.startsWith('https:') && (
        <Notice tone="warn">
          <p>
            {t.rich(
              'The platform calls only public https URLs. Set <code>GATEWAY_PUBLIC_URL</code> to the public URL of this gateway.',
            )}
          </p>
        </Notice>
      )}
      <div class="stack close">
        <h3>{t('Callback URL')}</h3>
        <Copy id="callback-url" text={address} label={t('callback URL')} />
      </div>
      {may('lines.manage', line.id) && (
        <div class="stack close">
          <h3>{t('Verify token')}</h3>
          <Copy id="verify-token" text={line.verify_token} label={t('verify token')} />
        </div>
      )}
      {line.app_secret_sealed === null && (
        <Notice tone="bad">
          <p>{t('This line has no app secret, so it can’t receive events. Enter it under Settings.')}</p>
        </Notice>
      )}
      {callback.verifyToken !== null && may('lines.manage', null) && (
        <p class="quiet small">
          {t.rich(
            'If one app at the platform serves all your lines, use <code>{address}</code> there, with the verify token and the app secret of <code>GATEWAY_VERIFY_TOKEN</code> and <code>GATEWAY_APP_SECRET</code>.',
            { address: `${gatewayUrl}/webhooks/platform` },
          )}
        </p>
      )}
    </div>
  );
}
