import { type HttpClient } from '../../http/http-client';
import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { type Destination } from '../destination';
import { destinationEntry } from './audit-entry';
import { markRepaired } from './destination-rows';
import { handshake, type OperatorReport } from './handshake';
import { sendTestEvent, type TestEvent } from './test-event';

/** Sends a destination a test event and the challenge. Where it takes the event, what waits for it goes out as well. */
export async function testDestination(
  deps: AuditedDeps & { http: HttpClient },
  actor: Actor,
  destination: Destination,
  line: { phoneNumberId: string; phoneNumber: string; wabaId: string },
): Promise<{ sent: TestEvent; shaken: OperatorReport }> {
  const [sent, shaken] = await Promise.all([
    sendTestEvent(deps, destination, line),
    handshake(deps.http, destination),
  ]);
  const { outcome } = sent;
  // It accepts events again, for all that is known: what waits has no reason to wait for the next try.
  const isRepaired = outcome === 'delivered' && destination.pausedAt === null;
  await audited(deps, actor, destinationEntry('tested', destination, { outcome }), async (transaction) => {
    if (isRepaired) await markRepaired({ ...deps, ...transaction }, destination.id);
  });
  if (isRepaired) await deps.store.wake({ waiting: [destination.id] });
  return { sent, shaken };
}
