import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Allowance } from '../../primitives/rate-limit';

/** Counts a request of a line, with an additional amount for its size; null if there is no limit. */
export type Take = (lineId: number, more?: number) => Promise<Allowance | null>;

/**
 * The check after authentication: the line's rate limit. Every response from here on reports the remaining amount.
 */
export const checkRate =
  (take: Take) =>
  ({ line }: FastifyRequest, reply: FastifyReply): Promise<void> =>
    charge(take, line.id, reply);

/** @throws Refusal if the line has reached its limit */
export async function charge(take: Take, lineId: number, reply: FastifyReply, more?: number): Promise<void> {
  const allowance = await take(lineId, more);
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
