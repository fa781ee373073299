import { hasAuthenticatedSince, beginAtProvider, endAtProvider, logOutUrlOf } from '../../../users/oidc/oidc';
import { type Attempt, type Purpose } from '../../../users/oidc/attempts';
import { acceptAsPerson, hasTrustedMethod, userOfPerson, type Person } from '../../../users/oidc/identify';
import { linkIdentity, unlinkIdentity } from '../../../users/oidc/link-identity';
import { providerByKey, type KnownProvider } from '../../../users/oidc/providers';
import { beginSession } from '../../../users/sessions';
import { isoTime } from '../../../time';
import { seeOther, type PanelResponse } from '../../outcome';
import { actionRoute, publicRoute, type PanelRoute } from '../../panel-route';
import { type RequestContext, type UserContext } from '../../request-context';
import { pageNotFound } from '../../ui/frame/error-page';
import { t } from '../../languages/t';
import { fitsInCookie, KEPT, offerKept, openForm, unpackForm } from '../kept-form';
import { askCodeNext, enter, nextOf, withKept } from '../log-in';
import { goToProvider, redirectUrlOf } from './provider-buttons';

/** Log-in at an OpenID Connect provider, and what else a person confirms there. */
export const oidcPages: PanelRoute[] = [
  publicRoute('GET', '/log-in/with/:key', begin),
  publicRoute('POST', '/log-in/with/:key', beginWithForm),
  publicRoute('GET', '/log-in/with/:key/answer', end),
  publicRoute('GET', '/log-in/with/:key/log-out', logOut),
  actionRoute('own', '/log-in/with/:key/confirm', confirm, { isWithoutApp: true }),
  actionRoute('own', '/profile/link/:key', link, { confirmed: () => t('To link an account') }),
  actionRoute('own', '/profile/unlink/:key', unlink, { confirmed: () => t('To remove a linked account') }),
];

async function providerOf({ deps, params }: RequestContext): Promise<KnownProvider> {
  const provider = await providerByKey(deps, params.key ?? '');
  if (!provider) throw pageNotFound();
  return provider;
}

/** The longest address of a page that is opened after the log-in. It travels in a cookie. */
const LONGEST_NEXT = 1000;

const shortNext = (context: RequestContext): string => {
  const next = nextOf(context);
  return next.length > LONGEST_NEXT ? '/panel' : next;
};

async function begin(context: RequestContext): Promise<PanelResponse> {
  const next = shortNext(context);
  if (context.user) return seeOther(next);
  const purpose = { kind: 'log-in', next, form: null } as const;
  const { url, attempt } = await begun(context, await providerOf(context), purpose);
  return { ...seeOther(url), attempt };
}

/** Begins a log-in that accepts an invitation, or after which a kept form is offered. */
async function beginWithForm(context: RequestContext): Promise<PanelResponse> {
  const { deps, form, user } = context;
  const next = shortNext(context);
  if (user) return seeOther(next);
  const key = form.get('invitation');
  const packed = openForm(deps.vault, form.get(KEPT));
  const kept = packed !== null && fitsInCookie(packed, next) ? packed : null;
  const purpose: Purpose =
    typeof key === 'string'
      ? { kind: 'invitation', key: key.slice(0, LONGEST_NEXT) }
      : { kind: 'log-in', next, form: kept };
  const provider = await providerOf(context);
  return goToProvider(provider.label, await begun(context, provider, purpose));
}

const begun = (context: RequestContext, provider: KnownProvider, purpose: Purpose) =>
  beginAtProvider(context.deps, provider, redirectUrlOf(context, provider.key), purpose, context.from);

/** The provider's answer. */
async function end(context: RequestContext): Promise<PanelResponse> {
  const { deps, query, from } = context;
  const provider = await providerOf(context);
  const { person, attempt } = await endAtProvider(deps, provider, context.attempt, query, from);
  const { purpose } = attempt;
  if (purpose.kind === 'link' || purpose.kind === 'confirm')
    return { ...(await forUser(context, provider, person, { ...attempt, purpose })), attempt: null };
  if (purpose.kind === 'invitation') await acceptAsPerson(deps, provider, person, purpose.key, from.address);
  const { next, form } = purpose.kind === 'log-in' ? purpose : { next: '/panel', form: null };
  const inside = { ...withKept(context, form), query: new URLSearchParams({ next }) };
  return { ...(await logIn(inside, provider, person)), attempt: null };
}

async function logIn(
  context: RequestContext,
  provider: KnownProvider,
  person: Person,
): Promise<PanelResponse> {
  const { deps, from } = context;
  const user = await userOfPerson(deps, provider, person, from.address);
  const hasSecondFactor = hasTrustedMethod(provider, person);
  const awaitsCode = user.totp_sealed !== null && !hasSecondFactor;
  const key = await beginSession(deps, user, from, awaitsCode, { ...person, hasSecondFactor });
  return awaitsCode
    ? askCodeNext(context, user, key)
    : enter(context, user, key, { issuer: provider.issuer });
}

/** The answer for a logged-in user: the session must be the one that asked. */
async function forUser(
  context: RequestContext,
  provider: KnownProvider,
  person: Person,
  attempt: Attempt & { purpose: Extract<Purpose, { session: string }> },
): Promise<PanelResponse> {
  const { deps, session, user } = context;
  const { purpose } = attempt;
  if (!session || !user || session.row.hash !== purpose.session) return seeOther('/panel/log-in');
  if (purpose.kind === 'link') {
    const actor = { who: user.name, through: 'panel', address: context.from.address } as const;
    await linkIdentity(deps, actor, user, provider, person);
    return seeOther('/panel/profile', t('{provider} is linked to you.', { provider: provider.label }));
  }
  const isSame = session.row.issuer === person.issuer && session.row.subject === person.subject;
  if (!isSame || !hasAuthenticatedSince(attempt, person))
    return seeOther(
      purpose.next,
      t('{provider} did not confirm that you logged in again. Nothing was changed.', {
        provider: provider.label,
      }),
      'bad',
    );
  await deps.store.sessions.update(session.row.hash, { confirmed_at: isoTime(deps.clock()) });
  const kept = purpose.form === null ? null : unpackForm(purpose.form, user.id);
  if (kept) return offerKept(kept, purpose.next);
  return seeOther(purpose.next, t('You are confirmed. Submit the form again.'));
}

async function confirm(context: UserContext): Promise<PanelResponse> {
  const { deps, form, session } = context;
  const provider = await providerOf(context);
  const purpose = {
    kind: 'confirm',
    session: session.row.hash,
    next: nextOf(context),
    form: openForm(deps.vault, form.get(KEPT)),
  } as const;
  return goToProvider(provider.label, await begun(context, provider, purpose));
}

async function link(context: UserContext): Promise<PanelResponse> {
  const provider = await providerOf(context);
  const purpose = { kind: 'link', session: context.session.row.hash } as const;
  return goToProvider(provider.label, await begun(context, provider, purpose));
}

async function unlink(context: UserContext): Promise<PanelResponse> {
  const provider = await providerOf(context);
  await unlinkIdentity(context.deps, context.actor, context.user, provider);
  return seeOther(
    '/panel/profile',
    t('{provider} is no longer linked to you.', { provider: provider.label }),
  );
}

async function logOut(context: RequestContext): Promise<PanelResponse> {
  const provider = await providerOf(context);
  return seeOther(
    (await logOutUrlOf(context.deps, provider, `${context.gatewayUrl}/panel/log-in`)) ?? '/panel/log-in',
  );
}
