import { type VNode } from 'preact';
import { checkCode, checkPassword } from '../../users/log-in';
import { changePassword, renewRecoveryCodes, switchAppOff, switchAppOn } from '../../users/own-account';
import { endSessions, sessionsOf } from '../../users/end-sessions';
import { isAppRequired } from '../../users/sessions';
import { createRecoveryCodes, createTotpSecret, otpauthUrl, stepOfCode } from '../../users/totp';
import { FormState } from '../form-state';
import { ActionButton, Form, SecretField, SelectField, Submit, SubmitOrCancel, TextField } from '../ui/form';
import { Badge, Card, Copy, Facts, PageHead } from '../ui/parts';
import { readLook, zoneNamed } from '../ui/frame/look';
import { LinkedAccounts, linkedAccounts } from './oidc/linked-accounts';
import { NewPasswordField, readNewPassword } from './new-password';
import { Sessions } from './sessions';
import { QrCode } from '../ui/qr';
import { page, seeOther, seeOtherAs, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { inLanguage, LANGUAGES, WRITTEN } from '../../wording/language';
import { rolesWord } from '../ui/frame/role';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';

/** The user's own password, authenticator app, sessions and appearance. */
export const profilePages: PanelRoute[] = [
  pageRoute('own', '/profile', (context) => showProfile(context, new FormState())),
  actionRoute('own', '/profile/password', takePassword),
  // Where the panel leads users who must set up an app first.
  pageRoute(
    'own',
    '/profile/app',
    (context) =>
      context.session.needsApp
        ? askApp(context, new FormState(), createTotpSecret())
        : seeOther('/panel/profile'),
    { isWithoutApp: true },
  ),
  actionRoute('own', '/profile/app', (context) => askApp(context, new FormState(), createTotpSecret()), {
    confirmed: () => t('To set up an authenticator app'),
  }),
  actionRoute('own', '/profile/app/on', appOn, {
    confirmed: () => t('To set up an authenticator app'),
    isWithoutApp: true,
  }),
  pageRoute('own', '/profile/app/off', (context) => askCode(context, new FormState(), switchOffQuestion())),
  actionRoute('own', '/profile/app/off', appOff, {
    confirmed: () => t('To switch the authenticator app off'),
  }),
  pageRoute('own', '/profile/codes', (context) => askCode(context, new FormState(), newCodesQuestion())),
  actionRoute('own', '/profile/codes', renewCodes, { confirmed: () => t('To make new recovery codes') }),
  actionRoute('own', '/profile/sessions/:session/end', endOne),
  actionRoute('own', '/profile/end-others', endOthers),
  actionRoute('own', '/profile/log-out-everywhere', logOutEverywhere),
  actionRoute('own', '/profile/look', changeLook),
];

/** @param look the submitted appearance form, if it is invalid */
async function showProfile(context: UserContext, state: FormState, look?: FormState): Promise<PanelResponse> {
  const { deps, user } = context;
  const [sessions, codesLeft, accounts] = await Promise.all([
    sessionsOf(deps, user),
    deps.store.users.recoveryCodesLeft(user.id),
    linkedAccounts(context),
  ]);
  return page(
    <PageHead title={t('Your profile')}>
      {t.rich('You are <strong>{name}</strong>. Your role: {role}.', {
        name: user.name,
        role: rolesWord(user),
      })}
    </PageHead>,
    <>
      <Card title={t('Appearance')}>
        <p class="quiet">{t('In this browser.')}</p>
        <LookForm sent={look} />
      </Card>
      <LinkedAccounts accounts={accounts} />
      {user.password_hash !== null && <Password state={state} />}
      <App codesLeft={codesLeft} />
      <Card
        title={t('Where you are logged in')}
        flush
        actions={
          <>
            {sessions.length > 1 && (
              <ActionButton action="/panel/profile/end-others" tone="plain">
                {t('End all others')}
              </ActionButton>
            )}
            <ActionButton action="/panel/profile/log-out-everywhere" tone="plain">
              {t('Log out everywhere')}
            </ActionButton>
          </>
        }
      >
        <Sessions sessions={sessions} path="/panel/profile/sessions" own={context.session.row.hash} />
      </Card>
    </>,
    look ?? state,
  );
}

function Password({ state }: { state: FormState }): VNode {
  return (
    <Card title={t('Password')}>
      <p class="quiet">{t('A new password ends all your other sessions.')}</p>
      <Form action="/panel/profile/password" state={state}>
        <input type="text" name="username" value={useRequest().user.name} autocomplete="username" hidden />
        <SecretField name="current" label={t('Current password')} autocomplete="current-password" />
        <NewPasswordField labels={[t('New password'), t('New password again')]} />
        <div>
          <Submit>{t('Change password')}</Submit>
        </div>
      </Form>
    </Card>
  );
}

function LookForm({ sent }: { sent: FormState | undefined }): VNode {
  const { theme = '', zone = '', language = '' } = useRequest().look;
  const state = sent ?? new FormState({ theme, zone: zone.replaceAll('_', ' '), language });
  return (
    <Form action="/panel/profile/look" state={state}>
      <SelectField
        name="language"
        label={t('Language')}
        choices={[
          { value: '', label: t('Same as the browser') },
          ...LANGUAGES.map((value) => ({ value, label: WRITTEN[value].name })),
        ]}
      />
      <SelectField
        name="theme"
        label={t('Colors')}
        choices={[
          { value: '', label: t('Same as the system') },
          { value: 'light', label: t.of('colours', 'Light') },
          { value: 'dark', label: t.of('colours', 'Dark') },
        ]}
      />
      <TextField
        name="zone"
        label={t('Time zone')}
        type="search"
        placeholder={t('Same as the browser')}
        list="zones"
        maxLength={100}
      />
      {/* Filled by the script. */}
      <datalist id="zones" />
      <div>
        <Submit tone="plain">{t('Save')}</Submit>
      </div>
    </Form>
  );
}

function changeLook(context: UserContext): PanelResponse | Promise<PanelResponse> {
  const state = new FormState(context.form);
  const zone = state.text('zone');
  if (zone && !zoneNamed(zone)) {
    const example = 'America/Sao Paulo';
    state.addIssue('zone', t('Unknown time zone. Enter one such as {example}.', { example }));
    return showProfile(context, new FormState(), state);
  }
  const look = readLook([state.text('theme'), zone, state.text('language')].join('.'));
  // The notice is already in the new language.
  const notice = () => t('The appearance is saved for this browser.');
  return {
    ...seeOther('/panel/profile', look.language ? inLanguage(look.language, notice) : notice()),
    look,
  };
}

function App({ codesLeft }: { codesLeft: number }): VNode {
  const { user, session, deps } = useRequest();
  const isRequired = isAppRequired(deps.requiresApp, user, session.row);
  if (user.totp_sealed === null)
    return (
      <Card
        title={t('Authenticator app')}
        actions={<Badge tone="idle">{t.of('authenticator app', 'off')}</Badge>}
      >
        <p class="quiet">
          {t(
            'With an app such as Aegis, 1Password or Google Authenticator, you also enter a code from your phone when you log in. Your password alone is then not enough.',
          )}
        </p>
        <Form action="/panel/profile/app">
          <div>
            <Submit>{t('Set up app')}</Submit>
          </div>
        </Form>
      </Card>
    );
  return (
    <Card
      title={t('Authenticator app')}
      actions={<Badge tone="good">{t.of('authenticator app', 'on')}</Badge>}
    >
      <Facts facts={[[t('Recovery codes left'), <span class="number">{codesLeft}</span>]]} />
      {codesLeft < 3 && <p class="fault">{t('Make new recovery codes before the last one is used.')}</p>}
      <div class="actions">
        <a class="button plain" href="/panel/profile/codes">
          {t('New recovery codes')}
        </a>
        {!isRequired && (
          <a class="button danger" href="/panel/profile/app/off">
            {t('Switch off')}
          </a>
        )}
      </div>
      {isRequired && <p class="quiet">{t('The app is required, so it can’t be switched off.')}</p>}
    </Card>
  );
}

async function takePassword(context: UserContext): Promise<PanelResponse> {
  const { deps, user, session, form, from } = context;
  const state = new FormState(form);
  const password = await readNewPassword(state, user.name);
  state.addIssue('current', state.exact('current') ? null : t('Enter your current password.'));
  if (state.isValid) {
    const isRight = await checkPassword(deps, user.name, state.exact('current'), from).catch(
      (error: unknown) => state.refuse('current', error),
    );
    state.addIssue('current', isRight ? null : t('Wrong password.'));
  }
  if (!state.isValid) return showProfile(context, state);
  await changePassword(deps, context.actor, user, password, session.row.hash);
  return seeOther('/panel/profile', t('Your password is changed. Your other sessions have ended.'));
}

/** The secret travels in the form and is stored only after a code has shown that the app works. */
function askApp(context: UserContext, state: FormState, secret: string): PanelResponse {
  return page(
    <PageHead
      title={t('Set up an authenticator app')}
      back={context.session.needsApp ? undefined : { href: '/panel/profile', label: t('Your profile') }}
    >
      {context.session.needsApp &&
        t(
          'This gateway requires an authenticator app, such as Aegis, 1Password or Google Authenticator.',
        )}{' '}
      {t('Scan this picture with the app, then type the code that it shows.')}
    </PageHead>,
    <Card>
      <QrCode text={otpauthUrl(secret, context.user.name)} label={t('QR code for the authenticator app')} />
      <div class="stack close">
        <p class="quiet">{t('Or type this key into the app:')}</p>
        <Copy id="key" text={secret.replace(/.{4}(?=.)/g, '$& ')} label={t('Key for the app')} />
      </div>
      <Form action="/panel/profile/app/on" state={state}>
        <input type="hidden" name="secret" value={secret} />
        <TextField
          name="code"
          label={t('Code')}
          hint={t('The six digits that the app shows now.')}
          inputmode="numeric"
          autocomplete="one-time-code"
          maxLength={10}
        />
        <div>
          <Submit>{t('Switch it on')}</Submit>
        </div>
      </Form>
    </Card>,
    state,
  );
}

async function appOn(context: UserContext): Promise<PanelResponse> {
  const { deps, user, form } = context;
  const state = new FormState(form);
  const secret = state.text('secret');
  if (user.totp_sealed !== null || !/^[A-Z2-7]{32}$/.test(secret)) return seeOther('/panel/profile');
  const step = stepOfCode(secret, state.text('code').replace(/\s/g, ''), deps.clock());
  if (step === null) {
    state.addIssue(
      'code',
      t('The code is wrong. Enter the code that the app shows now, and check the clock of the phone.'),
    );
    return askApp(context, state, secret);
  }
  const { codes, hashes } = createRecoveryCodes();
  const app = { sealed: deps.vault.seal('users.totp', secret), step, recoveryHashes: hashes };
  await switchAppOn(deps, context.actor, user, app, context.session.row.hash);
  return showCodes(codes, t('The authenticator app is on'));
}

async function renewCodes(context: UserContext): Promise<PanelResponse> {
  const { user } = context;
  const asked = await withoutCode(context, newCodesQuestion());
  if (asked) return asked;
  const { codes, hashes } = createRecoveryCodes();
  await renewRecoveryCodes(context.deps, context.actor, user, hashes);
  return showCodes(codes, t('New recovery codes'));
}

const showCodes = (codes: string[], title: string): PanelResponse =>
  page(
    <PageHead title={title} back={{ href: '/panel/profile', label: t('Your profile') }}>
      {t(
        'Each of these codes replaces the app once, for example if you lose your phone. Older codes no longer work.',
      )}
    </PageHead>,
    <Card>
      <p>
        {t.rich('<strong>They are shown only once.</strong> Print them, or save them with your passwords.')}
      </p>
      <Copy id="codes" text={codes.join('\n')} label={t('Recovery codes')} />
      <div>
        <a class="button primary" href="/panel/profile">
          {t('I have saved them')}
        </a>
      </div>
    </Card>,
  );

/** A page that asks for an app code or a recovery code before an action. */
interface CodeQuestion {
  title: string;
  follows: string;
  action: string;
  submit: string;
  tone: 'danger' | 'primary';
}

const switchOffQuestion = (): CodeQuestion => ({
  title: t('Switch the authenticator app off?'),
  follows: t('Your password alone then opens the panel again, and your recovery codes stop working.'),
  action: '/panel/profile/app/off',
  submit: t('Switch off'),
  tone: 'danger',
});

const newCodesQuestion = (): CodeQuestion => ({
  title: t('Make new recovery codes?'),
  follows: t('Each code replaces the app once. Your current codes stop working.'),
  action: '/panel/profile/codes',
  submit: t('Make new codes'),
  tone: 'primary',
});

/** A person at an unattended screen may have a recently confirmed password, but not the phone. */
function askCode(
  context: UserContext,
  state: FormState,
  { title, follows, action, submit, tone }: CodeQuestion,
): PanelResponse {
  if (context.user.totp_sealed === null) return seeOther('/panel/profile');
  return page(
    <PageHead title={title} back={{ href: '/panel/profile', label: t('Your profile') }}>
      {follows}
    </PageHead>,
    <Card>
      <Form action={action} state={state}>
        <TextField
          name="code"
          label={t('Code')}
          hint={t('The six digits that the app shows now, or one of your recovery codes.')}
          autocomplete="one-time-code"
          maxLength={30}
        />
        <SubmitOrCancel submit={submit} tone={tone} back="/panel/profile" />
      </Form>
    </Card>,
    state,
  );
}

/** @returns the page with the issue if the code is wrong; null if the code is right */
async function withoutCode(context: UserContext, question: CodeQuestion): Promise<PanelResponse | null> {
  const { deps, user, form, from } = context;
  const state = new FormState(form);
  const code = state.required('code', t('Enter the code.'));
  if (state.isValid && user.totp_sealed !== null) {
    const kind = await checkCode(deps, user, code, from).catch((error: unknown) =>
      state.refuse('code', error),
    );
    state.addIssue(
      'code',
      kind ? null : t('The code is wrong or was used before. Enter the code that the app shows now.'),
    );
  }
  return state.isValid && user.totp_sealed !== null ? null : askCode(context, state, question);
}

async function appOff(context: UserContext): Promise<PanelResponse> {
  const asked = await withoutCode(context, switchOffQuestion());
  if (asked) return asked;
  await switchAppOff(context.deps, context.actor, context.session);
  return seeOther('/panel/profile', t('The authenticator app is off.'));
}

async function endOne({ deps, actor, user, params }: UserContext): Promise<PanelResponse> {
  const ended = await endSessions(deps, actor, user, user, { id: params.session ?? '' });
  return seeOther('/panel/profile', ended ? t('The session has ended.') : null);
}

async function endOthers({ deps, actor, user, session }: UserContext): Promise<PanelResponse> {
  await endSessions(deps, actor, user, user, { except: session.row.hash });
  return seeOther('/panel/profile', t('Your other sessions have ended.'));
}

async function logOutEverywhere(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, user } = context;
  await endSessions(deps, actor, user, user, { except: null });
  return seeOtherAs(null, '/panel/log-in');
}
