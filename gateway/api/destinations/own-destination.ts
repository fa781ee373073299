import { type FastifyRequest } from 'fastify';
import { destinationNotFound } from '../../errors';
import { type Destination } from '../../forwarding/destination';
import { type ApiDeps } from '../operation';

/**
 * The destination in the path, if it belongs to the request's line. Tokens can change what tokens registered;
 * operators set the forwarding URL.
 * @throws Refusal
 */
export function ownDestination(
  { destinations }: Pick<ApiDeps, 'destinations'>,
  request: FastifyRequest,
): Destination {
  const { id } = request.params as { id: string };
  const destination = /^\d{1,9}$/.test(id) ? destinations.byId(Number(id)) : null;
  if (destination?.lineId !== request.line.id || destination.origin !== 'token') throw destinationNotFound();
  return destination;
}
