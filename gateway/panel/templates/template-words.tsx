import { type VNode } from 'preact';
import { type TemplateState } from '../../cloud-api/template';
import { type TemplateRecord } from '../../templates/template-record';
import { t } from '../languages/t';
import { Badge, type Tone } from '../ui/parts';

const STATES: Record<TemplateState, { label: () => string; tone: Tone }> = {
  approved: { label: () => t.of('template', 'Approved'), tone: 'good' },
  pending: { label: () => t.of('template', 'Pending'), tone: 'warn' },
  rejected: { label: () => t.of('template', 'Rejected'), tone: 'bad' },
  disabled: { label: () => t.of('template', 'Disabled'), tone: 'idle' },
};

/** The platform stops a paused template for some hours. */
const PAUSED = { label: () => t.of('template', 'Paused'), tone: 'warn' } as const;

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
