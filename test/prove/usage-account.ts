import { type BookRow } from '../../gateway/sandbox/billing/book';
import { rows } from '../support/rows';
import { LOST, type Contact } from './usage-contacts';

/** A row of `usage_days`, or the part of it that a comparison needs. */
export type Row = Record<string, string | number>;

const KEY = ['line_id', 'clock', 'day', 'direction', 'kind', 'template', 'category', 'type', 'country'];

/** Every row of `usage_days` and `usage_months` as text, sorted in the order of code points. */
export async function dump(databaseUrl: string): Promise<string> {
  const tables = await Promise.all(
    ['usage_days', 'usage_months'].map((table) => rows(databaseUrl, `select * from ${table}`)),
  );
  return tables
    .flat()
    .map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))
    .sort()
    .join('\n');
}

export const usageOf = async (databaseUrl: string, table: 'usage_days' | 'usage_months'): Promise<Row[]> =>
  (await rows(databaseUrl, `select * from ${table}`)) as Row[];

/** Sums counts by the values of some columns, joined by spaces. */
export function summed(of: readonly Row[], columns: string[], counts: string[]): Map<string, number[]> {
  const sums = new Map<string, number[]>();
  for (const row of of) {
    const key = columns.map((column) => row[column]).join(' ');
    const before = sums.get(key) ?? counts.map(() => 0);
    sums.set(
      key,
      counts.map((count, index) => (before[index] ?? 0) + Number(row[count])),
    );
  }
  return sums;
}

/** A sentence for each key whose values differ. */
export function differences<Our, Their>(
  what: string,
  ours: ReadonlyMap<string, Our>,
  theirs: ReadonlyMap<string, Their>,
  isEqual: (our: Our | undefined, their: Their | undefined) => boolean = (our, their) =>
    JSON.stringify(our) === JSON.stringify(their),
): string[] {
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return keys
    .filter((key) => !isEqual(ours.get(key), theirs.get(key)))
    .map(
      (key) =>
        `${what} ${key}: ${JSON.stringify(ours.get(key))} instead of ${JSON.stringify(theirs.get(key))}`,
    );
}

/** A send of a proof that the platform may have accepted. */
export interface Attempt {
  contact: Contact;
  message: { kind: string; template: string };
  /** Milliseconds of the gateway's clock when its stage began. */
  at: number;
  isAnswered: boolean;
  /** Without an answer, because the gateway was killed. */
  isCut: boolean;
}

/** A message from a contact. */
export type Written = Pick<Attempt, 'contact' | 'at'>;

export interface Seen {
  /** All of `usage_days`. */
  days: readonly Row[];
  /** All of `usage_months`. */
  months: readonly Row[];
  book: readonly BookRow[];
  /** In the order of their index. */
  lines: readonly { id: number; phoneNumberId: string; zone: string }[];
  sends: readonly Attempt[];
  wrote: readonly Written[];
}

const COUNTS = ['sent', 'delivered', 'read', 'failed', 'charged'];
const CLOCKS = ['utc', 'line'] as const;

/** @returns what differs between the gateway's days, the platform's book, and what was sent and written */
export const faultsOf = (seen: Seen): string[] => [
  ...againstBook(seen),
  ...ofLost(seen),
  ...CLOCKS.flatMap((clock) => [...ofKinds(seen, clock), ...ofWritten(seen, clock)]),
  ...ofBothClocks(seen),
  ...ofMonths(seen),
];

const sentOf = ({ days }: Seen, clock: string): Row[] =>
  days.filter((row) => row.clock === clock && row.direction === 'out');

/** Every message whose statuses arrived, as the platform booked it. */
function againstBook(seen: Seen): string[] {
  const columns = ['line', 'day', 'category', 'type', 'country'];
  const idOf = new Map(seen.lines.map(({ id, phoneNumberId }) => [phoneNumberId, id]));
  const told = (rows: readonly Row[]) => rows.filter(({ country }) => country !== LOST);
  const ours = told(sentOf(seen, 'utc').map((row) => ({ ...row, line: row.line_id ?? 0 })));
  const theirs = told(
    seen.book.map((row) => ({ ...row, line: idOf.get(row.line) ?? 0, sent: row.accepted })),
  );
  return differences('Book:', summed(ours, columns, COUNTS), summed(theirs, columns, COUNTS));
}

