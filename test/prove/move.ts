import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { digestOf, NOT_MOVED } from '../support/dump';
import { MAIN, runCommand } from '../support/gateway-process';
import { rows } from '../support/rows';
import { secretFile } from '../support/secret-file';
import { counted, faultsOf, MOST_REPEATED, seconds, settle, untilTaken } from './account';
import { addLine, launch, settingsOf, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof, type Stage } from './proof';
import { startReceiver } from './receiver';

type Sizes = { events: number; seconds: number; rate: number; kills: number };

/** Milliseconds until an answer before the move, so that events wait when the gateway is killed. */
const SLOW = 1_000;
const DELIVERED_WITHIN = 5 * 60_000;

export const move: Proof<Sizes> = {
  name: 'move',
  proves:
    'a gateway under load is killed, its SQLite database is moved to PostgreSQL by a command that is killed in between, and the load continues there: no event is lost or out of order, and all rows are equal',
  on: ['PostgreSQL'],
  sizes: { events: 1_000_000, seconds: 10, rate: 100, kills: 3 },

  async run(stage) {
    const { sizes, folder } = stage;
    let isSlow = true;
    const receiver = await startReceiver(async () => {
      if (isSlow) await wait(SLOW);
      return 200;
    });
    stage.atEnd(receiver.close);
    const file = join(folder, 'gateway.db');
    const before = await settingsOf({ databaseUrl: `sqlite:${file}` });
    const after = { ...before, GATEWAY_DATABASE_URL: stage.databaseUrl };
    await addLine(before, '--forward-url', `${receiver.url}/hook`);
    fill(file, sizes.events);
    stage.tell(`${sizes.events} old events`);
    const old = launch(stage, before);
    await old.listening;
    const producer = produce({
      url: () => urlOf(before),
      count: Infinity,
      contacts: contactsOf(48),
      atOnce: 16,
      rate: sizes.rate,
      repeatAfter: 200,
    });
    stage.atEnd(producer.stop);
    await wait(sizes.seconds * 1000);
    await old.end('SIGKILL');
    const stoppedAt = performance.now();
    const waiting = producer.acknowledged().length - receiver.taken.size;
    const { killed, faults } = await moveAndKill(stage, before, after);
    const movedAt = performance.now();
    const moved = readdirSync(folder).find((name) => name.startsWith('gateway.db-moved-')) ?? '';
    faults.push(...(await differences(`sqlite:${join(folder, moved)}`, stage.databaseUrl)));

    const first = launch(stage, after);
    await first.listening;
    await wait(sizes.seconds * 1000);
    // Killed once more while older and later events wait: the next process reads both from PostgreSQL.
    await first.end('SIGKILL');
    isSlow = false;
    const gateway = launch(stage, after);
    await gateway.listening;
    await wait(sizes.seconds * 1000);
    producer.stop();
    await producer.done;
    const isAllTaken = await untilTaken([producer], [receiver], DELIVERED_WITHIN);
    const account = settle([producer], receiver.arrivals);
    faults.push(...faultsOf(account));
    if (waiting <= 0)
      faults.push('No event was waiting when the gateway was killed, so the order was not tested');
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (account.repeated.length > 2 * MOST_REPEATED)
      faults.push(`${account.repeated.length} events were repeated, more than ${2 * MOST_REPEATED}`);
    const audit = await runCommand(['audit', 'verify'], after);
    if (audit.code !== 0) faults.push(`The audit is broken: ${audit.stdout}${audit.stderr}`);
    await addLine(after, '--phone-number-id', '106540352242923').catch((error: Error) =>
      faults.push(`No line can be added: ${error.message}`),
    );
    return {
      figures: {
        'events before': sizes.events,
        'events acknowledged': account.acknowledged,
        'waiting when the gateway was killed': waiting,
        'the copy was killed': killed,
        'gateway killed → copy complete': seconds(movedAt - stoppedAt),
        'refused or cut, repeated by upstream': counted(producer.refusals),
        lost: account.lost.length,
        'first attempts out of order': account.outOfOrder.length,
        repeated: `${account.repeated.length} (${2 * MOST_REPEATED} allowed)`,
      },
      faults,
    };
  },
};

