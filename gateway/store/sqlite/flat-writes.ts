import {
  EVENT_COLUMNS,
  MESSAGE_COLUMNS,
  type AttemptRecord,
  type KeyClaim,
  type MessageChange,
  type NewDelivery,
  type NewEvent,
  type Recorded,
  type Reply,
  type SentBody,
  type WindowChange,
  type Write,
  type WriteResult,
} from '../commit/writes';

const DELIVERY = ['destination_id', 'lane', 'due_at'] as const satisfies (keyof NewDelivery)[];
const REPLY = ['names', 'kind', 'choice', 'to'] as const satisfies (keyof Reply)[];
const MESSAGE = ['line_id', 'wamid', ...MESSAGE_COLUMNS] as const satisfies (keyof MessageChange)[];
const WINDOW = ['line_id', 'contact', 'last_inbound_at'] as const satisfies (keyof WindowChange)[];
const SENT = ['line_id', 'wamid', 'body', 'accepted_at'] as const satisfies (keyof SentBody)[];
const ATTEMPT = [
  'destination_id',
  'event_id',
  'number',
  'started_at',
  'duration_ms',
  'http_status',
  'outcome',
  'answer',
  'state',
  'due_at',
] as const satisfies (keyof AttemptRecord)[];
const CLAIM = ['line_id', 'key', 'body_hash', 'started_at', 'since'] as const satisfies (keyof KeyClaim)[];
type Own = Recorded['own'][number];
const OWN = ['destination_id', 'event_id', 'sequence'] as const satisfies (keyof Own)[];

type Columns<Row> = readonly (keyof Row)[];

function put<Row>(into: unknown[], row: Row, columns: Columns<Row>): void {
  for (const column of columns) into.push(row[column]);
}

function putAll<Row>(into: unknown[], rows: readonly Row[], columns: Columns<Row>): void {
  into.push(rows.length);
  for (const row of rows) put(into, row, columns);
}

/** A list that is rarely needed. */
const rare = <T>(items: T[] | undefined): T[] | undefined => (items?.length ? items : undefined);

/** Reads the values of an array in the order in which they were put there. */
class Values {
  readonly #values: readonly unknown[];
  #at = 0;

  constructor(values: readonly unknown[]) {
    this.#values = values;
  }

  isOver(): boolean {
    return this.#at === this.#values.length;
  }

  next<T>(): T {
    return this.#values[this.#at++] as T;
  }

  row<Row>(columns: Columns<Row>): Row {
    const row = {} as Row;
    for (const column of columns) row[column] = this.next();
    return row;
  }

  list<T>(take: (values: Values) => T): T[] {
    const items: T[] = [];
    for (let left = this.next<number>(); left > 0; left--) items.push(take(this));
    return items;
  }

  rows<Row>(columns: Columns<Row>): Row[] {
    return this.list(() => this.row(columns));
  }
}

/**
 * The writes of a commit as one flat array, because what is passed to a thread is cloned: strings and numbers in one
 * array take two thirds of the time that they take in objects. What is rare stays an object.
 */
export function flatWrites(writes: readonly Write[]): unknown[] {
  const into: unknown[] = [];
  for (const write of writes) putWrite(into, write);
  return into;
}

/** The writes in an array made by `flatWrites`. */
export function writesOf(flat: readonly unknown[]): Write[] {
  const values = new Values(flat);
  const writes: Write[] = [];
  while (!values.isOver()) writes.push(takeWrite(values));
  return writes;
}

function putWrite(into: unknown[], write: Write): void {
  into.push(write.kind);
  switch (write.kind) {
    case 'notification':
      into.push(write.events.length);
      for (const event of write.events) putEvent(into, event);
      putAll(into, write.messages, MESSAGE);
      putAll(into, write.windows, WINDOW);
      into.push(rare(write.sent), rare(write.aliases));
      break;
    case 'message':
      put(into, write.message, MESSAGE);
      putAll(into, write.sent ? [write.sent] : [], SENT);
      into.push(rare(write.aliases), write.answered, write.asks);
      break;
    case 'attempt':
      put(into, write.attempt, ATTEMPT);
      break;
    case 'key':
      put(into, write.claim, CLAIM);
      break;
    case 'release':
      into.push(write);
  }
}

function takeWrite(values: Values): Write {
  const kind = values.next<Write['kind']>();
  switch (kind) {
    case 'notification':
      return {
        kind,
        events: values.list(takeEvent),
        messages: values.rows<MessageChange>(MESSAGE),
        windows: values.rows<WindowChange>(WINDOW),
        sent: values.next(),
        aliases: values.next(),
      };
    case 'message':
      return {
        kind,
        message: values.row<MessageChange>(MESSAGE),
        sent: values.rows<SentBody>(SENT)[0],
        aliases: values.next(),
        answered: values.next(),
        asks: values.next(),
      };
    case 'attempt':
      return { kind, attempt: values.row<AttemptRecord>(ATTEMPT) };
    case 'key':
      return { kind, claim: values.row<KeyClaim>(CLAIM) };
    case 'release':
      return values.next();
  }
}

function putEvent(into: unknown[], event: NewEvent): void {
  put(into, event, EVENT_COLUMNS);
  putAll(into, event.deliveries, DELIVERY);
  putAll(into, event.reply ? [event.reply] : [], REPLY);
  into.push(rare(event.gathering));
}

const takeEvent = (values: Values): NewEvent =>
  Object.assign(values.row<NewEvent>(EVENT_COLUMNS), {
    deliveries: values.rows<NewDelivery>(DELIVERY),
    reply: values.rows<Reply>(REPLY)[0] ?? null,
    gathering: values.next<NewEvent['gathering']>(),
  });

/** @param results of the writes, in order */
export function flatResults(writes: readonly Write[], results: readonly WriteResult[]): unknown[] {
  const into: unknown[] = [];
  writes.forEach(({ kind }, index) => {
    const result = results[index];
    if (kind === 'notification') putRecorded(into, result as Recorded);
    else into.push(kind === 'attempt' ? (result as WriteResult<'attempt'>).moved : result);
  });
  return into;
}

/** The results in an array made by `flatResults`. @param writes as there */
export function resultsOf(writes: readonly Write[], flat: readonly unknown[]): WriteResult[] {
  const values = new Values(flat);
  return writes.map(({ kind }): WriteResult => {
    if (kind === 'notification') return takeRecorded(values);
    return kind === 'attempt' ? { moved: values.next() } : values.next();
  });
}

function putRecorded(into: unknown[], { fresh, own, late, behind }: Recorded): void {
  into.push(fresh);
  putAll(into, own, OWN);
  into.push(rare(late), rare(behind));
}

const takeRecorded = (values: Values): Recorded => ({
  fresh: values.next(),
  own: values.rows<Own>(OWN),
  late: values.next<Recorded['late'] | undefined>() ?? [],
  behind: values.next<Recorded['behind'] | undefined>() ?? [],
});
