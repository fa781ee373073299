import { type VNode } from 'preact';
import { healthOf } from '../../alerts/conditions/lines';
import { readPhoneNumber, type PhoneNumberNode } from '../../cloud-api/phone-number';
import { Refusal } from '../../errors';
import { checkedUrl } from '../../forwarding/destinations/checks';
import { type LineHealth } from '../../lines/health';
import { type LineRow } from '../../store/tables/lines';
import { Badge, type Tone } from '../ui/parts';
import { pageNotFound, sentenceOfRefusal } from '../ui/frame/error-page';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';

/** Lines and their destinations, in words. */

/** The line that the address names. */
export async function lineOfRoute({ deps, params }: UserContext): Promise<LineRow> {
  const line = /^\d{1,9}$/.test(params.id ?? '') ? await deps.store.lines.find(Number(params.id)) : null;
  if (!line) throw pageNotFound();
  return line;
}

export const phoneNumberNodeOf = (line: LineRow): PhoneNumberNode | null =>
  line.upstream_node === null ? null : readPhoneNumber(JSON.parse(line.upstream_node));

/** The facts of a row that decide its health. */
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

/** How a destination waits until a contact pauses. */
export const pauseText = (seconds: number): string =>
  t('{seconds, number} s without a word, then all that the contact wrote as one event', { seconds });

/** What a refusal says to do, for a place beside a field. @throws what is none */
export function refusalSentence(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return sentenceOfRefusal(error);
}

/** What is wrong with an address that events are to go to; null where nothing is. */
export function issueOfAddress({ rules }: UserContext['deps'], url: string): string | null {
  try {
    checkedUrl(rules, url);
    return null;
  } catch (error) {
    return refusalSentence(error).replace(/^url is/, 'This is');
  }
}
