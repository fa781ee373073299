import {
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

  list<T>(take: (values: Values) => T): T[] {
    const items: T[] = [];
    for (let left = this.next<number>(); left > 0; left--) items.push(take(this));
    return items;
  }

  optional<T>(take: (values: Values) => T): T | null {
    return this.next<boolean>() ? take(this) : null;
  }
}

function putList<T>(into: unknown[], items: readonly T[], put: (into: unknown[], item: T) => void): void {
  into.push(items.length);
  for (const item of items) put(into, item);
}

function putOptional<T>(
  into: unknown[],
  item: T | null | undefined,
  put: (into: unknown[], item: T) => void,
): void {
  into.push(item !== null && item !== undefined);
  if (item !== null && item !== undefined) put(into, item);
}

/** A list that is rarely needed. */
const rare = <T>(items: T[] | undefined): T[] | undefined => (items?.length ? items : undefined);

/**
 * The writes of a commit as one flat array, because what is passed to a thread is cloned: strings and numbers in one
 * array take a third of the time that they take in objects. What is rare stays an object.
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
  switch (write.kind) {
    case 'notification':
      into.push('notification');
      putList(into, write.events, putEvent);
      putList(into, write.messages, putMessage);
      putList(into, write.windows, putWindow);
      into.push(rare(write.sent), rare(write.aliases));
      break;
    case 'message':
      into.push('message');
      putMessage(into, write.message);
      putOptional(into, write.sent, putSent);
      into.push(rare(write.aliases), write.answered, write.asks);
      break;
    case 'attempt':
      into.push('attempt');
      putAttempt(into, write.attempt);
      break;
    case 'key':
      into.push('key');
      putClaim(into, write.claim);
      break;
    case 'release':
      into.push('release', write);
  }
}

function takeWrite(values: Values): Write {
  switch (values.next<Write['kind']>()) {
    case 'notification':
      return {
        kind: 'notification',
        events: values.list(takeEvent),
        messages: values.list(takeMessage),
        windows: values.list(takeWindow),
        sent: values.next(),
        aliases: values.next(),
      };
    case 'message':
      return {
        kind: 'message',
        message: takeMessage(values),
        sent: values.optional(takeSent) ?? undefined,
        aliases: values.next(),
        answered: values.next(),
        asks: values.next(),
      };
    case 'attempt':
      return { kind: 'attempt', attempt: takeAttempt(values) };
    case 'key':
      return { kind: 'key', claim: takeClaim(values) };
    case 'release':
      return values.next();
  }
}

const putEvent = (into: unknown[], event: NewEvent): void => {
  into.push(
    event.id,
    event.line_id,
    event.subject,
    event.kind,
    event.identity,
    event.contact,
    event.wamid,
    event.phone_number_id,
    event.waba_id,
    event.body,
    event.received_at,
    event.automation,
    rare(event.gathering),
  );
  putList(into, event.deliveries, putDelivery);
  putOptional(into, event.reply, putReply);
};

const takeEvent = (values: Values): NewEvent => ({
  id: values.next(),
  line_id: values.next(),
  subject: values.next(),
  kind: values.next(),
  identity: values.next(),
  contact: values.next(),
  wamid: values.next(),
  phone_number_id: values.next(),
  waba_id: values.next(),
  body: values.next(),
  received_at: values.next(),
  automation: values.next(),
  gathering: values.next(),
  deliveries: values.list(takeDelivery),
  reply: values.optional(takeReply),
});

const putDelivery = (into: unknown[], { destination_id, lane, due_at }: NewDelivery): void => {
  into.push(destination_id, lane, due_at);
};

const takeDelivery = (values: Values): NewDelivery => ({
  destination_id: values.next(),
  lane: values.next(),
  due_at: values.next(),
});

const putReply = (into: unknown[], { names, kind, choice, to }: Reply): void => {
  into.push(names, kind, choice, to);
};

const takeReply = (values: Values): Reply => ({
  names: values.next(),
  kind: values.next(),
  choice: values.next(),
  to: values.next(),
});

const putWindow = (into: unknown[], { line_id, contact, last_inbound_at }: WindowChange): void => {
  into.push(line_id, contact, last_inbound_at);
};

const takeWindow = (values: Values): WindowChange => ({
  line_id: values.next(),
  contact: values.next(),
  last_inbound_at: values.next(),
});

const putMessage = (into: unknown[], message: MessageChange): void => {
  into.push(
    message.line_id,
    message.wamid,
    message.contact,
    message.type,
    message.template_name,
    message.template_language,
    message.sent_from,
    message.client_ref,
    message.accepted_at,
    message.sent_at,
    message.delivered_at,
    message.read_at,
    message.played_at,
    message.failed_at,
    message.failure,
    message.pricing,
  );
};

const takeMessage = (values: Values): MessageChange => ({
  line_id: values.next(),
  wamid: values.next(),
  contact: values.next(),
  type: values.next(),
  template_name: values.next(),
  template_language: values.next(),
  sent_from: values.next(),
  client_ref: values.next(),
  accepted_at: values.next(),
  sent_at: values.next(),
  delivered_at: values.next(),
  read_at: values.next(),
  played_at: values.next(),
  failed_at: values.next(),
  failure: values.next(),
  pricing: values.next(),
});

const putSent = (into: unknown[], { line_id, wamid, body, accepted_at }: SentBody): void => {
  into.push(line_id, wamid, body, accepted_at);
};

const takeSent = (values: Values): SentBody => ({
  line_id: values.next(),
  wamid: values.next(),
  body: values.next(),
  accepted_at: values.next(),
});

const putAttempt = (into: unknown[], attempt: AttemptRecord): void => {
  into.push(
    attempt.destination_id,
    attempt.event_id,
    attempt.number,
    attempt.started_at,
    attempt.duration_ms,
    attempt.http_status,
    attempt.outcome,
    attempt.answer,
    attempt.state,
    attempt.due_at,
  );
};

const takeAttempt = (values: Values): AttemptRecord => ({
  destination_id: values.next(),
  event_id: values.next(),
  number: values.next(),
  started_at: values.next(),
  duration_ms: values.next(),
  http_status: values.next(),
  outcome: values.next(),
  answer: values.next(),
  state: values.next(),
  due_at: values.next(),
});

const putClaim = (into: unknown[], { line_id, key, body_hash, started_at, since }: KeyClaim): void => {
  into.push(line_id, key, body_hash, started_at, since);
};

const takeClaim = (values: Values): KeyClaim => ({
  line_id: values.next(),
  key: values.next(),
  body_hash: values.next(),
  started_at: values.next(),
  since: values.next(),
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

const putRecorded = (into: unknown[], { fresh, own, late, behind }: Recorded): void => {
  into.push(fresh.length, ...fresh);
  putList(into, own, putOwn);
  into.push(rare(late), rare(behind));
};

const takeRecorded = (values: Values): Recorded => ({
  fresh: values.list((from) => from.next<string>()),
  own: values.list(takeOwn),
  late: values.next<Recorded['late'] | undefined>() ?? [],
  behind: values.next<Recorded['behind'] | undefined>() ?? [],
});

type Own = Recorded['own'][number];

const putOwn = (into: unknown[], { destination_id, event_id, sequence }: Own): void => {
  into.push(destination_id, event_id, sequence);
};

const takeOwn = (values: Values): Own => ({
  destination_id: values.next(),
  event_id: values.next(),
  sequence: values.next(),
});
