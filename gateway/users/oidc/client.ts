import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTVerifyOptions } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  clockSkew,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  ResponseBodyError,
  type ClientMetadata,
  type CustomFetch,
} from 'openid-client';
import { AddressRefused, type DestinationRules } from '../../http/destination-address';
import { type HttpClient } from '../../http/http-client';
import { SECOND, type Clock } from '../../time';
import { type Provider } from './provider-input';

/**
 * All requests to OpenID Connect providers. Loaded on demand (`oidc.ts`), because most processes never make one.
 */

export interface ClientDeps {
  /** The client for providers, which applies `rules` to each connection. */
  providerHttp: Pick<HttpClient, 'exchange'>;
  rules: DestinationRules;
  clock: Clock;
}

/** For each request. */
const TIMEOUT = 10 * SECOND;

/** The provider could not be reached, or its answers are not those of a provider. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable';
}

/** The provider's answer to a log-in or log-out was refused. The message is the reason, without values. */
export class AnswerRefused extends Error {
  override name = 'AnswerRefused';
}

/** Secrets of one log-in, which its answer must match. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
  redirectUrl: string;
}

/** The claims of a verified ID token. */
export type Claims = Record<string, unknown> & { iss: string; sub: string };

/** Sends requests of the library through the gateway's client. Failures are kept, because the library wraps them. */
function fetchThrough({ providerHttp, rules }: ClientDeps, failures: unknown[]): CustomFetch {
  return async (url, { method, headers, body }) => {
    try {
      const fault = rules.refuseUrl(new URL(url));
      if (fault) throw new AddressRefused(fault, url);
      const answer = await providerHttp.exchange({
        url,
        method: method as 'GET' | 'POST',
        headers,
        body: body === null || body === undefined ? null : String(body as URLSearchParams | string),
        timeout: TIMEOUT,
      });
      if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`);
      return new Response(answer.data.length ? new Uint8Array(answer.data) : null, {
        status: answer.status,
        headers: { 'content-type': String(answer.headers['content-type'] ?? '') },
      });
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
}

/** A provider with its metadata, read anew for each use: log-ins are rare, and keys and settings change. */
interface Opened {
  config: Configuration;
  failures: unknown[];
  fetch: CustomFetch;
}

/** @throws ProviderUnavailable */
async function open(deps: ClientDeps, { issuer, clientId, clientSecret }: Provider): Promise<Opened> {
  const failures: unknown[] = [];
  const fetch = fetchThrough(deps, failures);
  const url = new URL(issuer);
  const isPlain = url.protocol === 'http:';
  const client: Partial<ClientMetadata> = {
    // Tokens are checked by the clock of the gateway.
    [clockSkew]: Math.round((deps.clock() - Date.now()) / SECOND),
  };
  try {
    const found = await discovery(url, clientId, client, ClientSecretPost(clientSecret), {
      algorithm: 'oidc',
      [customFetch]: fetch,
      ...(isPlain && { execute: [allowInsecureRequests] }),
    });
    const server = found.serverMetadata();
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = methods.includes('client_secret_post')
      ? ClientSecretPost(clientSecret)
      : ClientSecretBasic(clientSecret);
    const config = new Configuration(server, clientId, client, authentication);
    config[customFetch] = fetch;
    // Without it, the library doesn't check the signature of an ID token from the token endpoint.
    enableNonRepudiationChecks(config);
    if (isPlain) allowInsecureRequests(config);
    return { config, failures, fetch };
  } catch (error) {
    throw new ProviderUnavailable(reasonOf(failures, error));
  }
}

/** The library's messages contain no values; what it was given is in `cause`, which is left out. */
function reasonOf(failures: unknown[], error: unknown): string {
  const [failure] = failures;
  const { message } = (failure ?? error) as Error;
  return String(message).slice(0, 300);
}

/** Reads the provider's metadata. @throws ProviderUnavailable */
export async function readMetadata(deps: ClientDeps, provider: Provider) {
  return (await open(deps, provider)).config.serverMetadata();
}

/**
 * The URL at the provider where a person logs in.
 * @param isFresh whether the person must log in again, although logged in there
 * @throws ProviderUnavailable
 */
export async function logInUrl(
  deps: ClientDeps,
  provider: Provider,
  { state, nonce, verifier, redirectUrl }: Checks,
  isFresh: boolean,
): Promise<string> {
  const { config } = await open(deps, provider);
  if (!config.serverMetadata().authorization_endpoint)
    throw new ProviderUnavailable('The metadata of the provider has no authorization_endpoint');
  return buildAuthorizationUrl(config, {
    redirect_uri: redirectUrl,
    scope: provider.scopes,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(isFresh && { prompt: 'login', max_age: '0' }),
  }).href;
}

/**
 * Redeems the code of a provider's answer.
 * @param query of the redirect
 * @returns the claims of the ID token, whose signature, issuer, audience, expiry and nonce were checked
 * @throws ProviderUnavailable or AnswerRefused
 */
export async function redeem(
  deps: ClientDeps,
  provider: Provider,
  { state, nonce, verifier, redirectUrl }: Checks,
  query: URLSearchParams,
): Promise<Claims> {
  const { config, failures } = await open(deps, provider);
  const url = new URL(redirectUrl);
  url.search = query.toString();
  try {
    const tokens = await authorizationCodeGrant(config, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new AnswerRefused('no ID token');
    return claims;
  } catch (error) {
    if (failures.length) throw new ProviderUnavailable(reasonOf(failures, error));
    // Written by the provider, or by whoever made the link.
    const isCoded = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError;
    const code = isCoded ? error.error.replace(/\W/g, '').slice(0, 40) : null;
    throw new AnswerRefused(code ?? reasonOf([], error));
  }
}

/** Where a person also logs out of the provider; null if it has no such page. @throws ProviderUnavailable */
export async function logOutUrl(deps: ClientDeps, provider: Provider, back: string): Promise<string | null> {
  const { config } = await open(deps, provider);
  if (!config.serverMetadata().end_session_endpoint) return null;
  return buildEndSessionUrl(config, { post_logout_redirect_uri: back }).href;
}

const LOG_OUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const SIGNATURES = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`));
/** A log-out token without an expiry counts for this long. */
const LOG_OUT_AGE = '10 minutes';

/** A verified log-out token. One of `subject` and `session` is set. */
export interface LoggedOut {
  subject: string | null;
  session: string | null;
  /** Unique per token and issuer. */
  id: string;
}

async function verified(token: string, keys: JSONWebKeySet, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, createLocalJWKSet(keys), options);
  } catch (error) {
    throw new AnswerRefused(reasonOf([], error));
  }
}

