import { noteAccount } from '../alerts/account-notes';
import { readAccountEvent, withTexts, type TemplateUpdate } from '../cloud-api/account-event';
import { type NotificationEvent } from '../cloud-api/notification';
import { readComponents } from '../cloud-api/template';
import { type LineRegistry } from '../lines/line-registry';
import { type Polling } from '../lines/polling';
import { type Store } from '../store/store';
import { type TemplateChange } from '../store/tables/templates';
import { type KnownTemplates } from '../templates/known-templates';
import { type NoticeStatus } from '../templates/unknown-statuses';
import { isoTime, MINUTE, type Clock } from '../time';
import { linesOf, withNumber } from './lines-of-event';

/**
 * Applies the platform's events about an account: its templates and its phone numbers. They are applied after they
 * are recorded, without delaying the response to the platform, one notification after the other.
 *
 * A template's status, quality and category are taken from the event. For other changes, for a template that is not
 * stored, and for phone numbers, the gateway reads the current state from the platform. If applying an event fails,
 * the next scheduled refresh corrects it.
 */
export interface AccountEvents {
  heard(events: NotificationEvent[]): void;
  /** Resolves when all events so far are applied. */
  applied(): Promise<void>;
}

export interface AccountEventDeps {
  store: Store;
  lines: LineRegistry;
  polling: Pick<Polling, 'want'>;
  noticeStatus: NoticeStatus;
  knownTemplates: Pick<KnownTemplates, 'forget'>;
  clock: Clock;
  log: { error(fields: object, message: string): void };
}

/**
 * How far the platform's clock may be ahead. A later time is ignored, because it would permanently count as the
 * newest.
 */
const MOST_AHEAD = 5 * MINUTE;

export function accountEvents(deps: AccountEventDeps): AccountEvents {
  let running: Promise<void> = Promise.resolve();
  return {
    heard(events) {
      if (!events.some(({ subject }) => subject === 'account')) return;
      running = running
        .then(() => apply(deps, events))
        .catch((error: unknown) =>
          deps.log.error({ error }, 'account events not applied: the next scheduled refresh finds them'),
        );
    },
    applied: () => running,
  };
}

async function apply(
  { store, lines, polling, noticeStatus, knownTemplates, clock }: AccountEventDeps,
  events: NotificationEvent[],
): Promise<void> {
  const changes = new Map<number, TemplateChange[]>();
  const synced = new Set<number>();
  const polled = new Set<number>();
  for (const event of events) {
    const told = readAccountEvent(event);
    if (told === null) continue;
    const concerned = linesOf(lines, event);
    if (told.of === 'phoneNumber') {
      const [one] = concerned;
      if (one && told.account !== undefined) await noteAccount(store, one.wabaId, told.account, clock());
      const named = withNumber(concerned, told.phoneNumber);
      (named.length ? named : concerned).forEach(({ id }) => polled.add(id));
      continue;
    }
    noticeStatus(told.change.status ?? null, told.change.name);
    const change = changeOf(
      told.change,
      isoTime(Math.min(event.occurredAt ?? clock(), clock() + MOST_AHEAD)),
    );
    for (const { id } of concerned) {
      changes.set(id, [...(changes.get(id) ?? []), change]);
      if (told.change.isPart) synced.add(id);
    }
  }
  for (const [id, ofLine] of changes) {
    if (await store.templates.applyChanges(id, ofLine)) synced.add(id);
    knownTemplates.forget();
  }
  if (synced.size) await polling.want([...synced], 'templates');
  if (polled.size) await polling.want([...polled], 'status');
}

const changeOf = ({ id, name, language, texts, ...told }: TemplateUpdate, at: string): TemplateChange => ({
  upstream_id: id,
  name,
  language,
  at,
  ...(told.status !== undefined && {
    upstream_status: told.status,
    rejected_reason: told.rejectedReason ?? null,
  }),
  ...(told.quality !== undefined && { quality_score: told.quality }),
  ...(told.category !== undefined && { category: told.category }),
  ...(texts && {
    components: (stored) => JSON.stringify(withTexts(readComponents(JSON.parse(stored)), texts)),
  }),
});
