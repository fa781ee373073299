import { type FastifyRequest } from 'fastify';
import { callerAddress } from '../../http/caller-address';
import { type Actor } from '../../store/tables/audit';

/** The token of the request, as the actor in audit entries. `token list` shows its id. */
export const actorOf = (request: FastifyRequest): Actor => ({
  who: `token ${request.token.id} (…${request.token.lastFour}) of ${request.line.name}`,
  through: 'api',
  address: callerAddress(request),
});
