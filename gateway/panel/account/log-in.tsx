import { type VNode } from 'preact';
import { audited } from '../../store/with-audit';
import { openKnownLink, sealKnownBrowser } from '../../users/known-browser';
import { checkCode, checkPassword } from '../../users/log-in';
import { type UserRow } from '../../store/tables/users';
import { beginSession, personIn, type EndedSession, type Session } from '../../users/sessions';
import { FormState, WHOLE } from '../form-state';
import { Form, SecretField, Submit, TextField } from '../ui/form';
import { Narrow } from '../ui/frame/layout';
import { page, seeOther, seeOtherAs, type PanelResponse, type PageResponse } from '../outcome';
import { actionRoute, publicRoute, type PanelRoute } from '../panel-route';
import { type RequestContext } from '../request-context';
import { knownLanguage, LANGUAGES, languageNow, WRITTEN } from '../../wording/language';
import { t } from '../languages/t';
import {
  fitsInCookie,
  KEPT,
  offerKept,
  openForm,
  packForm,
  sealForm,
  unpackForm,
  type KeptForm,
} from './kept-form';
import { LoggedOut, ProviderButtons } from './oidc/provider-buttons';
import { allProviders, providerByIssuer } from '../../users/oidc/providers';

/** Log-in, with the code of an authenticator app if required, and log-out. */
export const logInPages: PanelRoute[] = [
  publicRoute('GET', '/log-in', (context) =>
    context.user
      ? seeOther(nextOf(context))
      : (knowBrowser(context) ?? askPassword(context, new FormState())),
  ),
  publicRoute('POST', '/log-in', logIn),
  publicRoute('POST', '/log-in/language', (context) =>
    inChosenLanguage(context, besideLogIn('/panel/log-in', context)),
  ),
  publicRoute('GET', '/log-in/code', (context) => askCode(context, new FormState())),
  publicRoute('POST', '/log-in/code', takeCode),
  actionRoute(
    'own',
    '/log-out',
    async ({ deps, session }) => {
      await deps.store.sessions.remove(session.row.hash);
      const provider = await providerByIssuer(deps, session.row.issuer);
      return seeOtherAs(null, `/panel/log-in${provider ? `?out=${provider.key}` : ''}`);
    },
    { isWithoutApp: true },
  ),
];

/**
 * Asks for a log-in instead of running the form of an expired session, and keeps the form.
 * @param from the page of the form
 */
export function logInAgain(context: RequestContext, from: string): Promise<PanelResponse> {
  const { ended, query } = context;
  query.set('next', from);
  return askPassword(withKept(context, ended && packForm(context, ended.userId)), new FormState());
}

/** The context of a log-in form that keeps another form. */
export function withKept(context: RequestContext, packed: string | null): RequestContext {
  const form = new FormData();
  if (packed !== null) form.set(KEPT, sealForm(context.deps.vault, packed));
  return { ...context, form };
}

const Kept = ({ form }: RequestContext): VNode | null => {
  const kept = form.get(KEPT);
  return typeof kept === 'string' ? <input type="hidden" name={KEPT} value={kept} /> : null;
};

/** Decrypts the form that was kept for this user; null if there is none, or if it is another user's. */
function keptFor({ deps, form }: RequestContext, userId: number): KeptForm | null {
  const packed = openForm(deps.vault, form.get(KEPT));
  return packed === null ? null : unpackForm(packed, userId);
}

/** Explains why the session ended. */
const endWords = (end: EndedSession['end']): string =>
  end === 'idle'
    ? t('You were logged out after 30 minutes without activity.')
    : t('You were logged out after 12 hours, like every user.');

/** The page to open after the log-in. Only panel pages are accepted, against open redirects. */
export function nextOf({ query }: RequestContext): string {
  const next = query.get('next') ?? '';
  return /^\/panel(?:[/?][\w\-./~%?&=+:@,]*)?$/.test(next) && !next.startsWith('/panel/log-in')
    ? next
    : '/panel';
}

