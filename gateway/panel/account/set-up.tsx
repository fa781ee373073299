import { accountName } from '../../users/account-name';
import { sealKnownBrowser } from '../../users/known-browser';
import { findLink } from '../../users/links';
import { setPasswordByLink, setUpFirstUser } from '../../users/own-account';
import { mayUsePassword } from '../../users/log-in';
import { beginSession } from '../../users/sessions';
import { FormState } from '../form-state';
import { Form, Submit, TextField } from '../ui/form';
import { Narrow } from '../ui/frame/layout';
import { page, seeOther, seeOtherAs, type PanelResponse } from '../outcome';
import { publicRoute, type PanelRoute } from '../panel-route';
import { type RequestContext } from '../request-context';
import { t } from '../languages/t';
import { inChosenLanguage, Languages } from './log-in';
import { NewPasswordField, readNewPassword } from './new-password';

/** One-time links: to set up the first user, or a user's password. */
export const setUpPages: PanelRoute[] = [
  publicRoute('GET', '', async ({ deps, user, may }) => {
    if (!user) return seeOther('/panel/log-in');
    const isNew = deps.lines.all().length === 0 && may('events.read', null);
    return seeOther(isNew ? '/panel/start' : '/panel/overview');
  }),
  publicRoute('GET', '/set-up', (context) => ask(context, new FormState())),
  publicRoute('POST', '/set-up', take),
  publicRoute('POST', '/set-up/language', (context) =>
    inChosenLanguage(context, addressOf(context.query.get('key') ?? '')),
  ),
];

const addressOf = (key: string, path = ''): string => `/panel/set-up${path}?key=${encodeURIComponent(key)}`;

async function ask(context: RequestContext, state: FormState): Promise<PanelResponse> {
  const link = await linkOf(context);
  if (!link) return gone(context);
  const { user } = link;
  const title = user ? t('Choose your password') : t('Set up the control panel');
  return page(
    null,
    <Narrow title={title}>
      <p class="quiet">
        {user
          ? t('Then you are logged in.')
          : t(
              'You are the first user. Choose a name and a password. You will be an owner, who can change everything.',
            )}
      </p>
      <Form action={addressOf(link.key)} state={state}>
        {user ? (
          <p>{t.rich('Your name is <strong>{name}</strong>.', { name: user.name })}</p>
        ) : (
          <TextField
            name="name"
            label={t('Name')}
            hint={t('Your log-in name.')}
            autocomplete="username"
            maxLength={64}
            autofocus
          />
        )}
        <NewPasswordField labels={[t('Password'), t('Repeat the password')]} />
        <Submit>{user ? t('Set password') : t('Set up')}</Submit>
      </Form>
      <Languages action={addressOf(link.key, '/language')} />
    </Narrow>,
    state,
  );
}

async function linkOf({ deps, query }: RequestContext) {
  const key = query.get('key') ?? '';
  const row = await findLink(deps, key);
  if (!row) return null;
  const user = row.user_id === null ? null : await deps.store.users.find(row.user_id);
  // A set-up link is invalid once any user exists.
  if (row.user_id === null ? await deps.store.users.any() : !user) return null;
  return { key, user };
}

async function gone({ deps }: RequestContext): Promise<PanelResponse> {
  const hasUsers = await deps.store.users.any();
  return page(
    null,
    <Narrow title={t("This link doesn't work")}>
      <p>{t('It was already used, is older than a day, or is incomplete.')}</p>
      <p>
        {hasUsers
          ? t.rich('If you have a password, <link>log in</link>. If not, ask an owner for another link.', {
              link: (parts) => <a href="/panel/log-in">{parts}</a>,
            })
          : t('There are no users yet. Restart the gateway to print a new link.')}
      </p>
    </Narrow>,
    { status: 404 },
  );
}

async function take(context: RequestContext): Promise<PanelResponse> {
  const { deps, form, from } = context;
  const link = await linkOf(context);
  if (!link) return gone(context);
  const state = new FormState(form);
  const name = link.user?.name ?? accountName(state.text('name'));
  const password = await readNewPassword(state, name);
  if (!state.isValid) return ask(context, state);
  const actor = { who: name, through: 'panel', address: from.address } as const;
  const user = await (link.user
    ? setPasswordByLink(deps, actor, link.key, link.user, password)
    : setUpFirstUser(deps, actor, link.key, password));
  if (!user) return gone(context);
  if (!mayUsePassword(deps, user)) return seeOther('/panel/log-in');
  const key = await beginSession(deps, user, from, user.totp_sealed !== null);
  if (user.totp_sealed !== null) return seeOtherAs(key, '/panel/log-in/code');
  deps.logInWatch.entered();
  const known = sealKnownBrowser(deps.vault, from.known, user.name);
  return { ...seeOtherAs(key, link.user ? '/panel' : '/panel/start'), known };
}
