import { type Kysely } from 'kysely';
import { textSearch } from '../../../gateway/messages/text-search';
import { backlogReport } from '../../../gateway/store/reports/backlog';
import { conversationList } from '../../../gateway/store/reports/conversation-list';
import { deliveryList } from '../../../gateway/store/reports/delivery-list';
import { eventList } from '../../../gateway/store/reports/event-list';
import { historyTables } from '../../../gateway/store/reports/history';
import { messageList } from '../../../gateway/store/reports/message-list';
import { type Schema } from '../../../gateway/store/schema';
import { PHONE_NUMBER_ID, WABA_ID } from '../../support/test-gateway';
import { write } from '../../support/rows';
import { at } from './support';

/** Tables with a row for each event or message, or more. */
export const LARGE = ['events', 'messages', 'deliveries', 'attempts', 'sent_bodies'];

/** Of a reader. */
export const OWN_LINES = { lines: [1, 2, 3], customers: [1] };

/** All of these lines with content, some, and none. */
export const CONTENTS = [[1, 2, 3], [2], []];

/**
 * Adds rows to the large tables.
 * @param lines the lines that they belong to in turn, which have one destination each
 */
export async function addRows(url: string, count: number, lines = 200): Promise<void> {
  const some = (into: string, values: string, numbers: number) =>
    write(
      url,
      `insert into ${into} with recursive numbers(n) as (
         select 1 union all select n + 1 from numbers where n < ${numbers}) select ${values} from numbers`,
    );
  const rows = (into: string, values: string) => some(into, values, count);
  // As text, the same number of digits each.
  const digits = `substr(cast(1000000 + n as text), 2)`;
  const [line, contact] = [`1 + n % ${lines}`, `'1650555' || ${digits}`];
  await some(
    'lines (name, phone_number_id, phone_number, waba_id, verify_token, window_mode, quality_mode, created_at)',
    `'Line', '${PHONE_NUMBER_ID}' || ${digits}, '+1', '${WABA_ID}' || n, '', 'text', 'normal', '${at(0)}'`,
    lines,
  );
  await some(
    'destinations (line_id, url, secret_sealed, origin, mode, events, created_at)',
    `n, 'https://example.com/hook', 'sealed', 'operator', 'split', '["messages"]', '${at(0)}'`,
    lines,
  );
  await rows(
    'events (id, line_id, subject, kind, identity, contact, wamid, body, received_at)',
    `'evt_' || ${digits}, ${line}, 'message', 'text', 'message:' || n, ${contact}, 'wamid.' || n, '{}', '${at(0)}'`,
  );
  await some(
    'events (id, subject, kind, identity, waba_id, body, received_at)',
    `'evt_' || ${digits} || 'a', 'account', 'account_update', 'account:' || n, '${WABA_ID}' || n % ${lines}, '{}', '${at(0)}'`,
    count / 10,
  );
  await rows(
    'deliveries (destination_id, event_id, state, attempts, due_at, lane, finished_at, sequence)',
    `${line}, 'evt_' || ${digits}, case when n % 50 < 10 then 'pending' when n % 50 < 20 then 'dead' else 'delivered' end,
     1, '${at(0)}', '', '${at(0)}', n`,
  );
  await rows(
    'attempts (destination_id, event_id, number, started_at, duration_ms, outcome)',
    `${line}, 'evt_' || ${digits}, 1, '${at(0)}', 1, case when n % 50 < 20 then 'timeout' else 'delivered' end`,
  );
  await rows(
    'messages (line_id, wamid, contact, type, accepted_at, failed_at)',
    `${line}, 'wamid.' || n, ${contact}, 'text', '2026-02-01T00:00:00.' || ${digits},
     case when n % 50 < 20 then '2026-02-01T00:00:01.' || ${digits} end`,
  );
  await rows(
    'sent_bodies (line_id, wamid, body, accepted_at)',
    `${line}, 'wamid.' || n, '{"type":"text","text":{"body":"order"}}', '2026-02-01T00:00:00.' || ${digits}`,
  );
}

const FROM = { at: '2026-02-01T00:00:00.010000', eventId: 'evt_010000' };
const TO = { at: '2026-02-01T00:00:00.011000', eventId: 'evt_011000' };
const CONTACT = '1650555000001';
const text = textSearch('order');
if (!text) throw new Error('no text to search for');

export type ListOfLines = (db: Kysely<Schema>) => Promise<unknown>;

/** Every list in the order of time, by its name. */
export const LISTS_OF_LINES = Object.entries<ListOfLines>({
  events: (db) => eventList(db, true).page({}, null, 50),
  'events of a day': (db) => eventList(db, true).page({ from: FROM.eventId, to: TO.eventId }, null, 50),
  'events of a contact': (db) => eventList(db, true).page({ contacts: [CONTACT] }, null, 50),
  'events with a text': (db) => eventList(db, true).page({ text }, null, 50),
  'the oldest events': (db) => eventList(db, true).page({}, null, 50, true),
  messages: (db) => messageList(db).page({}, null, 50),
  'failed messages': (db) => messageList(db).page({ state: 'failed' }, null, 50),
  'messages to a contact': (db) => messageList(db).page({ contacts: [CONTACT] }, null, 50),
  'messages with a text': (db) => messageList(db).withText({ text }, null, 50),
  'conversations, last written by the contact': (db) =>
    conversationList(db, () => true).written({}, null, 50),
  'conversations, last written by the line': (db) => conversationList(db, () => true).sent({}, null, 50),
  deliveries: (db) => deliveryList(db, true).page({ destinationIds: [1, 2, 3] }, null, 50),
  'deliveries given up': (db) => deliveryList(db, true).page({ state: 'dead' }, null, 50),
  'deliveries that failed alike': (db) => deliveryList(db, true).page({ cause: 'timeout' }, null, 50),
  'deliveries that wait': (db) => deliveryList(db, true).page({ state: 'open' }, null, 50),
  'counts of a day': (db) => historyTables(db).counts(FROM, TO),
  'the backlog': (db) => backlogReport(db).inAll(),
});

/** Those that read no more rows than they show. */
export const FIRST_ROWS = LISTS_OF_LINES.filter(([name]) =>
  [
    'events',
    'the oldest events',
    'messages',
    'deliveries',
    'deliveries given up',
    'deliveries that wait',
  ].includes(name),
);
