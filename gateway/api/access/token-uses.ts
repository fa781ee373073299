import { callerAddress } from '../../http/caller-address';
import { type Store } from '../../store/store';
import { type TokenUse } from '../../store/tables/tokens';
import { isoTime, type Clock } from '../../time';
import { type MarkUsed } from './authenticate-line';

const LONGEST_CLIENT = 200;

export type TokenUses = ReturnType<typeof tokenUses>;

/**
 * Collects when and by which clients tokens are used, and stores the first use of each token since the last write.
 */
export function tokenUses({ store, clock }: { store: Pick<Store, 'tokens' | 'adminTokens'>; clock: Clock }) {
  const none = () => ({ line: new Map<number, TokenUse>(), admin: new Map<number, TokenUse>() });
  let noted = none();

  const mark: MarkUsed = ({ kind, id }, request) => {
    const uses = noted[kind];
    if (uses.has(id)) return;
    const by = request.headers['user-agent']?.slice(0, LONGEST_CLIENT) ?? null;
    uses.set(id, { id, at: isoTime(clock()), from: callerAddress(request), by });
  };

  async function write(): Promise<void> {
    const { line, admin } = noted;
    noted = none();
    if (line.size) await store.tokens.markUsed([...line.values()]);
    if (admin.size) await store.adminTokens.markUsed([...admin.values()]);
  }

  return {
    mark,
    /** Failures are only logged, because the data is not essential. */
    writeOrTell: (log: { error(fields: object, message: string): void }): Promise<void> =>
      write().catch((error: unknown) => log.error({ error }, 'token use not recorded')),
  };
}