/**
 * Handles the link of `user unlock`: the browser gets its own count of failed log-ins, whatever others guess.
 */
function knowBrowser({ deps, query, from }: RequestContext): PanelResponse | null {
  const link = query.get('known');
  if (link === null) return null;
  const known = openKnownLink(deps.vault, link, from.known, deps.clock);
  return { ...seeOther('/panel/log-in'), ...(known !== null && { known }) };
}

async function askPassword(context: RequestContext, state: FormState): Promise<PanelResponse> {
  if (!(await context.deps.store.users.any())) return nobodyYet();
  const next = context.query.get('next');
  const providers = await allProviders(context.deps);
  const packed = openForm(context.deps.vault, context.form.get(KEPT));
  const isKept = packed !== null && fitsInCookie(packed, nextOf(context));
  return page(
    null,
    <Narrow title={t('Log in')}>
      {state.isValid && (next || context.ended) && (
        <p class="quiet">
          {context.ended && endWords(context.ended.end)}{' '}
          {context.form.has(KEPT)
            ? t('Log in to continue. Your form is kept.')
            : next && t('Log in to open the page.')}
        </p>
      )}
      <LoggedOut of={providers.find(({ key }) => key === context.query.get('out'))} />
      {context.deps.passwordLogIn === 'owners' && providers.length > 0 && (
        <p class="quiet">{t('Only owners can log in with a password.')}</p>
      )}
      <Form action={besideLogIn('/panel/log-in', context)} state={state}>
        <Kept {...context} />
        <TextField name="name" label={t('Name')} autocomplete="username" autofocus />
        <SecretField name="password" label={t('Password')} autocomplete="current-password" />
        <Submit>{t('Log in')}</Submit>
      </Form>
      {providers.length > 0 && packed !== null && !isKept && (
        <p class="quiet">
          {t('Your form can’t be kept if you log in at a provider. Submit it again afterwards.')}
        </p>
      )}
      <ProviderButtons
        providers={providers}
        {...(next && { query: { next: nextOf(context) } })}
        {...(isKept && { fields: { [KEPT]: sealForm(context.deps.vault, packed) } })}
      />
      {!context.form.has(KEPT) && <Languages action={besideLogIn('/panel/log-in/language', context)} />}
    </Narrow>,
    state,
  );
}

/**
 * Chooses the language of this browser before a log-in. The profile has the choice afterwards.
 * @param action the path of the form
 */
export const Languages = ({ action }: { action: string }): VNode => (
  <Form action={action} class="languages">
    {LANGUAGES.map((one) => (
      <button
        key={one}
        class={one === languageNow() ? 'button plain small' : 'button quiet small'}
        name="language"
        value={one}
        lang={WRITTEN[one].tag}
        aria-pressed={one === languageNow()}
      >
        {WRITTEN[one].name}
      </button>
    ))}
  </Form>
);

/** Redirects in the chosen language. */
export function inChosenLanguage({ form, look }: RequestContext, address: string): PanelResponse {
  const language = knownLanguage(String(form.get('language')));
  return { ...seeOther(address), look: { ...look, ...(language && { language }) } };
}

/** Keeps the `next` page in the query. */
export const besideLogIn = (path: string, context: RequestContext): string => {
  const next = nextOf(context);
  return next === '/panel' ? path : `${path}?next=${encodeURIComponent(next)}`;
};

const nobodyYet = (): PanelResponse =>
  page(
    null,
    <Narrow title={t('Set up the control panel')}>
      <p>{t('There is no user yet. Open the link that the gateway printed when it started.')}</p>
      <p class="quiet">
        {t(
          'A link works once, for one day. To get another one, restart the gateway, or add a user on the machine itself:',
        )}
      </p>
      <pre class="code" tabIndex={0} role="region" aria-label={t('Command that adds a user')}>
        messaging-gateway user add NAME
      </pre>
    </Narrow>,
  );

