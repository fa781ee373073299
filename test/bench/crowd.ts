import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isoTime } from '../../gateway/time';
import { openBrowser } from '../support/panel/browser';
import { settings } from '../support/test-gateway';
import { median } from './load';
import { type Options } from './options';
import { addOperator, kilobytes, logIn, store, visits } from './panel';
import { startShipped } from './scene';

const LINES = 1_000;
const CUSTOMERS = 200;
/** The customer of line 777 and four others. */
const CUSTOMER = (777 % CUSTOMERS) + 1;
const MESSAGES = 100_000;
const PAGES = [
  ...['overview', 'lines', 'lines?q=777', 'lines?from=950', 'messages', 'audit', 'conversations'],
  ...['conversations?line=777', 'events', 'events?line=777', `events?line=${LINES}`, 'events?q=16505551234'],
  ...[
    'events?q=order+ready',
    'events?q=no+such+words',
    'events?state=dead&about=messages',
    'events?about=statuses',
  ],
  ...[
    'search?q=1650555',
    'search?q=5551234',
    'search?q=order',
    'search?q=ready+order',
    'search?q=no+such+words',
  ],
  ...['search/quick?q=or', 'search/quick?q=1650555'],
  ...['search?q=wamid.sent.12345', 'conversations?contact=51234'],
];

/**
 * Measures loading and painting of the panel's lists with 1,000 lines and a million events, for an owner and for an
 * agent of one of 200 customers, in turns.
 */
export async function benchCrowd({ events = '1000000' }: Options): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-crowd-'));
  const path = join(folder, 'crowd.db');
  const env = settings(`sqlite:${path}`, { GATEWAY_UPSTREAM_URL: 'sandbox', GATEWAY_LOG_IN_LIMIT: 'off' });
  const { gateway } = await startShipped(env, 'http://127.0.0.1:9/hook', [], () => {
    store(path, Number(events));
    addLines(path);
  });
  await addOperator(env, CUSTOMER);
  const browser = await openBrowser();
  const told = [
    `${LINES} lines and ${events} events: first paint in ms (median), KB on the first and on later visits;`,
    `then of an agent with ${LINES / CUSTOMERS} of the lines, and agent ÷ owner`,
    '',
  ];
  try {
    const [owner, agent] = await Promise.all(
      ['ana', 'ben'].map(async (name) => {
        const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
        const value = await logIn(gateway.url, name);
        await context.addCookies([{ name: 'panel', value, url: gateway.url }]);
        return context;
      }),
    );
    if (!owner || !agent) throw new Error('nobody is logged in');
    for (const name of PAGES) {
      const url = `${gateway.url}/panel/${name}`;
      const [first, ...later] = await visits(owner, url, 6);
      const paint = median(later.map((one) => one.paint));
      const bytes = median(later.map((one) => one.bytes));
      // An agent has no audit, and the pages of lines of others answer 404.
      const ofAgent = name === 'audit' ? [] : (await visits(agent, url, 6)).slice(1);
      const theirs = median(ofAgent.map((one) => one.paint));
      told.push(
        `${name.padEnd(34)} ${paint.toFixed(0).padStart(5)} ms, ${kilobytes(first?.bytes)} KB, then ${kilobytes(bytes)} KB` +
          (ofAgent.length ? `; ${theirs.toFixed(0).padStart(5)} ms, ${(theirs / paint).toFixed(2)}` : ''),
      );
    }
  } finally {
    await browser.close();
    await gateway.end();
    rmSync(folder, { recursive: true });
  }
  return told;
}

/**
 * Adds the lines. The first keeps half of the events and the last gets a single one. Also adds unanswered
 * messages.
 */
function addLines(path: string): void {
  const database = new DatabaseSync(path);
  const columns = database
    .prepare('pragma table_info(lines)')
    .all()
    .map(({ name }) => String(name));
  const change: Record<string, string> = {
    id: 'n',
    name: `'Shop ' || n`,
    phone_number: `'+1 555 ' || (1000000 + n)`,
    phone_number_id: `'2065403522' || (10000 + n)`,
  };
  database.exec(`with recursive numbers(n) as (select 2 union all select n + 1 from numbers where n < ${LINES})
    insert into lines (${columns.join(', ')})
    select ${columns.map((column) => change[column] ?? column).join(', ')} from lines, numbers where lines.id = 1`);
  database.exec(`update events set line_id = 2 + (rowid / 2) % ${LINES - 2} where rowid % 2 = 1;
    update events set line_id = ${LINES} where rowid = 77;
    insert into customers (name, created_at)
      select 'Customer ' || id, '${isoTime(Date.now())}' from lines where id <= ${CUSTOMERS};
    update lines set customer_id = 1 + id % ${CUSTOMERS};
    update registry set revision = revision + 1`);
  database.exec(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${MESSAGES})
    insert into messages (line_id, wamid, contact, type, accepted_at)
    select 1 + n % ${LINES}, 'wamid.sent.' || n, '1202555' || (n % 10000), 'template', '${isoTime(Date.now())}' from numbers`);
  database.close();
}
