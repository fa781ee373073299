import { type HttpClient } from '../../http/http-client';
import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { type Destination } from '../destination';
import { destinationEntry } from './audit-entry';
import { markRepaired } from './destination-rows';
import { handshake, type OperatorReport } from './handshake';
import { sendTestEvent, type TestEvent } from './test-event';

/**
 * Sends a destination a test event and the challenge. If the destination accepts the event, its waiting deliveries
 * are sent too.
 */
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
  // The destination works again, so waiting deliveries need not wait for the next probe.
  const isRepaired = outcome === 'delivered' && destination.pausedAt === null;
  await audited(deps, actor, destinationEntry('tested', destination, { outcome }), async (transaction) => {
    if (isRepaired) await markRepaired({ ...deps, ...transaction }, destination.id);
  });
  if (isRepaired) await deps.store.wake({ waiting: [destination.id] });
  return { sent, shaken };
}
