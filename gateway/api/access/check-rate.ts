import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Allowance } from '../../primitives/rate-limit';

/** Counts so many requests of a line; null where they are not limited. */
export type Take = (lineId: number, count?: number) => Promise<Allowance | null>;

/** Right after the token: how much of this its line may do. Every answer from here on tells what is left of it. */
export const checkRate =
  (take: Take) =>
  ({ line }: FastifyRequest, reply: FastifyReply): Promise<void> =>
    charge(take, line.id, 1, reply);

/** @throws Refusal where the line may not do as much */
export async function charge(take: Take, lineId: number, count: number, reply: FastifyReply): Promise<void> {
  const allowance = await take(lineId, count);
  if (!allowance) return;
  tellAllowance(reply, allowance);
  if (allowance.refused) throw allowance.refused;
}

export function tellAllowance(reply: FastifyReply, { limit, remaining, fullIn }: Allowance): void {
  reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': fullIn,
  });
}
