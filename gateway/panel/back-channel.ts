import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Refusal } from '../errors';
import { callerAddress } from '../http/caller-address';
import { logOutByProvider } from '../users/oidc/oidc';
import { providerByKey } from '../users/oidc/providers';
import { type PanelDeps } from './dependencies';

/** In bytes; a log-out token has about one kilobyte. */
const TOKEN_LIMIT = 16 * 1024;

/**
 * Serves back-channel log-out, which OpenID Connect providers call: no browser is involved, so there is no session, no
 * origin and no form token. The signed token alone counts.
 */
export function serveBackChannel(app: FastifyInstance, deps: PanelDeps): void {
  app.route({
    method: 'POST',
    url: '/panel/log-in/with/:key/back-channel-log-out',
    bodyLimit: TOKEN_LIMIT,
    handler: async (request, reply) => {
      const { key = '' } = request.params as Record<string, string>;
      const provider = await providerByKey(deps, key);
      const token = tokenIn(request);
      const isDone =
        provider !== null &&
        token !== null &&
        (await logOutByProvider(deps, provider, token, callerAddress(request)).catch((error: unknown) => {
          if (error instanceof Refusal) return false;
          throw error;
        }));
      // The same answer for every failure: a caller learns nothing.
      return isDone
        ? reply.code(200).send()
        : reply
            .code(400)
            .type('application/json')
            .send(JSON.stringify({ error: 'invalid_request' }));
    },
  });
}

function tokenIn({ body, headers }: FastifyRequest): string | null {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
  if (!isForm || !Buffer.isBuffer(body)) return null;
  return new URLSearchParams(body.toString()).get('logout_token');
}
