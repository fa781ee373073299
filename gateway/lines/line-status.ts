import { type CloudApi } from '../cloud-api/client';
import { lineNotConfigured } from '../errors';
import { type Store } from '../store/store';
import { type AuditedDeps } from '../store/with-audit';
import { isoTime, type Clock } from '../time';
import { reportedState, type LineHealth } from './health';
import { upstreamStatusOf, type Line } from './line';
import { lineQuality } from './quality';
import { type RefreshReport } from './refresh';

/** The response of the status operation, from stored data without a request to the platform. */
export function lineStatus(line: Line, health: LineHealth, refresh: RefreshReport, clock: Clock) {
  const { upstream } = line;
  const state = reportedState(line, health);
  return {
    success: true as const,
    connected: state === 'unknown' ? null : state === 'connected',
    state,
    health,
    checked_at: isoTime(clock()),
    line: {
      id: line.id,
      name: line.name,
      phone_number: line.phoneNumber,
      channel: 'cloud_api' as const,
      is_active: line.isActive,
      api_enabled: line.apiEnabled,
    },
    platform: {
      platform_status: upstream?.status ?? null,
      quality_rating: lineQuality(line),
      messaging_limit:
        upstream?.whatsapp_business_manager_messaging_limit ?? upstream?.messaging_limit_tier ?? null,
      verified_name: upstream?.verified_name ?? '',
      name_status: upstream?.name_status ?? '',
      has_credentials: line.accessToken !== null,
      last_checked_at: line.statusCheckedAt,
      refresh,
    },
  };
}

/** Reads the line's phone number from the platform, stores the result, and reloads the line. */
export async function pollLineStatus(
  {
    store,
    cloudApi,
    registry,
    clock,
  }: Pick<AuditedDeps, 'store' | 'registry' | 'clock'> & { cloudApi: CloudApi },
  line: Line,
): Promise<void> {
  const { phoneNumberId, accessToken } = line;
  if (accessToken === null) throw lineNotConfigured();
  const startedAt = isoTime(clock());
  const node = await cloudApi.phoneNumber({ phoneNumberId, accessToken });
  await store.lines.storeStatus(line.id, {
    phoneNumberId,
    node: JSON.stringify(node),
    startedAt,
    checkedAt: isoTime(clock()),
  });
  await registry.refresh();
}

/** The line from the database: another process may have asked the platform since memory was loaded. */
export async function storedStatus(store: Store, line: Line): Promise<Line> {
  const row = await store.lines.upstreamStatus(line.id);
  return row ? { ...line, ...upstreamStatusOf(row) } : line;
}
