import { isObject } from '../cloud-api/json/json-value';

/**
 * The pricing of a message, as the platform tells it in statuses. Nothing is inferred. Values are open: the platform
 * adds new ones.
 * developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status
 */
export interface Pricing {
  /** Such as `marketing`; null if not told. */
  category: string | null;
  /** Such as `regular` or `free_customer_service`. */
  type: string | null;
  /** `PMP` (by message) or `CBP` (by conversation). */
  model: string | null;
  billable: boolean | null;
}

/** Statuses by how much their pricing counts: the platform charges for the delivery. */
const RANKED = ['delivered', 'read', 'played', 'sent', 'failed'];

const WORD = /^[\w.-]{1,64}$/;

const word = (value: unknown): string | null =>
  typeof value === 'string' && WORD.test(value) ? value.toLowerCase() : null;

/**
 * The pricing of a status in the form in which it is stored. Of several, the smallest text wins: that of the first
 * status in `RANKED`, whatever the order of arrival.
 * @param pricing as received
 * @returns null if it tells nothing
 */
export function toldPricing(status: string, pricing: unknown): string | null {
  if (!isObject(pricing)) return null;
  const { category, type, pricing_model: model, billable } = pricing;
  // Statuses write `authentication-international`; the platform's counts and rate cards have an underscore.
  const told = [
    word(category)?.replaceAll('-', '_') ?? null,
    word(type),
    word(model)?.toUpperCase() ?? null,
    asBoolean(billable),
  ];
  const rank = RANKED.indexOf(status) + 1 || RANKED.length + 1;
  return told.every((value) => value === null) ? null : JSON.stringify([rank, ...told]);
}

const asBoolean = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

const NOT_TOLD: Pricing = { category: null, type: null, model: null, billable: null };

/** The pricing in a stored text; all null for a message without one. */
export function readPricing(stored: string | null): Pricing {
  if (stored === null) return NOT_TOLD;
  const [, category, type, model, billable] = JSON.parse(stored) as [
    number,
    Pricing['category'],
    Pricing['type'],
    Pricing['model'],
    Pricing['billable'],
  ];
  return { category, type, model, billable };
}

/** Whether the platform charges for the message once it is delivered. `billable` is deprecated but clear. */
export const isCharged = ({ billable, type }: Pricing): boolean => billable ?? type === 'regular';