/** Verifies a token of back-channel log-out. @throws ProviderUnavailable or AnswerRefused */
export async function readLogOut(deps: ClientDeps, provider: Provider, token: string): Promise<LoggedOut> {
  const { config, failures, fetch } = await open(deps, provider);
  const { jwks_uri: keysUrl, issuer } = config.serverMetadata();
  const keys = await fetch(keysUrl ?? '', { method: 'GET', headers: {}, body: null, redirect: 'manual' })
    .then((answer) => answer.json() as Promise<JSONWebKeySet>)
    .catch((error: unknown) => {
      throw new ProviderUnavailable(reasonOf(failures, error));
    });
  const { payload } = await verified(token, keys, {
    issuer,
    audience: provider.clientId,
    algorithms: [...SIGNATURES, 'EdDSA', 'Ed25519'],
    currentDate: new Date(deps.clock()),
    maxTokenAge: LOG_OUT_AGE,
    clockTolerance: '30 seconds',
    requiredClaims: ['jti', 'events'],
  });
  const { sub: subject = null, sid = null, jti, events, nonce } = payload;
  const isOfEvent = typeof events === 'object' && events !== null && LOG_OUT_EVENT in events;
  // An ID token must not pass for a log-out token.
  if (!isOfEvent || nonce !== undefined || typeof jti !== 'string')
    throw new AnswerRefused('no log-out token');
  if (subject === null && typeof sid !== 'string') throw new AnswerRefused('neither sub nor sid');
  return { subject, session: typeof sid === 'string' ? sid : null, id: jti };
}
