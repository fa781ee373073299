import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { createDatabase, postgresServer } from '../support/postgres';
import { rows } from '../support/rows';
import { faultsOf, MOST_REPEATED, counted, settle, untilTaken } from './account';
import { addLine, launch, settingsOf, urlOf } from './gateway';
import { command } from './commands';
import { endAtOnce } from './look-after';
import { mountOwnDisk } from './own-disk';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** Size of the disk in MB. */
const DISK = { SQLite: 256, PostgreSQL: 384, 'no database': 0 };
/** Seconds between the kernel's own writes. A short interval would hide missing syncs. */
const COMMIT_EVERY = 300;

export const powerCut: Proof<{ cuts: number; seconds: number; rate: number }> = {
  name: 'power-cut',
  proves:
    'after a power cut the disk has all that was acknowledged, and all goes on from what it has (P1, P22)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { cuts: 10, seconds: 3, rate: 100 },

  async run(stage) {
    const { sizes, random } = stage;
    const disk = mountOwnDisk(stage, DISK[stage.ground], [`commit=${COMMIT_EVERY}`]);
    const server =
      stage.ground === 'PostgreSQL'
        ? await postgresServer({ folder: join(disk.folder, 'postgres'), persistent: true })
        : null;
    if (server) {
      await server.start();
      stage.atEnd(() => endAtOnce(server));
    }
    const databaseUrl = server
      ? await createDatabase(server.url)
      : `sqlite:${join(disk.folder, 'gateway.db')}`;
    const receiver = await startReceiver();
    stage.atEnd(receiver.close);
    const env = await settingsOf({ databaseUrl });
    await addLine(env, '--forward-url', `${receiver.url}/hook`);
    let gateway = launch(stage, env);
    await gateway.listening;
    command('sync');
    const producer = produce({
      url: () => urlOf(env),
      count: Infinity,
      contacts: contactsOf(200),
      atOnce: 32,
      rate: sizes.rate,
      repeatAfter: 200,
    });
    stage.atEnd(producer.stop);

    const faults: string[] = [];
    let missing = 0;
    for (let cut = 1; cut <= sizes.cuts; cut++) {
      await wait((0.5 + random()) * sizes.seconds * 1000);
      await gateway.end('SIGKILL');
      if (server) endAtOnce(server);
      const acknowledged = producer.acknowledged();
      await wait(200);
      disk.cutPower();
      await server?.start();
      const stored = new Set((await rows(databaseUrl, 'select wamid from events')).map(({ wamid }) => wamid));
      missing += acknowledged.filter(({ wamid }) => !stored.has(wamid)).length;
      gateway = launch(stage, env);
      await gateway.listening;
      stage.tell(`${cut} cuts, ${producer.acknowledged().length} events acknowledged`);
    }
    producer.stop();
    await producer.done;
    const isAllTaken = await untilTaken([producer], [receiver], 120_000);
    const account = settle([producer], receiver.arrivals);
    faults.push(...faultsOf(account));
    if (missing) faults.push(`${missing} acknowledged events were not on the disk after a cut`);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    const allowed = sizes.cuts * MOST_REPEATED;
    if (account.repeated.length > allowed)
      faults.push(`${account.repeated.length} events were repeated, more than ${allowed}`);
    return {
      figures: {
        cuts: sizes.cuts,
        'events acknowledged': account.acknowledged,
        'not on the disk after a cut': missing,
        lost: account.lost.length,
        repeated: `${account.repeated.length} (${allowed} allowed)`,
        'first attempts out of order': account.outOfOrder.length,
        'refused or cut, repeated by upstream': counted(producer.refusals),
      },
      faults,
    };
  },
};
