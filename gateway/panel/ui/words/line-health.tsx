import { type VNode } from 'preact';
import { healthOf } from '../../../alerts/conditions/lines';
import { healthFacts } from '../../../alerts/facts';
import { readPhoneNumber, type PhoneNumberNode } from '../../../cloud-api/phone-number';
import { canSend, type LineHealth } from '../../../lines/health';
import { type Line } from '../../../lines/line';
import { type LineRow } from '../../../store/tables/lines';
import { type UserContext } from '../../request-context';
import { Badge, Notice, type Tone } from '../parts';
import { t } from '../../languages/t';

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
  not_registered: { tone: 'bad', label: t('Not registered') },
  pending: { tone: 'bad', label: t.of('line', 'Pending') },
  low_quality: { tone: 'bad', label: t('Blocked: low quality') },
  no_payment_method: { tone: 'bad', label: t('No payment method') },
  no_webhook: { tone: 'warn', label: t('No webhook') },
  restricted: { tone: 'warn', label: t.of('line', 'Restricted') },
  unknown: { tone: 'idle', label: t.of('line', 'Not known yet') },
  connected: { tone: 'good', label: t.of('line', 'Connected') },
  deactivated: { tone: 'idle', label: t.of('line', 'Deactivated') },
});

export function HealthBadge({ health }: { health: LineHealth }): VNode {
  const { tone, label } = healthWords()[health];
  return <Badge tone={tone}>{label}</Badge>;
}

/** Why messages of this line are refused or fail, with a link to its page; null if the line can send. */
export async function cannotSend({ deps }: UserContext, line: Line): Promise<VNode | null> {
  const health = healthOf(line, await healthFacts(deps, line));
  if (canSend(health)) return null;
  return (
    <Notice tone="bad">
      <p>
        {t.rich('<strong>{line} can’t send: {state}.</strong> <link>See what to do</link>', {
          line: line.name,
          state: healthWords()[health].label,
          link: (parts) => <a href={`/panel/lines/${line.id}`}>{parts}</a>,
        })}
      </p>
    </Notice>
  );
}
