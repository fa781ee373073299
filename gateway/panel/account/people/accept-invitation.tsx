import { passwordLogInOff, Refusal } from '../../../errors';
import { sealKnownBrowser } from '../../../users/known-browser';
import {
  acceptInvitation,
  openInvitation,
  type OpenInvitation,
} from '../../../users/invitations/accept-invitation';
import { mayUsePassword } from '../../../users/log-in';
import { NOT_LOGGED_IN } from '../../../users/log-in-watch';
import { allProviders } from '../../../users/oidc/providers';
import { beginSession } from '../../../users/sessions';
import { FormState } from '../../form-state';
import { saidOfRefusal } from '../../languages/said';
import { t } from '../../languages/t';
import { page, seeOther, type PanelResponse } from '../../outcome';
import { publicRoute, type PanelRoute } from '../../panel-route';
import { type RequestContext } from '../../request-context';
import { Form, Submit, TextField } from '../../ui/form';
import { Narrow } from '../../ui/frame/layout';
import { roleWord } from '../../ui/frame/role';
import { inChosenLanguage, Languages } from '../log-in';
import { NewPasswordField, readNewPassword } from '../new-password';
import { ProviderButtons } from '../oidc/provider-buttons';

/** The link of an invitation. */
export const acceptPages: PanelRoute[] = [
  publicRoute('GET', '/invitation', (context) => ask(context, new FormState())),
  publicRoute('POST', '/invitation', accept),
  publicRoute('POST', '/invitation/language', (context) => inChosenLanguage(context, addressOf(context))),
];

const keyOf = ({ query }: RequestContext): string => query.get('key') ?? '';
const addressOf = (context: RequestContext, path = ''): string =>
  `/panel/invitation${path}?key=${encodeURIComponent(keyOf(context))}`;

async function ask(context: RequestContext, state: FormState): Promise<PanelResponse> {
  if (context.session?.needsApp) return seeOther('/panel/profile/app');
  try {
    return await form(context, state, await openInvitation(context.deps, keyOf(context)));
  } catch (error) {
    return refused(error);
  }
}

async function form(context: RequestContext, state: FormState, open: OpenInvitation): Promise<PanelResponse> {
  const { user } = context;
  const providers = user ? [] : await allProviders(context.deps);
  const role = roleWord(open.row.role);
  const customers = open.customers.join(', ');
  return page(
    null,
    <Narrow title={t('You are invited')}>
      <p>
        {customers
          ? t.rich('Your role will be <strong>{role}</strong>, for {customers}.', { role, customers })
          : t.rich('Your role will be <strong>{role}</strong>.', { role })}
      </p>
      {(user || maySetPassword(context, open)) && (
        <Form action={addressOf(context)} state={state}>
          {user ? (
            <p>
              {t.rich('You are logged in as <strong>{name}</strong>, who gets this role.', {
                name: user.name,
              })}
            </p>
          ) : (
            <>
              <TextField
                name="name"
                label={t('Name')}
                hint={
                  open.isNamed
                    ? t('The name for logging in.')
                    : t('The name for logging in. Four random characters are added to it.')
                }
                autocomplete="username"
                maxLength={64}
                autofocus
              />
              <NewPasswordField labels={[t('Password'), t('Repeat the password')]} />
            </>
          )}
          <Submit>{t('Accept the invitation')}</Submit>
        </Form>
      )}
      <ProviderButtons providers={providers} fields={{ invitation: keyOf(context) }} />
      {!user && (
        <>
          <p class="quiet">
            {t.rich('If you already have a user here, <link>log in</link> first, then open the link again.', {
              link: (parts) => <a href="/panel/log-in">{parts}</a>,
            })}
          </p>
          <Languages action={addressOf(context, '/language')} />
        </>
      )}
    </Narrow>,
    state,
  );
}

/** Whether the invited person may log in with a password. */
const maySetPassword = ({ deps }: RequestContext, { row }: OpenInvitation): boolean =>
  mayUsePassword(deps, { role: row.customer_ids === null ? row.role : null });

/** An invitation that can't be accepted, in place of the page. */
function refused(error: unknown): PanelResponse {
  if (!(error instanceof Refusal) || !['invitation_gone', 'invitation_void'].includes(error.errorCode))
    throw error;
  return page(
    null,
    <Narrow title={t("This invitation doesn't work")}>
      <p>{saidOfRefusal(error)}</p>
      <p>
        {t.rich('If you have a password, <link>log in</link>.', {
          link: (parts) => <a href="/panel/log-in">{parts}</a>,
        })}
      </p>
    </Narrow>,
    { status: error.status },
  );
}

async function accept(context: RequestContext): Promise<PanelResponse> {
  const { deps, from, user } = context;
  if (context.session?.needsApp) return seeOther('/panel/profile/app');
  const key = keyOf(context);
  const state = new FormState(context.form);
  try {
    if (user) {
      const actor = { who: user.name, through: 'panel', address: from.address } as const;
      await acceptInvitation(deps, actor, key, { user });
      return seeOther('/panel/profile', t('You have accepted the invitation.'));
    }
    const open = await openInvitation(deps, key);
    const name = state.text('name');
    const password = await readNewPassword(state, name);
    const actor = { who: NOT_LOGGED_IN, through: 'panel', address: from.address } as const;
    if (!maySetPassword(context, open)) throw passwordLogInOff();
    const added = state.isValid
      ? await state.given(() => acceptInvitation(deps, actor, key, { name, password }))
      : null;
    if (!added) return await form(context, state, open);
    const cookie = await beginSession(deps, added, from, false);
    deps.logInWatch.entered();
    const known = sealKnownBrowser(deps.vault, from.known, added.name);
    return { ...welcome(added.name), cookie, known };
  } catch (error) {
    return refused(error);
  }
}

/** Shows the log-in name, which may have got letters. */
const welcome = (name: string) =>
  page(
    null,
    <Narrow title={t('Welcome')}>
      <p>{t.rich('You log in as <strong>{name}</strong>. Note this name.', { name })}</p>
      <div>
        <a class="button primary" href="/panel">
          {t('Continue')}
        </a>
      </div>
    </Narrow>,
  );
