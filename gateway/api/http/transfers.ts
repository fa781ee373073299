import { type FastifyReply, type FastifyRequest } from 'fastify';
import { tooManyTransfers } from '../../errors';

/** Uploads and downloads that one line may have at the same time: each holds two connections for as long as it takes. */
export const MOST_TRANSFERS = 20;
/** In seconds: when one may have ended. */
export const TRANSFER_RETRY = 5;

/**
 * Right after the token of an upload or a download: how many of them the line has under way, in this process. One
 * counts until its answer has ended, whoever ended it.
 */
export function boundTransfers() {
  const underWay = new Map<number, number>();
  return async ({ line }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const count = underWay.get(line.id) ?? 0;
    if (count >= MOST_TRANSFERS) throw tooManyTransfers(MOST_TRANSFERS, TRANSFER_RETRY);
    underWay.set(line.id, count + 1);
    reply.raw.once('close', () => {
      const left = (underWay.get(line.id) ?? 1) - 1;
      if (left > 0) underWay.set(line.id, left);
      else underWay.delete(line.id);
    });
  };
}
