import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { fact } from '../../wording/facts';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { markPaused } from './destination-rows';

/** Pauses a destination. Its events wait until it is resumed. @param who the user; null for a command */
export const pauseDestination = (
  deps: AuditedDeps,
  actor: Actor,
  destination: NamedDestination,
  who: string | null,
): Promise<void> =>
  audited(deps, actor, destinationEntry('paused', destination), (transaction) =>
    markPaused({ ...deps, ...transaction }, destination.id, fact('paused.by', { who })),
  );
