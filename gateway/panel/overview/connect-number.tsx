import { type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { CallbackValues } from '../send/callback-values';
import { type StepLink, type StepWords } from './first-step';

/** The steps that connect a number: a line, and on the real platform its callback. */

export function lineStep(
  { deps, may }: UserContext,
  line: Line | undefined,
  link: StepLink<'line'>,
): StepWords {
  const isReal = deps.sandboxUrl === null;
  return {
    title: isReal ? t('Connect your number') : t('Add a line'),
    text:
      !line &&
      (isReal ? (
        <AtThePlatform />
      ) : (
        <p>
          {t(
            'A line is one phone number that you send through. The form shows what to copy and where to find it. The sandbox needs no account.',
          )}
        </p>
      )),
    button: line
      ? link('line', `/panel/lines/${line.id}`, t('View {name}', { name: line.name }))
      : may('lines.manage') && link('line', '/panel/lines/new', t('Add a line')),
  };
}

/** What to do at the platform before the form for a line can be filled in. */
const AtThePlatform = (): VNode => (
  <>
    <p>
      {t(
        'A line is one phone number that you send through. Prepare it at Meta first, then copy its IDs and credentials into the form.',
      )}
    </p>
    <ol>
      <li>
        {t.rich(
          'Open <app>developers.facebook.com/apps</app> → <strong>Create App</strong>. Choose the use case <strong>Connect with customers through WhatsApp</strong> and your business portfolio.',
          { app: (parts) => <a href="https://developers.facebook.com/apps">{parts}</a> },
        )}
      </li>
      <li>
        {t.rich(
          'In the app, open <strong>WhatsApp → API Setup</strong>. Meta gives you a test number. For your own number, choose <strong>Add phone number</strong>: it must not be in use in the WhatsApp app. The page shows the phone number ID and the WhatsApp Business Account ID.',
        )}
      </li>
      <li>
        {t.rich(
          'Open <settings>Business settings</settings> → <strong>Users → System users</strong>, and add one. <strong>Assign assets</strong>: the app and the WhatsApp account, with full control. <strong>Generate token</strong>: choose the app, no expiration, and the permissions <code>whatsapp_business_messaging</code> and <code>whatsapp_business_management</code>. This is the access token.',
          {
            settings: (parts) => (
              <a href="https://business.facebook.com/latest/settings/system_users">{parts}</a>
            ),
          },
        )}
      </li>
      <li>
        {t.rich(
          'In the app, open <strong>App settings → Basic</strong> and choose <strong>Show</strong> beside the app secret.',
        )}
      </li>
    </ol>
  </>
);

/** Done when the platform has called the gateway. The page updates live. */
export async function callbackStep(
  { deps }: UserContext,
  line: Line | undefined,
  isConnected: boolean,
): Promise<StepWords> {
  const title = t('Connect the callback');
  const row = line && (await deps.store.lines.find(line.id));
  if (!row)
    return { title, text: <p>{t('The values to enter at the platform appear here.')}</p>, button: null };
  if (!isConnected)
    return {
      title,
      text: (
        <>
          <p>
            {t(
              'The platform sends replies and delivery statuses to the callback. Without it, no events arrive. This step is done as soon as the platform has verified the URL.',
            )}
          </p>
          <CallbackValues line={row} />
        </>
      ),
      button: null,
    };
  return {
    title,
    text: false,
    button: (
      <a class="button plain" href={`/panel/lines/${row.id}#handshake`}>
        {t('View the callback')}
      </a>
    ),
  };
}