/** Runs the command, and kills it at as many points of the copy. */
async function moveAndKill(
  stage: Stage<Sizes>,
  before: Record<string, string>,
  after: Record<string, string>,
): Promise<{ killed: number; faults: string[] }> {
  const { kills, events } = stage.sizes;
  const words = ['migrate-to', '--url-file', secretFile(stage.databaseUrl)];
  const faults: string[] = [];
  let killed = 0;
  for (let kill = 1; kill <= kills; kill++) {
    // Each old event has four rows. In the middle of a table, not between two.
    const copied = await copyUntil(stage, words, before, ((kill - 0.4) * 4 * events) / kills);
    if (copied === null) break;
    killed++;
    stage.tell(`killed after ${copied} rows`);
    const { code, stderr } = await runCommand(['line', 'list'], after);
    if (code === 0 || !stderr.includes('unfinished copy'))
      faults.push(`A command used the unfinished copy: ${stderr || 'no error'}`);
  }
  if (killed < kills) faults.push(`The copy was complete after ${killed} of ${kills} kills`);
  const last = await runCommand(words, before);
  if (last.code !== 0) throw new Error(`The copy failed: ${last.stderr}`);
  if (killed && !last.stdout.includes('It continues.')) faults.push(`The copy began again: ${last.stdout}`);
  return { killed, faults };
}

/** @returns how many rows were copied when it was killed; null if it ended before */
async function copyUntil(
  stage: Stage<Sizes>,
  words: string[],
  env: Record<string, string>,
  count: number,
): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'ignore',
  });
  stage.atEnd(() => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let copied = 0;
  while (child.exitCode === null && copied < count) {
    // Before the first row, its table does not exist.
    const [found] = await rows(stage.databaseUrl, 'select sum(rows) as rows from move_tables').catch(
      () => [],
    );
    copied = Number(found?.rows ?? 0);
    await wait(20);
  }
  child.kill('SIGKILL');
  return (await ended) === null ? copied : null;
}

async function differences(source: string, target: string): Promise<string[]> {
  const [expected, found] = [await digestOf(source, NOT_MOVED), await digestOf(target, NOT_MOVED)];
  return [...new Set([...expected.keys(), ...found.keys()])]
    .filter((table) => expected.get(table) !== found.get(table))
    .map((table) => `${table} has ${found.get(table)} in PostgreSQL, ${expected.get(table)} in SQLite`);
}

/** Adds delivered events of the last days, and as many sent messages. */
function fill(file: string, count: number): void {
  const database = new DatabaseSync(file);
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  const [id, contact] = [`'evt_' || printf('%026d', n)`, `'1650556' || printf('%04d', n % 10000)`];
  const at = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', (n * 300000.0 / ${count} - 400000) || ' seconds')`;
  try {
    database.exec(`begin;
      ${numbers} insert into events
        (id, line_id, subject, kind, identity, contact, wamid, phone_number_id, waba_id, body, received_at)
        select ${id}, 1, 'message', 'text', 'message:wamid.old-' || n, ${contact}, 'wamid.old-' || n,
          '106540352242922', '102290129340398', '{"text":"' || hex(zeroblob(300)) || '"}', ${at} from numbers;
      ${numbers} insert into deliveries
        (destination_id, event_id, lane, sequence, state, attempts, due_at, finished_at)
        select 1, ${id}, ${contact}, n, 'delivered', 1, ${at}, ${at} from numbers;
      ${numbers} insert into attempts select 1, ${id}, 1, ${at}, 12, 200, 'delivered', '{}' from numbers;
      ${numbers} insert into messages (line_id, wamid, contact, type, accepted_at, sent_at)
        select 1, 'wamid.sent-' || n, ${contact}, 'text', ${at}, ${at} from numbers;
      commit`);
  } finally {
    database.close();
  }
}
