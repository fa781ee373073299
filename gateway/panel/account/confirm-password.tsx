import { isoTime } from '../../time';
import { checkPassword } from '../../users/log-in';
import { FormState } from '../form-state';
import { Form, SecretField, SubmitOrCancel } from '../ui/form';
import { Card, PageHead } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';
import { providerByIssuer, type KnownProvider } from '../../users/oidc/providers';
import { fitsInCookie, KEPT, packForm, sealForm } from './kept-form';
import { providerPath } from './oidc/provider-buttons';

/** Extra form field, removed before the form's handler runs. */
const PASSWORD = 'confirm_password';

/**
 * Asks for the password before a sensitive action, in case another person uses an unlocked screen. The
 * submitted form is kept, so that nothing must be typed twice.
 * @param purpose begins the sentence, such as "To add a user"
 * @returns the password page; null if the password was right
 * @throws Refusal after too many wrong passwords
 */
export async function confirmPassword(
  context: UserContext,
  purpose: NonNullable<PanelRoute['confirmed']>,
): Promise<PanelResponse | null> {
  const { deps, user, session, form } = context;
  const provider = await providerByIssuer(deps, session.row.issuer);
  if (provider && !form.has(PASSWORD)) return askProvider(context, provider, await purpose(context));
  const given = form.get(PASSWORD);
  form.delete(PASSWORD);
  const state = new FormState();
  if (typeof given === 'string') {
    const confirmed = await checkPassword(deps, user.name, given, context.from).catch((error: unknown) =>
      state.refuse(PASSWORD, error),
    );
    if (confirmed) {
      await deps.store.sessions.update(session.row.hash, { confirmed_at: isoTime(deps.clock()) });
      return null;
    }
    state.addIssue(PASSWORD, t('Wrong password.'));
  }
  const sentAlong = [...form].filter(([, value]) => typeof value === 'string') as [string, string][];
  return page(
    <PageHead title={t('Confirm your password')}>
      {t('{purpose}, confirm your password. You are asked again after 10 minutes.', {
        purpose: await purpose(context),
      })}
    </PageHead>,
    <Card>
      <Form action={context.address} state={state}>
        {sentAlong.map(([name, value], index) => (
          <input key={index} type="hidden" name={name} value={value} />
        ))}
        <SecretField name={PASSWORD} label={t('Password')} autocomplete="current-password" autofocus />
        <SubmitOrCancel submit={t('Continue')} back="/panel" />
      </Form>
    </Card>,
    state,
  );
}

/** A session that began at a provider is confirmed by another log-in there. */
function askProvider(
  context: UserContext,
  { key, label: provider }: KnownProvider,
  purpose: string,
): PanelResponse {
  const packed = packForm(context, context.user.id);
  const kept = packed !== null && fitsInCookie(packed, '') ? packed : null;
  return page(
    <PageHead title={t('Confirm that it is you')}>
      {t('{purpose}, log in at {provider} again. You are asked again after 10 minutes.', {
        purpose,
        provider,
      })}
    </PageHead>,
    <Card>
      <p class="quiet">
        {kept === null
          ? t('Your form can’t be kept meanwhile. Submit it again afterwards.')
          : t('Your form is kept. You submit it afterwards.')}
      </p>
      <Form
        action={`${providerPath(key)}/confirm`}
        fields={kept === null ? {} : { [KEPT]: sealForm(context.deps.vault, kept) }}
      >
        <SubmitOrCancel submit={t('Continue at {provider}', { provider })} back="/panel" />
      </Form>
    </Card>,
  );
}