async function logIn(context: RequestContext): Promise<PanelResponse> {
  const { deps, form, from } = context;
  const state = new FormState(form);
  const name = state.required('name', t('Enter your name.'));
  const password = state.exact('password');
  state.addIssue('password', password ? null : t('Enter your password.'));
  if (!state.isValid) return askPassword(context, state);
  const user = await checkPassword(deps, name, password, from).catch((error: unknown) =>
    state.refuse(WHOLE, error),
  );
  if (!user) {
    state.addIssue(WHOLE, t('Name or password is wrong. Try again, or ask an owner to reset your password.'));
    return askPassword(context, state);
  }
  const key = await beginSession(deps, user, from, user.totp_sealed !== null);
  return user.totp_sealed === null ? enter(context, user, key) : askCodeNext(context, user, key);
}

/** Asks for the code of the authenticator app, in the new session. */
export const askCodeNext = (context: RequestContext, user: UserRow, key: string): PanelResponse =>
  keptFor(context, user.id)
    ? { ...showCode(context, new FormState()), cookie: key }
    : seeOtherAs(key, besideLogIn('/panel/log-in/code', context));

function askCode(context: RequestContext, state: FormState): PanelResponse {
  if (!context.session || context.user) return seeOther('/panel/log-in');
  return showCode(context, state);
}

function showCode(context: RequestContext, state: FormState): PageResponse {
  return page(
    null,
    <Narrow title={t('Enter your code')} tab={t('Code')}>
      <p class="quiet">
        {t('Open your authenticator app and type the code that it shows for Messaging Gateway.')}
      </p>
      <Form action={besideLogIn('/panel/log-in/code', context)} state={state}>
        <Kept {...context} />
        <TextField
          name="code"
          label={t('Code')}
          hint={t('Six digits. Without your phone, type one of your recovery codes.')}
          autocomplete="one-time-code"
          maxLength={30}
          autofocus
        />
        <Submit>{t('Log in')}</Submit>
      </Form>
      <p>
        <a href="/panel/log-in">{t('Log in as another user')}</a>
      </p>
    </Narrow>,
    state,
  );
}

async function takeCode(context: RequestContext): Promise<PanelResponse> {
  const { deps, session, form, from } = context;
  if (!session || context.user) return seeOther('/panel/log-in');
  const state = new FormState(form);
  const code = state.required('code', t('Enter the code.'));
  if (!state.isValid) return askCode(context, state);
  const kind = await checkCode(deps, session.user, code, from).catch((error: unknown) =>
    state.refuse('code', error),
  );
  if (!kind) {
    state.addIssue('code', t('The code is wrong or was used before. Enter the code that the app shows now.'));
    return askCode(context, state);
  }
  await deps.store.sessions.remove(session.row.hash);
  const person = personIn(session.row);
  const key = await beginSession(deps, session.user, from, false, person);
  return enter(context, session.user, key, { with: kind, ...(person && { issuer: person.issuer }) });
}

/** Completes a log-in, with an audit entry. */
export async function enter(
  context: RequestContext,
  user: UserRow,
  key: string,
  details: Record<string, string> = {},
): Promise<PanelResponse> {
  const actor = { who: user.name, through: 'panel', address: context.from.address } as const;
  await audited(context.deps, actor, { action: 'session.begun', details }, async () => {});
  const isBreakGlass = context.deps.passwordLogIn === 'owners' && !('issuer' in details);
  context.deps.logInWatch.entered(isBreakGlass ? 'owner_password' : 'in');
  if (context.session) await endOther(context, context.session);
  const kept = keptFor(context, user.id);
  const known = sealKnownBrowser(context.deps.vault, context.from.known, user.name);
  return {
    ...(kept ? { ...offerKept(kept, nextOf(context)), cookie: key } : seeOtherAs(key, nextOf(context))),
    known,
  };
}

/** Ends the browser's previous session. */
const endOther = ({ deps }: RequestContext, { row }: Session): Promise<void> =>
  deps.store.sessions.remove(row.hash);