/** Messages without any status: they were sent, and nobody knows more. */
function ofLost(seen: Seen): string[] {
  const all = sentOf(seen, 'utc').filter(({ country }) => country === LOST);
  const known = all.filter(
    (row) => row.category !== '' || COUNTS.some((count) => count !== 'sent' && row[count] !== 0),
  );
  return known.map((row) => `Lost, and yet known: ${JSON.stringify(row)}`);
}

/** Kinds and templates, which the book does not have. A send that was cut may be there without either. */
function ofKinds(seen: Seen, clock: (typeof CLOCKS)[number]): string[] {
  const expected = new Map<string, { answered: number; cut: number }>();
  const add = (key: string, { isAnswered }: Attempt) => {
    const one = expected.get(key) ?? { answered: 0, cut: 0 };
    expected.set(key, { answered: one.answered + Number(isAnswered), cut: one.cut + Number(!isAnswered) });
  };
  for (const attempt of seen.sends) {
    const { kind, template } = attempt.message;
    const [where, country] = [placeOf(seen, clock, attempt), attempt.contact.country];
    add([where, kind, template, country].join(' '), attempt);
    if (attempt.isCut) add([where, '', '', country].join(' '), attempt);
  }
  const columns = ['line_id', 'day', 'kind', 'template', 'country'];
  const ours = new Map(
    [...summed(sentOf(seen, clock), columns, ['sent'])].map(([key, [sent = 0]]) => [key, sent]),
  );
  return differences(
    `Sends by ${clock}:`,
    ours,
    expected,
    (sent = 0, one = { answered: 0, cut: 0 }) => sent >= one.answered && sent <= one.answered + one.cut,
  );
}

function ofWritten(seen: Seen, clock: (typeof CLOCKS)[number]): string[] {
  const columns = ['line_id', 'day', 'kind', 'country'];
  const ours = seen.days.filter((row) => row.clock === clock && row.direction === 'in');
  const expected = seen.wrote.map((written) => {
    const [line_id, day] = placeOf(seen, clock, written).split(' ') as [string, string];
    return { line_id, day, kind: 'text', country: written.contact.country, received: 1 };
  });
  return differences(
    `Received by ${clock}:`,
    summed(ours, columns, ['received']),
    summed(expected, columns, ['received']),
  );
}

/** Both clocks count the same messages, on other days. */
function ofBothClocks({ days }: Seen): string[] {
  const columns = KEY.filter((column) => !['clock', 'day'].includes(column));
  const [utc, line] = CLOCKS.map((clock) =>
    summed(
      days.filter((row) => row.clock === clock),
      columns,
      [...COUNTS, 'received'],
    ),
  );
  return differences('Clock of the line:', line, utc);
}

/** Months add up their days. */
function ofMonths({ days, months }: Seen): string[] {
  const columns = [...KEY.filter((column) => column !== 'day'), 'month'];
  const expected = days.map((row) => ({ ...row, month: String(row.day).slice(0, 7) }));
  return differences(
    'Month:',
    summed(months, columns, [...COUNTS, 'received']),
    summed(expected, columns, [...COUNTS, 'received']),
  );
}

/** The line and the day, in the line's time zone or UTC. */
function placeOf({ lines }: Seen, clock: (typeof CLOCKS)[number], { contact, at }: Written): string {
  const { id, zone } = lines[contact.line] ?? { id: 0, zone: 'UTC' };
  return `${id} ${calendarOf(clock === 'line' ? zone : 'UTC').format(at)}`;
}

/** One for each zone: a formatter takes much memory, which is freed late. */
const calendars = new Map<string, Intl.DateTimeFormat>();

function calendarOf(timeZone: string): Intl.DateTimeFormat {
  const calendar = calendars.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone });
  calendars.set(timeZone, calendar);
  return calendar;
}
