/**
 * Reviews created and edited templates by the rule of their business account. Without a rule, the user decides each
 * review under /sandbox/templates. In memory only.
 */
import { onlyFields, wordOf } from '../control/body';
import { durationOf, durationText } from '../control/duration';
import { ControlRefusal } from '../control/refusal';
import { type JsonObject } from '../platform/json';
import { type Template } from './starter-templates';
import { CATEGORIES, changeTemplate, REJECTED_REASONS } from './template-life';
import { type TemplateDeps } from './template-store';

const MODES = ['manual', 'approve', 'reject', 'recategorise'] as const;

/** The longest review. */
const AFTER_MOST = '1d';

/** `after`: milliseconds between the submission and the decision, by the machine's clock. */
interface ReviewRule {
  mode: (typeof MODES)[number];
  reason?: string;
  category?: string;
  after: number;
}

const MANUAL: ReviewRule = { mode: 'manual', after: 0 };

/** Dependencies of the routes that submit templates for review. */
export interface ReviewedDeps extends TemplateDeps {
  reviews: TemplateReviews;
}

export class TemplateReviews {
  private readonly rules = new Map<string, ReviewRule>();
  private readonly timers = new Map<Template, NodeJS.Timeout>();

  constructor(private readonly deps: TemplateDeps) {}

  shown(wabaId: string): JsonObject {
    const { after, ...rule } = this.ruleOf(wabaId);
    return rule.mode === 'manual' ? rule : { ...rule, after: durationText(after) };
  }

  /** Sets the rule for later submissions. Reviews that have started keep theirs. */
  change(wabaId: string, body: JsonObject): void {
    this.rules.set(wabaId, ruleIn(body));
  }

  /** Starts the review of a submitted template. The decision follows the answer to the submission. */
  start(wabaId: string, template: Template): void {
    clearTimeout(this.timers.get(template));
    this.timers.delete(template);
    const rule = this.ruleOf(wabaId);
    if (rule.mode === 'manual') return;
    const timer = setTimeout(() => {
      this.timers.delete(template);
      const isWaiting = template.status === 'PENDING' && this.deps.templates.of(wabaId).includes(template);
      if (isWaiting) changeTemplate(this.deps, wabaId, template, decisionOf(rule));
    }, rule.after);
    this.timers.set(template, timer);
  }

  /** Cancels the reviews that have started, and forgets every rule. */
  forget(): void {
    this.close();
    this.timers.clear();
    this.rules.clear();
  }

  close(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private ruleOf(wabaId: string): ReviewRule {
    return this.rules.get(wabaId) ?? MANUAL;
  }
}

function ruleIn(body: JsonObject): ReviewRule {
  onlyFields(body, ['mode', 'reason', 'category', 'after', 'line']);
  const mode = wordOf(body.mode, 'mode', MODES);
  refuseUnlessMode(body, 'reason', mode === 'reject', '{"mode": "reject", "reason": "SCAM"}');
  refuseUnlessMode(
    body,
    'category',
    mode === 'recategorise',
    '{"mode": "recategorise", "category": "MARKETING"}',
  );
  refuseUnlessMode(body, 'after', mode !== 'manual', '{"mode": "approve", "after": "5s"}');
  return {
    mode,
    ...(mode === 'reject' && {
      reason: wordOf(body.reason ?? 'INVALID_FORMAT', 'reason', REJECTED_REASONS),
    }),
    ...(mode === 'recategorise' && {
      category: wordOf(body.category ?? 'MARKETING', 'category', CATEGORIES),
    }),
    after: durationOf(body.after ?? '0s', 'after', AFTER_MOST),
  };
}

function refuseUnlessMode(body: JsonObject, field: string, isAllowed: boolean, example: string): void {
  if (body[field] === undefined || isAllowed) return;
  throw new ControlRefusal(`"${field}" requires another "mode": ${example}.`);
}

/** The change of the template that the rule decides. */
const decisionOf = ({ mode, reason, category }: ReviewRule): JsonObject =>
  mode === 'reject' ? { event: 'REJECTED', reason } : { event: 'APPROVED', category };
