import { type VNode } from 'preact';
import { healthOf } from '../../alerts/conditions/lines';
import { readPhoneNumber, type PhoneNumberNode } from '../../cloud-api/phone-number';
import { type LineHealth } from '../../lines/health';
import { type LineRow } from '../../store/tables/lines';
import { Badge, type Tone } from '../ui/parts';
import { t } from '../languages/t';

/** Labels of lines and their health. */

export const phoneNumberNodeOf = (line: LineRow): PhoneNumberNode | null =>
  line.upstream_node === null ? null : readPhoneNumber(JSON.parse(line.upstream_node));

/** The health of a line, from its row. */
export const healthOfRow = (row: LineRow, facts: Parameters<typeof healthOf>[1]): LineHealth =>
  healthOf(
    {
      id: row.id,
      wabaId: row.waba_id,
      isActive: row.deactivated_at === null,
      accessToken: row.access_token_sealed,
      upstream: phoneNumberNodeOf(row),
    },
    facts,
  );

export const healthWords = (): Record<LineHealth, { tone: Tone; label: string }> => ({
  no_credentials: { tone: 'bad', label: t('No access token') },
  credentials_refused: { tone: 'bad', label: t('Access token refused') },
  account_restricted: { tone: 'bad', label: t('Account restricted') },
  disconnected: { tone: 'bad', label: t.of('line', 'Disconnected') },
  pending: { tone: 'bad', label: t.of('line', 'Pending') },
  low_quality: { tone: 'bad', label: t('Blocked: low quality') },
  restricted: { tone: 'warn', label: t.of('line', 'Restricted') },
  unknown: { tone: 'idle', label: t.of('line', 'Not known yet') },
  connected: { tone: 'good', label: t.of('line', 'Connected') },
  deactivated: { tone: 'idle', label: t.of('line', 'Deactivated') },
});

export function HealthBadge({ health }: { health: LineHealth }): VNode {
  const { tone, label } = healthWords()[health];
  return <Badge tone={tone}>{label}</Badge>;
}
