import { runCommand } from '../support/gateway-process';
import { write } from '../support/rows';
import { DAY, isoTime } from '../../gateway/time';
import { median } from './load';
import { addOperator, logIn } from './panel';
import { Ground, loadNow } from './stand';

const LINES = 100;
const CUSTOMERS = 20;
const DAYS = 365;
const ROUNDS = 7;

/** Kind, template, category, type, country of the rows of a day. */
const SENT = [
  ...['BR', 'PT', 'US'].map((country) => ['text', '', 'service', 'regular', country]),
  ...['order_update', 'order_ready'].flatMap((template) =>
    ['BR', 'PT', 'US'].map((country) => ['template', template, 'utility', 'regular', country]),
  ),
  ...['BR', 'PT'].map((country) => ['template', 'spring_sale', 'marketing', 'regular', country]),
  ['template', 'log_in_code', 'authentication', 'regular', 'BR'],
  ...['BR', 'PT', 'US'].map((country) => ['received', '', '', '', country]),
];

const RATES = Object.fromEntries(
  ['service', 'utility', 'marketing', 'authentication'].map((category) => [
    category,
    { BR: 8000, '*': 12_000 },
  ]),
);

/**
 * Measures the page of usage and its operation of the management API with a year of 100 lines, 15 rows a line and day,
 * in the time zone of the line and in UTC.
 */
export async function benchUsage(): Promise<string[]> {
  const told = [
    `Usage of ${LINES} lines in ${DAYS} days, ms (median of ${ROUNDS}): page, GET /v1/usage; ${loadNow()}`,
    '',
  ];
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const ground = new Ground();
    try {
      told.push(...(await benchOn(ground, database)), '');
    } finally {
      await ground.clear();
    }
  }
  return told;
}

async function benchOn(ground: Ground, database: 'SQLite' | 'PostgreSQL'): Promise<string[]> {
  const url = database === 'SQLite' ? await ground.sqlite('usage') : await ground.postgres();
  const stand = await ground.prepare(
    url,
    Array.from({ length: LINES }, () => []),
  );
  const days = Array.from({ length: DAYS }, (_, index) =>
    isoTime(Date.now() - (index + 1) * DAY).slice(0, 10),
  );
  for (const sql of stored(days)) await write(url, sql);
  await addOperator(stand.env);
  const made = await runCommand(['admin-token', 'create', '--name', 'Bench', '--json'], stand.env);
  const { token } = JSON.parse(made.stdout) as { token: string };
  const { url: gateway } = await ground.start(stand);
  const cookie = `panel=${await logIn(gateway)}`;
  const [from = '', to = ''] = [days.at(-1), days[0]];
  const month = `${to.slice(0, 8)}01`;
  const lines: string[] = [];
  for (const [name, by, per, since] of [
    ['a year by month, by customer', 'customer', 'month', from],
    ['a year by month, by line', 'line', 'month', from],
    ['a year, by template', 'template', '', from],
    ['a year by week', '', 'week', from],
    ['a month by day, by customer', 'customer', 'day', month],
    ['a month by day', '', 'day', month],
  ] as const) {
    const asked = { ...(by && { by }), ...(per && { per }) };
    const page = new URLSearchParams({ since, until: to, ...asked, by: by || 'period' });
    const query = new URLSearchParams({ from: since, to, ...asked });
    const took = [
      await medianOf(`${gateway}/panel/usage?${page}`, { cookie }),
      await medianOf(`${gateway}/v1/usage?${query}`, { authorization: `Bearer ${token}` }),
    ];
    lines.push(
      `${database.padEnd(12)}${name.padEnd(30)}${took.map((ms) => ms.toFixed(0).padStart(6)).join('')}`,
    );
  }
  return lines;
}

async function medianOf(url: string, headers: Record<string, string>): Promise<number> {
  const took: number[] = [];
  // The first one warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now();
    const answer = await fetch(url, { headers, redirect: 'manual' });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text.slice(0, 200)}`);
    if (round) took.push(performance.now() - began);
  }
  return median(took);
}

/** Statements for both databases that store customers, a rate card, and the usage of each line and day. */
function stored(days: string[]): string[] {
  const dimensions = ['clock', 'direction', 'kind', 'template', 'category', 'type', 'country'];
  const counts = ['sent', 'delivered', 'read', 'failed', 'received', 'charged'];
  const columns = ['line_id', 'day', ...dimensions, ...counts].join(', ');
  const list = (rows: readonly string[][]) =>
    `(values ${rows.map((row) => `(${row.map((text) => `'${text}'`).join(', ')})`).join(', ')})`;
  const many = (isSent: boolean) =>
    `insert into usage_days (${columns})
     select l.id, d.column1, c.column1, '${isSent ? 'out' : 'in'}', k.column1, k.column2, k.column3, k.column4, k.column5,
       ${isSent ? '40 + l.id, 38 + l.id, 20, 2, 0, 38 + l.id' : '0, 0, 0, 0, 17 + l.id, 0'}
     from lines l, ${list([['line'], ['utc']])} c, ${list(days.map((day) => [day]))} d,
       ${list(SENT.filter(([kind]) => (kind !== 'received') === isSent))} k`;
  const now = isoTime(Date.now());
  return [
    ...Array.from(
      { length: CUSTOMERS },
      (_, index) => `insert into customers (name, created_at) values ('Customer ${index + 1}', '${now}')`,
    ),
    `update lines set customer_id = 1 + id % ${CUSTOMERS}`,
    `insert into rate_cards (name, currency, effective_from, rates, imported_at)
     values ('Prices', 'USD', '2020-01-01', '${JSON.stringify(RATES)}', '${now}')`,
    many(true),
    many(false),
    `insert into usage_months (line_id, month, ${dimensions.join(', ')}, ${counts.join(', ')})
     select line_id, substr(day, 1, 7), ${dimensions.join(', ')}, ${counts.map((count) => `sum(${count})`).join(', ')}
     from usage_days group by line_id, substr(day, 1, 7), ${dimensions.join(', ')}`,
    'analyze',
  ];
}
