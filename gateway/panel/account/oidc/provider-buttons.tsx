import { type VNode } from 'preact';
import { type KnownProvider } from '../../../users/oidc/providers';
import { page, type PanelResponse } from '../../outcome';
import { type RequestContext } from '../../request-context';
import { Form, Submit } from '../../ui/form';
import { Narrow } from '../../ui/frame/layout';
import { t } from '../../languages/t';

export const providerPath = (key: string): string => `/panel/log-in/with/${key}`;

/** Registered at the provider. */
export const redirectUrlOf = ({ gatewayUrl }: Pick<RequestContext, 'gatewayUrl'>, key: string): string =>
  `${gatewayUrl}${providerPath(key)}/answer`;

/** Where the provider says that a person has logged out. */
export const logOutUrlFor = ({ gatewayUrl }: Pick<RequestContext, 'gatewayUrl'>, key: string): string =>
  `${gatewayUrl}${providerPath(key)}/back-channel-log-out`;

interface ButtonsProps {
  providers: readonly KnownProvider[];
  /** Of the link, such as the page to open afterwards. */
  query?: Record<string, string>;
  /** What the log-in is for, in a form: another site can't begin it. */
  fields?: Record<string, string>;
}

/** Links to log in at a provider, or forms if they have fields. */
export function ProviderButtons({ providers, query = {}, fields }: ButtonsProps): VNode | null {
  const queryText = new URLSearchParams(query).toString();
  return providers.length ? (
    <div class="stack close providers">
      {providers.map(({ key, label }) => {
        const path = `${providerPath(key)}${queryText && `?${queryText}`}`;
        const name = t('Log in with {provider}', { provider: label });
        return fields === undefined ? (
          <a key={key} class="button plain" href={path}>
            {name}
          </a>
        ) : (
          <Form key={key} action={path} fields={fields}>
            <Submit tone="plain">{name}</Submit>
          </Form>
        );
      })}
    </div>
  ) : null;
}

/** After a log-out: the session at the provider goes on, so that another log-in may need no password. */
export const LoggedOut = ({ of: provider }: { of: KnownProvider | undefined }): VNode | null =>
  provider ? (
    <p class="quiet">
      {t.rich('You are logged out here, but not at {provider}. <link>Log out there too</link>.', {
        provider: provider.label,
        link: (parts) => <a href={`${providerPath(provider.key)}/log-out`}>{parts}</a>,
      })}
    </p>
  ) : null;

/** Opens the provider's page after a form, whose redirect to another site browsers would refuse. */
export const goToProvider = (
  label: string,
  { url, attempt }: { url: string; attempt: string },
): PanelResponse => ({
  ...page(
    null,
    <Narrow title={t('Continue at {provider}', { provider: label })}>
      <p>{t('If the page of {provider} doesn’t open, open it yourself.', { provider: label })}</p>
      <a class="button primary" href={url}>
        {t('Continue')}
      </a>
    </Narrow>,
  ),
  onward: url,
  attempt,
});
