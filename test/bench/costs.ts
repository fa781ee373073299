import { randomBytes } from 'node:crypto';
import { processesOf } from '../prove/look-after';
import { rows } from '../support/rows';
import { notification, textFrom } from '../support/test-gateway';
import { startReceivers, untilForwarded } from './events';
import { loadOn, type Load, type Request } from './load';
import { CONTACTS, contactOf, everybodyWrites, signed } from './notifications';
import { sizesOf, type Options } from './options';
import { cpuOfAll, startProgram } from './processes';
import { textOf } from './sends';
import { Ground, loadNow } from './stand';

/** `messages` in each direction; `warm-up` messages of each direction before, until V8 has compiled the program. */
const USUAL = { messages: 5000, 'warm-up': 5000, 'at-once': 64 };
type Sizes = typeof USUAL;

/** What one message costs. */
interface Cost {
  /** Bytes of the database on disk, those of the texts in it, and those of PostgreSQL's write-ahead log. */
  disk: number;
  text: number;
  log: number;
  /** Microseconds of CPU time of the gateway, and of PostgreSQL. */
  gateway: number;
  postgres: number;
}

const STATUSES = ['sent', 'delivered', 'read'];

/**
 * Measures what a message costs: CPU time, disk, and write-ahead log. A received message is delivered to one
 * destination. A sent message has three statuses, which are delivered there too.
 */
export async function benchCosts(options: Options): Promise<string[]> {
  const sizes = sizesOf(options, USUAL);
  const told: string[] = [];
  const before = loadNow();
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const ground = new Ground();
    try {
      const { received, sent } = await costsOn(ground, database, sizes);
      told.push(row(`${database}: received`, received), row('… sent, 3 statuses', sent));
    } finally {
      await ground.clear();
    }
  }
  const heads = ['bytes', 'of it text', 'bytes of log', 'µs gateway', 'µs PostgreSQL'];
  return [
    `A message, of ${sizes.messages} in each direction, ${sizes['at-once']} at once, one destination:`,
    '',
    `${''.padEnd(26)}${heads.map((head) => head.padStart(15)).join('')}`,
    ...told,
    '',
    `(${before} before, ${loadNow()} after)`,
  ];
}

const row = (name: string, { disk, text, log, gateway, postgres }: Cost): string =>
  name.padEnd(26) +
  [disk, text, log, gateway, postgres].map((value) => value.toFixed(0).padStart(15)).join('');

async function costsOn(
  ground: Ground,
  database: 'SQLite' | 'PostgreSQL',
  sizes: Sizes,
): Promise<{ received: Cost; sent: Cost }> {
  const [upstream, receiver] = [await startProgram('upstream'), await startReceivers(ground)];
  ground.atEnd(upstream.end);
  const url = database === 'SQLite' ? await ground.sqlite('costs') : await ground.postgres();
  const server = database === 'SQLite' ? null : await ground.postgresServer();
  const stand = await ground.prepare(url, [[`${receiver.url}/hook`]], { GATEWAY_UPSTREAM_URL: upstream.url });
  const gateway = await ground.start(stand);
  const load = loadOn(gateway.url, sizes['at-once']);
  ground.atEnd(() => load.end());
  const token = stand.lines[0]?.token ?? '';
  let [forwarded, sentBefore] = [0, 0];

  const receive = async (count: number) => {
    await postAll(load, count, sizes['at-once'], received);
    await untilForwarded(receiver.url, (forwarded += count));
  };
  const send = async (count: number) => {
    await postAll(load, count, sizes['at-once'], textOf(token));
    const messages = await rows(url, 'select wamid from messages order by accepted_at, wamid');
    const wamids = messages.slice(sentBefore);
    sentBefore = messages.length;
    for (const status of STATUSES)
      await postAll(load, count, sizes['at-once'], (index) =>
        statusOf(status, String(wamids[index]?.wamid), contactOf(index)),
      );
    await untilForwarded(receiver.url, (forwarded += count * STATUSES.length));
  };
  const state = async () => ({
    ...(await sizeOf(url)),
    gateway: cpuOfAll([gateway.pid]) * 1000,
    postgres: server ? cpuOfAll(processesOf(server)) * 1000 : 0,
  });
  const measured = async (work: (count: number) => Promise<void>): Promise<Cost> => {
    const before = await state();
    await work(sizes.messages);
    const after = await state();
    const cost = (of: keyof Cost) => (after[of] - before[of]) / sizes.messages;
    return {
      disk: cost('disk'),
      text: cost('text'),
      log: cost('log'),
      gateway: cost('gateway'),
      postgres: cost('postgres'),
    };
  };

  await load.post(everybodyWrites());
  await untilForwarded(receiver.url, (forwarded += CONTACTS.length));
  await receive(sizes['warm-up']);
  await send(sizes['warm-up']);
  return { received: await measured(receive), sent: await measured(send) };
}

async function sizeOf(databaseUrl: string): Promise<Pick<Cost, 'disk' | 'text' | 'log'>> {
  const size = databaseUrl.startsWith('sqlite:')
    ? 'select page_count * page_size as disk, 0 as log from pragma_page_count, pragma_page_size'
    : `select pg_database_size(current_database()) as disk, pg_current_wal_lsn() - '0/0' as log`;
  const [found] = await rows(databaseUrl, size);
  const [bodies] = await rows(databaseUrl, 'select sum(length(body)) as text from events');
  return { disk: Number(found?.disk), log: Number(found?.log), text: Number(bodies?.text) };
}

/** Posts requests by number, from 0. */
async function postAll(
  load: Load,
  count: number,
  atOnce: number,
  request: (index: number) => Request,
): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) await load.post(request(next++));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

const received = (index: number): Request =>
  signed(
    notification(
      textFrom(
        contactOf(index),
        'Is my order ready? I would like to fetch it this afternoon.',
        `wamid.HBgLMTY1MDU1N${randomBytes(15).toString('hex')}`,
      ),
    ),
  );

/**
 * A status with everything that the platform reports.
 * @param contact one of many; the upstream program answers each send with the same contact
 */
const statusOf = (status: string, wamid: string, contact: string): Request =>
  signed(
    notification({
      statuses: [
        {
          id: wamid,
          status,
          timestamp: String(Math.floor(Date.now() / 1000)),
          recipient_id: contact,
          conversation: { id: randomBytes(16).toString('hex'), origin: { type: 'service' } },
          pricing: { billable: true, pricing_model: 'PMP', category: 'service', type: 'regular' },
        },
      ],
    }),
  );
