import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import Provider from 'oidc-provider';

export const CLIENT_ID = 'gateway';
export const CLIENT_SECRET = 'a client secret of the tests';

/** A person at the provider, with the claims of the ID token. */
export interface TestPerson {
  sub: string;
  [claim: string]: unknown;
}

/** A real OpenID Connect provider, which logs in `person` without asking. */
export interface TestProvider {
  issuer: string;
  person: TestPerson;
  /** How the person logs in: the claim `amr`. */
  amr: string[];
  /** Replaces an answer of the token endpoint; null: as it is. */
  tamper: ((answer: Record<string, unknown>) => Promise<object> | object) | null;
  /** Answers every request with this status instead; null: as usual. */
  failsWith: number | null;
  /** Answers of paths, instead of the usual ones. */
  instead: Map<string, string>;
  /** The paths of all requests. */
  asked: string[];
  /** Signs a token with the provider's current key. */
  sign(claims: Record<string, unknown>, more?: { key?: KeyObject; typ?: string }): Promise<string>;
  /** Replaces the key. Needs `open` again. */
  rotateKey(): void;
  /** Starts the provider for a gateway at this URL. */
  open(gatewayUrl: string, path?: string): void;
  close(): Promise<void>;
}

const newKey = () => ({ ...generateKeyPairSync('rsa', { modulusLength: 2048 }), kid: randomUUID() });
export const foreignKey = (): KeyObject => newKey().privateKey;

export async function startProvider(): Promise<TestProvider> {
  let key = newKey();
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = (_request, response) =>
    response.writeHead(503).end();
  const server = createServer((request, response) => {
    one.asked.push(request.url ?? '');
    if (one.failsWith !== null) return void response.writeHead(one.failsWith).end();
    const instead = one.instead.get(request.url ?? '');
    if (instead !== undefined)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(instead);
    if (one.tamper && request.url === '/token') replaceAnswer(response, one.tamper);
    return void handle(request, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const one: TestProvider = {
    issuer,
    person: { sub: 'person-1' },
    amr: ['pwd'],
    tamper: null,
    failsWith: null,
    instead: new Map(),
    asked: [],
    sign: (claims, { key: other, typ } = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...(typ && { typ }) })
        .sign(other ?? key.privateKey),
    rotateKey: () => void (key = newKey()),
    open(gatewayUrl, path = 'company') {
      const base = `${gatewayUrl}/panel/log-in/with/${path}`;
      const provider = providerFor(one, base, { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid });
      handle = async (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return provider.callback()(request, response);
        await provider.interactionDetails(request, response);
        const login = { accountId: one.person.sub, amr: one.amr, remember: true };
        return provider.interactionFinished(request, response, { login });
      };
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return one;
}

function providerFor(one: TestProvider, base: string, jwk: object): Provider {
  const claims = ['email', 'email_verified', 'groups', 'preferred_username'];
  const provider: Provider = new Provider(
    one.issuer,
    foreign({
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [`${base}/answer`],
          post_logout_redirect_uris: [`${new URL(base).origin}/panel/log-in`],
          backchannel_logout_uri: `${base}/back-channel-log-out`,
          backchannel_logout_session_required: true,
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [jwk] },
      cookies: { keys: ['a key of the tests'] },
      claims: { openid: ['sub', 'amr', ...claims] },
      conformIdTokenClaims: false,
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: { enabled: true },
      },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ ...one.person, sub }),
      }),
      async loadExistingGrant({
        oidc,
      }: {
        oidc: { client: { clientId: string }; session: { accountId: string } };
      }) {
        const grant = new provider.Grant({
          clientId: oidc.client.clientId,
          accountId: oidc.session.accountId,
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    }) as object,
  );
  return provider;
}

/** Lets the provider answer, and sends something else. */
function replaceAnswer(response: ServerResponse, tamper: NonNullable<TestProvider['tamper']>): void {
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  response.end = ((body?: unknown) => {
    const answer = JSON.parse(String(body ?? '{}')) as Record<string, unknown>;
    void Promise.resolve(tamper(answer)).then((other) => {
      const text = JSON.stringify(other);
      response.setHeader('content-length', Buffer.byteLength(text));
      end(text);
    });
    return response;
  }) as ServerResponse['end'];
}

/** Copies objects to those of Node: the library takes no object of jest's own world for a plain one. */
function foreign(value: unknown): unknown {
  const make = Provider.constructor as FunctionConstructor;
  if (Array.isArray(value))
    return (make('...values', 'return values') as (...values: unknown[]) => unknown)(...value.map(foreign));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, foreign(one)] as const);
  return Object.assign(make('return {}')() as object, Object.fromEntries(entries));
}
