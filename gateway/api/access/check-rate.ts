import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Allowance } from '../../primitives/rate-limit';

/** Counts a request of a line, or more for its size; null if there is no limit. */
export type Take = (lineId: number, more?: number) => Promise<Allowance | null>;

/** Right after the token: the limit of its line. Every answer from here on says how much of it is left. */
export const checkRate =
  (take: Take) =>
  ({ line }: FastifyRequest, reply: FastifyReply): Promise<void> =>
    charge(take, line.id, reply);

/** @throws Refusal if the line may not do as much */
export async function charge(take: Take, lineId: number, reply: FastifyReply, more?: number): Promise<void> {
  const allowance = await take(lineId, more);
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
