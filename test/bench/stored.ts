import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type * as offlineModule from '../../gateway/cli/offline';
import type * as retentionModule from '../../gateway/forwarding/retention';
import { eventIdBefore } from '../../gateway/store/event-id';
import { DAY, isoTime } from '../../gateway/time';
import { APP_SECRET, notification, settings, textFrom } from '../support/test-gateway';
import { forwarder, inTurn, report, steadyRound, type Forwarder } from './events';
import { quantile } from './load';
import { startProgram } from './processes';
import { startShipped, type Shipped } from './scene';

const FEW = 1_000;
const MANY = 1_000_000;

const shipped = createRequire(join(__dirname, '../../gateway/dist/main.js'));
const { offline } = shipped('./cli/offline') as typeof offlineModule;
const { clearOldEvents } = shipped('./forwarding/retention') as typeof retentionModule;

/**
 * The same with few and with many events stored, each with its delivery and its attempt: what one more costs does not
 * grow with them. Then what is told at the steady rate while the many are cleared away, because they are 100 days old.
 */
export async function benchStored(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-stored-'));
  const [upstream, receiver] = await Promise.all([startProgram('upstream'), startProgram('receiver')]);
  const started: Shipped[] = [];
  const start = async (count: number): Promise<Forwarder> => {
    const path = join(folder, `${count}.db`);
    const env = settings(`sqlite:${path}`, {
      GATEWAY_UPSTREAM_URL: upstream.url,
      GATEWAY_APP_SECRET: APP_SECRET,
    });
    const one = await startShipped(env, `${receiver.url}/hook`, [], () => store(path, count));
    started.push(one);
    return forwarder(`${count}`, one.gateway);
  };
  const all: Forwarder[] = [];
  try {
    for (const count of [MANY, FEW]) all.push(await start(count));
    const [many, few] = all as [Forwarder, Forwarder];
    await inTurn(receiver.url, [many, few]);
    const lines = report(many, few);
    const cleared = await whileCleared(started[0] as Shipped, receiver.url, many);
    return [`Events with ${MANY} and with ${FEW} stored: rounds in turn; medians`, '', ...lines, '', cleared];
  } finally {
    await Promise.all(all.map(({ load }) => load.end()));
    await Promise.all(started.map(({ gateway }) => gateway.end()));
    await Promise.all([upstream.end(), receiver.end()]);
    rmSync(folder, { recursive: true });
  }
}

async function whileCleared({ env }: Shipped, receiver: string, one: Forwarder): Promise<string> {
  Object.assign(one, { acknowledged: [], arrived: [] });
  let goesOn = true;
  const clearing = offline(env, ({ store: opened, clock }) =>
    clearOldEvents({ store: opened, clock }, () => goesOn),
  );
  await steadyRound(receiver, one, 'cleared');
  goesOn = false;
  await clearing;
  return `while old ones are cleared away: answered p50 ${quantile(one.acknowledged, 0.5).toFixed(1)} ms, p99 ${quantile(one.acknowledged, 0.99).toFixed(1)} ms`;
}

/** Events that were delivered 100 days ago, put in by SQL. */
function store(path: string, count: number): void {
  const at = Date.now() - 100 * DAY;
  const body = JSON.stringify(
    notification(textFrom('16505550000', 'Is my order ready?', 'wamid.HBgLMTY1MDU1N')),
  );
  const database = new DatabaseSync(path);
  database.exec('pragma synchronous = off');
  database.exec('begin');
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  const id = `'${eventIdBefore(at)}' || printf('%016d', n)`;
  const time = `'${isoTime(at)}'`;
  database.exec(`insert into events
    (id, line_id, subject, kind, identity, contact, wamid, phone_number_id, waba_id, body, received_at) ${numbers}
    select ${id}, 1, 'message', 'text', 'message:106540352242922:wamid.old-' || n, '1650555' || (n % 10000),
      'wamid.old-' || n, '106540352242922', '102290129340398', '${body.replaceAll("'", "''")}', ${time} from numbers`);
  database.exec(`insert into deliveries
    (destination_id, event_id, lane, state, attempts, due_at, claimed_by, finished_at) ${numbers}
    select 1, ${id}, '1650555' || (n % 10000), 'delivered', 1, ${time}, null, ${time} from numbers`);
  database.exec(`insert into attempts
    (destination_id, event_id, number, started_at, duration_ms, http_status, outcome, answer) ${numbers}
    select 1, ${id}, 1, ${time}, 12, 200, 'delivered', '' from numbers`);
  database.exec('commit');
  database.close();
}
