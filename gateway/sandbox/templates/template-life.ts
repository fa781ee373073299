/**
 * Changes that the platform makes to a template: approve, reject, pause or disable it, flag it, rate it,
 * change its category. Each change appears in the next list of templates and is announced.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/message_template_status_update,
 * …/message_template_quality_update, …/template_category_update, …/message_template_components_update
 */
import { announce } from '../platform/announce';
import { onlyFields, textOf, wordOf } from '../control/body';
import { ControlRefusal } from '../control/refusal';
import { type JsonObject } from '../platform/json';
import { seconds } from '../platform/notifications';
import { type Template, type TemplateCategory, type TemplateStatus } from './starter-templates';
import { type TemplateDeps } from './template-store';

/** Events of a template with its new status. */
const EVENTS: Record<string, TemplateStatus | 'GONE'> = {
  APPROVED: 'APPROVED',
  PENDING: 'PENDING',
  IN_APPEAL: 'IN_APPEAL',
  REJECTED: 'REJECTED',
  FLAGGED: 'APPROVED',
  PAUSED: 'PAUSED',
  DISABLED: 'DISABLED',
  REINSTATED: 'APPROVED',
  ARCHIVED: 'ARCHIVED',
  UNARCHIVED: 'APPROVED',
  LIMIT_EXCEEDED: 'LIMIT_EXCEEDED',
  PENDING_DELETION: 'PENDING_DELETION',
  DELETED: 'GONE',
};

export const REJECTED_REASONS = [
  'ABUSIVE_CONTENT',
  'CATEGORY_NOT_AVAILABLE',
  'INCORRECT_CATEGORY',
  'INVALID_FORMAT',
  'PROMOTIONAL',
  'SCAM',
  'TAG_CONTENT_MISMATCH',
] as const;

const QUALITY_SCORES = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const;
export const CATEGORIES: readonly TemplateCategory[] = ['UTILITY', 'MARKETING', 'AUTHENTICATION'];

const DAY = 24 * 60 * 60 * 1000;
/** After this time, a flagged template is disabled unless its quality improves. */
const FLAGGED_FOR = 7 * DAY;

/** Applies any of `event` (with the `reason` of a rejection), `quality` and `category`. */
export function changeTemplate(
  deps: TemplateDeps,
  wabaId: string,
  template: Template,
  body: JsonObject,
): void {
  onlyFields(body, ['event', 'reason', 'quality', 'category', 'language', 'line']);
  const event = body.event === undefined ? undefined : wordOf(body.event, 'event', Object.keys(EVENTS));
  const score = body.quality === undefined ? undefined : wordOf(body.quality, 'quality', QUALITY_SCORES);
  const category = body.category === undefined ? undefined : wordOf(body.category, 'category', CATEGORIES);
  if (event === undefined && score === undefined && category === undefined) {
    throw new ControlRefusal(
      'Say what happens with "event", "quality" or "category": {"event": "APPROVED"}.',
    );
  }
  if (body.reason !== undefined && event !== 'REJECTED') {
    throw new ControlRefusal(
      '"reason" is why a template is rejected: {"event": "REJECTED", "reason": "SCAM"}.',
    );
  }
  const reason =
    event === 'REJECTED' ? wordOf(body.reason ?? 'INVALID_FORMAT', 'reason', REJECTED_REASONS) : 'NONE';
  if (score !== undefined) rate(deps, wabaId, template, score);
  if (category !== undefined) move(deps, wabaId, template, category);
  if (event !== undefined) happen(deps, wabaId, template, event, reason);
}

/** Returns the template with this ID, or with this name and, if there are several, this language. */
export function templateNamed(deps: TemplateDeps, wabaId: string, name: string, language: unknown): Template {
  const templates = deps.templates.of(wabaId);
  const found = templates.filter((each) => each.id === name || each.name === name);
  const wanted = language === undefined ? undefined : textOf(language, 'language', 64);
  const chosen = wanted === undefined ? found : found.filter((each) => each.language === wanted);
  const [first, ...others] = chosen;
  if (first && others.length === 0) return first;
  if (first) {
    const languages = chosen.map((each) => `"${each.language}"`).join(', ');
    throw new ControlRefusal(`There are several; say which with "language": ${languages}.`);
  }
  throw new ControlRefusal(`There is no such template; GET /sandbox/templates lists them.`, 404);
}

