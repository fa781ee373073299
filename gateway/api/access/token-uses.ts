import { type FastifyRequest } from 'fastify';
import { callerAddress } from '../../http/caller-address';
import { type Store } from '../../store/store';
import { type TokenUse } from '../../store/tables/tokens';
import { isoTime, type Clock } from '../../time';
import { type MarkAdminUsed } from '../v1/authenticate';
import { type MarkUsed } from './authenticate-line';

const LONGEST_CLIENT = 200;

export type TokenUses = ReturnType<typeof tokenUses>;

/**
 * Collects when and by which clients tokens are used, and stores the first use of each token since the last write.
 */
export function tokenUses({ store, clock }: { store: Pick<Store, 'tokens' | 'adminTokens'>; clock: Clock }) {
  function usesOf(table: { markUsed(uses: TokenUse[]): Promise<void> }) {
    let uses = new Map<number, TokenUse>();
    return {
      mark({ id }: { id: number }, request: FastifyRequest): void {
        if (uses.has(id)) return;
        const by = request.headers['user-agent']?.slice(0, LONGEST_CLIENT) ?? null;
        uses.set(id, { id, at: isoTime(clock()), from: callerAddress(request), by });
      },
      async write(): Promise<void> {
        const noted = [...uses.values()];
        uses = new Map();
        if (noted.length) await table.markUsed(noted);
      },
    };
  }
  const lineUses = usesOf(store.tokens);
  const adminUses = usesOf(store.adminTokens);

  return {
    mark: lineUses.mark as MarkUsed,
    markAdmin: adminUses.mark as MarkAdminUsed,
    /** Failures are only logged, because the data is not essential. */
    writeOrTell: (log: { error(fields: object, message: string): void }): Promise<void> =>
      Promise.all([lineUses.write(), adminUses.write()])
        .then(() => undefined)
        .catch((error: unknown) => log.error({ error }, 'token use not recorded')),
  };
}
