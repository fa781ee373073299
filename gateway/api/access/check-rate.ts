import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Allowance } from '../../primitives/rate-limit';

/** Counts a request of a line, with an additional amount for its size; null if there is no limit. */
export type Take = (lineId: number, more?: number) => Promise<Allowance | null>;

/**
 * The check after authentication: the rate limit. Every response from here on reports the remaining amount.
 * @param take counts the request of its line or token
 */
export const checkRate =
  (take: (request: FastifyRequest) => Promise<Allowance | null>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    check(await take(request), reply);

/** @throws Refusal if the line has reached its limit */
export const charge = async (take: Take, lineId: number, reply: FastifyReply, more?: number): Promise<void> =>
  check(await take(lineId, more), reply);

function check(allowance: Allowance | null, reply: FastifyReply): void {
  if (!allowance) return;
  tellAllowance(reply, allowance);
  if (allowance.refused) throw allowance.refused;
}

function tellAllowance(reply: FastifyReply, { limit, remaining, fullIn }: Allowance): void {
  reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': fullIn,
  });
}