function happen(deps: TemplateDeps, wabaId: string, template: Template, event: string, reason: string): void {
  const was = template.status;
  const becomes = EVENTS[event];
  if (becomes === 'GONE') deps.templates.remove(wabaId, template, deps.now().getTime());
  else Object.assign(template, { status: becomes, rejected_reason: reason });
  announceStatus(deps, wabaId, template, event, reason, was);
}

/** @param was the previous status, if the event depends on it */
export function announceStatus(
  deps: TemplateDeps,
  wabaId: string,
  template: Template,
  event: string,
  reason: string,
  was?: TemplateStatus,
): void {
  announce(deps, wabaId, 'message_template_status_update', {
    event,
    ...named(template),
    reason: event === 'PENDING_DELETION' ? null : reason,
    message_template_category: template.category,
    ...extraFields(event, reason, was, deps.now()),
  });
}

function extraFields(event: string, reason: string, was: TemplateStatus | undefined, now: Date): JsonObject {
  if (event === 'DISABLED') return { disable_info: { disable_date: Number(seconds(now)) } };
  if (event === 'FLAGGED')
    return { disable_info: { disable_date: Number(seconds(new Date(now.getTime() + FLAGGED_FOR))) } };
  if (event === 'PAUSED') {
    const description = 'Your WhatsApp message template has been paused for 3 hours because it had issues.';
    return { other_info: { title: 'FIRST_PAUSE', description } };
  }
  if (event === 'APPROVED' && was === 'PAUSED') {
    return {
      other_info: { title: 'UNPAUSE', description: 'Your WhatsApp message template has been unpaused.' },
    };
  }
  if (event === 'REJECTED' && reason === 'INVALID_FORMAT') {
    return {
      rejection_info: {
        reason: 'Your template has parameters placed next to each other without text between them.',
        recommendation: 'Separate parameters with descriptive text.',
      },
    };
  }
  return {};
}

function rate(deps: TemplateDeps, wabaId: string, template: Template, score: string): void {
  const previous = template.quality_score.score;
  template.quality_score = { score, date: Number(seconds(deps.now())) };
  if (previous === score) return;
  announce(deps, wabaId, 'message_template_quality_update', {
    previous_quality_score: previous,
    new_quality_score: score,
    ...named(template),
  });
}

function move(deps: TemplateDeps, wabaId: string, template: Template, category: TemplateCategory): void {
  const previous = template.category;
  template.category = category;
  if (previous === category) return;
  announce(deps, wabaId, 'template_category_update', {
    ...named(template),
    previous_category: previous,
    new_category: category,
  });
}

/** Announces new content of a template. */
export function announceComponents(deps: TemplateDeps, wabaId: string, template: Template): void {
  const value: JsonObject = named(template);
  for (const component of template.components) {
    if (component.type === 'HEADER' && component.format === 'TEXT')
      value.message_template_title = component.text;
    if (component.type === 'BODY') value.message_template_element = component.text;
    if (component.type === 'FOOTER') value.message_template_footer = component.text;
    if (component.type === 'BUTTONS') {
      value.message_template_buttons = component.buttons.map((button) => ({
        message_template_button_type: button.type,
        message_template_button_text: button.text,
        ...(button.type === 'URL' && { message_template_button_url: button.url }),
        ...(button.type === 'PHONE_NUMBER' && { message_template_button_phone_number: button.phone_number }),
      }));
    }
  }
  announce(deps, wabaId, 'message_template_components_update', value);
}

const named = ({ id, name, language }: Template): JsonObject => ({
  message_template_id: Number(id),
  message_template_name: name,
  message_template_language: language,
});
