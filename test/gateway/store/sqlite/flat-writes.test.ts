import {
  type AttemptRecord,
  type KeyClaim,
  type MessageChange,
  type MessageWrite,
  type NewEvent,
  type NotificationWrite,
  type Recorded,
  type SentBody,
  type Write,
  type WriteResult,
} from '../../../../gateway/store/commit/writes';
import { flatResults, flatWrites, resultsOf, writesOf } from '../../../../gateway/store/sqlite/flat-writes';

/** Different in each column, so that none can take the place of another. */
const AT = (seconds: number) => new Date(Date.UTC(2026, 10, 1, 0, 0, seconds)).toISOString();

// `Required`: a new column does not compile before it is here.
const EVENT: Required<NewEvent> = {
  id: 'evt_1',
  line_id: 1,
  subject: 'message',
  kind: 'text',
  identity: 'message:1:wamid.1',
  contact: '15550001111',
  wamid: 'wamid.1',
  phone_number_id: '106540352242922',
  waba_id: '102290129340398',
  body: '{"entry":[]}',
  received_at: AT(1),
  automation: 'paused',
  deliveries: [
    { destination_id: 2, lane: '15550001111', due_at: AT(2) },
    { destination_id: 3, lane: 'evt_1', due_at: AT(3) },
  ],
  gathering: [
    {
      destination_id: 4,
      identity: 'message:1:wamid.1',
      event_id: 'evt_1',
      contact: '15550001111',
      body: '{}',
      arrived_at: AT(4),
    },
  ],
  reply: { names: ['15550001111', 'US.1'], kind: 'button', choice: 'yes', to: 'wamid.0' },
};
const BARE_EVENT: NewEvent = {
  ...EVENT,
  id: 'evt_2',
  line_id: null,
  contact: null,
  automation: null,
  deliveries: [],
  gathering: [],
  reply: null,
};
const MESSAGE: Required<MessageChange> = {
  line_id: 1,
  wamid: 'wamid.2',
  contact: '15550002222',
  type: 'template',
  template_name: 'order_update',
  template_language: 'en_US',
  sent_from: 'app',
  client_ref: 'order 7',
  accepted_at: AT(10),
  sent_at: AT(11),
  delivered_at: AT(12),
  read_at: AT(13),
  played_at: AT(14),
  failed_at: AT(15),
  failure: '[{"code":131026}]',
  pricing: 'told',
};
const SENT: Required<SentBody> = {
  line_id: 1,
  wamid: 'wamid.2',
  body: '{"type":"text"}',
  accepted_at: AT(16),
};
const ALIAS = { line_id: 1, contact: '15550002222', identity: 'US.2' };
const ATTEMPT: Required<AttemptRecord> = {
  destination_id: 2,
  event_id: 'evt_1',
  number: 3,
  started_at: AT(20),
  duration_ms: 45,
  http_status: 503,
  outcome: 'http_error',
  answer: 'busy',
  state: 'pending',
  due_at: AT(21),
};
const CLAIM: Required<KeyClaim> = {
  line_id: 1,
  key: 'order-7',
  body_hash: 'abc',
  started_at: AT(30),
  since: AT(31),
};

/** All that the database thread needs: it is the only recorder of its file. */
type Flattened<W> = Required<Omit<W, 'recorder'>>;

const NOTIFICATION: Flattened<NotificationWrite> = {
  kind: 'notification',
  events: [EVENT, BARE_EVENT],
  messages: [MESSAGE, { line_id: 2, wamid: 'wamid.3', read_at: AT(40) }],
  windows: [{ line_id: 1, contact: '15550001111', last_inbound_at: AT(41) }],
  sent: [SENT],
  aliases: [ALIAS],
};
const ACCEPTED: Flattened<MessageWrite> = {
  kind: 'message',
  message: MESSAGE,
  sent: SENT,
  aliases: [ALIAS],
  answered: { line_id: 1, key: 'order-7', answer: '{}' },
  asks: 'q_1',
};
const RELEASE: Extract<Write, { kind: 'release' }> = {
  kind: 'release',
  release: {
    question_id: 'q_1',
    event_id: 'evt_1',
    destination_id: 2,
    deliveries: EVENT.deliveries,
    at: AT(50),
    recorder: 'process',
  },
};

const WRITES: Write[] = [
  NOTIFICATION,
  ACCEPTED,
  { kind: 'attempt', attempt: ATTEMPT },
  { kind: 'key', claim: CLAIM },
  RELEASE,
  { kind: 'notification', events: [BARE_EVENT], messages: [], windows: [] },
  { kind: 'message', message: { line_id: 1, wamid: 'wamid.4' } },
  { kind: 'attempt', attempt: { ...ATTEMPT, http_status: null, answer: null } },
];

const RECORDED: Required<Recorded> = {
  fresh: ['evt_1', 'evt_2'],
  own: [
    { destination_id: 2, event_id: 'evt_1', sequence: 7 },
    { destination_id: 3, event_id: 'evt_1', sequence: 8 },
  ],
  late: [{ event_id: 'evt_1', question_id: 'q_1' }],
  behind: [2],
};
const NOTHING: Recorded = { fresh: [], own: [], late: [], behind: [] };

test('a flat array has all columns of all writes', () => {
  const flat = structuredClone(flatWrites(WRITES));
  // An empty list may be left out.
  const bare = { ...BARE_EVENT, gathering: undefined };
  expect(writesOf(flat)).toEqual([
    { ...NOTIFICATION, events: [EVENT, bare] },
    ...WRITES.slice(1, 5),
    { kind: 'notification', events: [bare], messages: [], windows: [] },
    ...WRITES.slice(6),
  ]);
});

test('a flat array has all results', () => {
  const results: WriteResult[] = [
    RECORDED,
    null,
    { moved: true },
    { body_hash: 'abc', started_at: AT(30), answer: null },
    RECORDED,
    NOTHING,
    null,
    { moved: false },
  ];
  const flat = structuredClone(flatResults(WRITES, results));
  expect(resultsOf(WRITES, flat)).toEqual(results);
});
