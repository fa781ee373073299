import { type FastifyRequest } from 'fastify';
import { type AdminToken } from '../../admin-tokens/admin-token';
import { callerAddress } from '../../http/caller-address';
import { type Actor } from '../../store/tables/audit';
import { type ApiToken } from './authenticate-line';

/** The token of a request about a line, as the actor in audit entries. */
export const actorOf = (request: FastifyRequest): Actor => ({
  who: whoOf(request.token, request.line.name),
  through: 'api',
  address: callerAddress(request),
});

/** A token in the audit. The lists of tokens show its id. */
const whoOf = (token: ApiToken, line: string): string =>
  token.kind === 'admin' ? whoOfAdminToken(token) : `token ${token.id} (…${token.lastFour}) of ${line}`;

export const whoOfAdminToken = ({ id, lastFour }: Pick<AdminToken, 'id' | 'lastFour'>): string =>
  `admin token ${id} (…${lastFour})`;
