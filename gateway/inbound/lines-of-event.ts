import { namedIn } from '../cloud-api/account-event';
import { type NotificationEvent } from '../cloud-api/notification';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { type Store } from '../store/store';

/** The line of an event; for an event of a business account, all lines of that account. */
export function linesOf(lines: LineRegistry, { phoneNumberId, wabaId }: NotificationEvent): Line[] {
  if (phoneNumberId === null) return wabaId === null ? [] : lines.ofBusinessAccount(wabaId);
  const line = lines.byPhoneNumberId(phoneNumberId);
  return line ? [line] : [];
}

export const withNumber = (lines: Line[], phoneNumber: string | null): Line[] =>
  lines.filter((line) => line.phoneNumber.replace(/\D/g, '') === phoneNumber);

export interface PlacedEvent {
  event: NotificationEvent;
  /** The lines that receive it. */
  lines: Line[];
  /** Lines of the same business account that do not. */
  others: Line[];
}

/**
 * Finds the lines that receive each event. If several customers share a business account, an event that names a
 * customer's template or phone number is for that customer's lines only.
 */
export const placeEvents = (
  deps: { lines: LineRegistry; store: Pick<Store, 'templates'> },
  events: NotificationEvent[],
): PlacedEvent[] | Promise<PlacedEvent[]> => {
  const of = events.map((event) => ({ event, lines: linesOf(deps.lines, event) }));
  const isShared = ({ lines }: { lines: Line[] }) =>
    lines.some(({ customerId }) => customerId !== lines[0]?.customerId);
  const whole = (one: (typeof of)[number]): PlacedEvent => ({ ...one, others: [] });
  if (!of.some(isShared)) return of.map(whole);
  return Promise.all(
    of.map((one) => (isShared(one) ? ofCustomers(deps.store, one.event, one.lines) : whole(one))),
  );
};

async function ofCustomers(
  { templates }: Pick<Store, 'templates'>,
  event: NotificationEvent,
  lines: Line[],
): Promise<PlacedEvent> {
  const { template, phoneNumber } = namedIn(event);
  const customers = withNumber(lines, phoneNumber).map(({ customerId }) => customerId);
  const owner =
    template === null || event.wabaId === null ? null : await templates.owner(event.wabaId, template);
  if (owner !== null) customers.push(owner);
  if (!customers.length) return { event, lines, others: [] };
  const { own = [], others = [] } = Object.groupBy(lines, ({ customerId }) =>
    customers.includes(customerId) ? 'own' : 'others',
  );
  return { event, lines: own, others };
}
