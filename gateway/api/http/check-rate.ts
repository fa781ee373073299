import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Allowance } from '../../rate-limit';

/**
 * Right after the token: how much of this its line may do. Every answer from here on tells what is left of it.
 * @param take counts a request of the line; null where it is not limited
 */
export const checkRate =
  (take: (lineId: number) => Promise<Allowance | null>) =>
  async ({ line }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const allowance = await take(line.id);
    if (!allowance) return;
    reply.headers({
      'x-ratelimit-limit': allowance.limit,
      'x-ratelimit-remaining': allowance.remaining,
      'x-ratelimit-reset': allowance.fullIn,
    });
    if (allowance.refused) throw allowance.refused;
  };
