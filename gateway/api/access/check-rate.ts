import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Allowance } from '../../primitives/rate-limit';

/**
 * Right after the token: how much of this its line may do. Every answer from here on tells what is left of it.
 * @param take counts a request of the line; null where it is not limited
 */
export const checkRate =
  (take: (lineId: number) => Promise<Allowance | null>) =>
  async ({ line }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const allowance = await take(line.id);
    if (!allowance) return;
    tellAllowance(reply, allowance);
    if (allowance.refused) throw allowance.refused;
  };

export function tellAllowance(reply: FastifyReply, { limit, remaining, fullIn }: Allowance): void {
  reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': fullIn,
  });
}
