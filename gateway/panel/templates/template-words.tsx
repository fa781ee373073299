import { type VNode } from 'preact';
import { type TemplateState } from '../../cloud-api/template';
import { type TemplateRecord } from '../../templates/template-record';
import { t } from '../languages/t';
import { Badge, type Tone } from '../ui/parts';
import { QualityBadge } from '../ui/quality-badge';

const STATES: Record<TemplateState, { label: () => string; tone: Tone }> = {
  approved: { label: () => t.of('template', 'Approved'), tone: 'good' },
  pending: { label: () => t.of('template', 'Pending'), tone: 'warn' },
  rejected: { label: () => t.of('template', 'Rejected'), tone: 'bad' },
  disabled: { label: () => t.of('template', 'Disabled'), tone: 'idle' },
};

/** The platform stops a paused template for some hours. */
const PAUSED = { label: () => t.of('template', 'Paused'), tone: 'warn' } as const;

export const stateTone = (state: TemplateState): Tone => STATES[state].tone;
export const stateWord = (state: TemplateState): string => STATES[state].label();

/** The state of a template that the platform has. */
export function TemplateBadge({
  template,
}: {
  template: Pick<TemplateRecord, 'status' | 'platform_status'>;
}): VNode {
  const isPaused = template.platform_status?.toLowerCase() === 'paused';
  const { label, tone } = isPaused ? PAUSED : STATES[template.status];
  return <Badge tone={tone}>{label()}</Badge>;
}

const RATING_OF = { HIGH: 'GREEN', MEDIUM: 'YELLOW', LOW: 'RED', UNKNOWN: null };

/** The platform's rating of a template; nothing if it has none. */
export const TemplateQuality = ({
  template,
}: {
  template: Pick<TemplateRecord, 'quality_score'>;
}): VNode | null =>
  RATING_OF[template.quality_score] === null ? null : (
    <span class="cluster">
      <span class="quiet small">{t('Quality')}</span>
      <QualityBadge rating={RATING_OF[template.quality_score]} />
    </span>
  );

/** @param reason the platform's code of a rejection; null if it gave none */
export const Reason = ({ reason }: { reason: string | null }): VNode => (
  <p>
    <strong>{t('Why it was rejected:')}</strong>{' '}
    {reason === null
      ? t('the platform gave no reason.')
      : (reasonWords()[reason] ?? <span lang="en">{reason}</span>)}
  </p>
);

/** Explanations of the platform's reason codes. */
export const reasonWords = (): Record<string, string> => ({
  ABUSIVE_CONTENT: t('The platform considers its content abusive or threatening.'),
  CATEGORY_NOT_AVAILABLE: t('This account may not use its category.'),
  INCORRECT_CATEGORY: t('It belongs to another category.'),
  INVALID_FORMAT: t(
    'It does not follow the rules of the platform: placeholders must be numbered in order, must not be next to each other or at the beginning or end, and need an example.',
  ),
  PROMOTIONAL: t('It contains advertising, which requires the category Marketing.'),
  SCAM: t('The platform considers it fraud.'),
  TAG_CONTENT_MISMATCH: t('Its content does not match its language or its category.'),
});
