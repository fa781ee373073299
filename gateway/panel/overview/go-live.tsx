import { type VNode } from 'preact';
import { commandPrefix, isCheckout } from '../../program-folder';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';
import { Card, Copy } from '../ui/parts';

/** The address in the commands if the gateway has no public URL yet. */
const EXAMPLE_URL = 'https://gateway.example.com';

/** How to continue from the sandbox to a real number: what to prepare, and what to run. */
export function GoLive(): VNode | null {
  const { deps, may } = useRequest();
  if (deps.sandboxUrl === null || !may('gateway')) return null;
  const publicUrl = deps.publicUrl ?? EXAMPLE_URL;
  return (
    <Card id="go-live" title={t('Go live with a real number')}>
      <div class="stack">
        <p>
          {t(
            'The sandbox works. For real phones, run a gateway with a database of its own, because the lines and messages of the sandbox are not real.',
          )}
        </p>
        <ol>
          <li>
            {t(
              'Get a public https address for the gateway. WhatsApp delivers replies and delivery statuses to this address.',
            )}
          </li>
          <li>
            {t.rich(
              'Have an account at <meta>developers.facebook.com</meta>, and a phone number that is not in use in the WhatsApp app. Meta also provides a free test number.',
              { meta: (parts) => <a href="https://developers.facebook.com">{parts}</a> },
            )}
          </li>
          <li>
            {deps.demoToken === null ? (
              <ChangeSettings publicUrl={publicUrl} />
            ) : (
              <StartAnother publicUrl={publicUrl} />
            )}
          </li>
          <li>
            {t(
              'Open the one-time link that it prints. First steps then continue there: connect your number, its callback, a template to your own phone, and your first answer.',
            )}
          </li>
        </ol>
      </div>
    </Card>
  );
}

/** For a gateway that was started with settings. */
const ChangeSettings = ({ publicUrl }: { publicUrl: string }): VNode => (
  <>
    <p>{t('Change these settings of the gateway, with your own address, and restart it.')}</p>
    <Copy
      id="go-live-settings"
      label={t('settings')}
      text={`GATEWAY_UPSTREAM_URL=https://graph.facebook.com
GATEWAY_DATABASE_URL=sqlite:live/gateway.db
GATEWAY_PUBLIC_URL=${publicUrl}`}
    />
  </>
);

/** For `npm start`, which has its own database and key, and sets the sandbox itself. */
const StartAnother = ({ publicUrl }: { publicUrl: string }): VNode => (
  <>
    <p>
      {isCheckout()
        ? t.rich(
            'Stop this gateway with Ctrl-C, because both use the same port. Then run this in the same folder, with your own address. With Docker, use a file of <code>gateway/deploy</code> instead.',
          )
        : t(
            'Stop this gateway with Ctrl-C, because both use the same port. Then run this, with your own address.',
          )}
    </p>
    <Copy
      id="go-live-command"
      label={t('command')}
      text={`[ -e secret-key ] || (umask 077; openssl rand -base64 32 > secret-key)
GATEWAY_SECRET_KEY_FILE=secret-key \\
GATEWAY_DATABASE_URL=sqlite:live/gateway.db \\
GATEWAY_PUBLIC_URL=${publicUrl} \\
${commandPrefix()} start`}
    />
    <p class="quiet small">
      {t.rich('Keep the file <code>secret-key</code>: without it, the stored credentials are lost.')}
    </p>
  </>
);
