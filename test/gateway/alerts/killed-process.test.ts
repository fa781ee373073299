import { offline } from '../../../gateway/cli/offline';
import { newNoticeId, type Notice } from '../../../gateway/alerts/notice';
import { withSecret } from '../../../gateway/alerts/channels/webhook';
import { addChannel } from '../../../gateway/alerts/use-cases/add-channel';
import { isoTime } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startProcess, type GatewayProcess } from '../../support/gateway-process';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { rows, write } from '../../support/rows';
import { settings } from '../../support/test-gateway';
import { ACTOR, TERMS } from './support';

const processes: GatewayProcess[] = [];
const peers: HttpPeer[] = [];
afterAll(async () => {
  await Promise.all(processes.map((one) => one.end('SIGKILL')));
  await Promise.all(peers.map((one) => one.close()));
});

const start = async (env: Record<string, string>): Promise<GatewayProcess> => {
  const one = await startProcess(env);
  processes.push(one);
  return one;
};

/** A database with a webhook for alerts, whose receiver hangs as long as it is said to. */
async function prepare(database: (typeof DATABASES)[number] | undefined) {
  const env = settings((await database?.createUrl()) ?? '');
  const receiving = { hangs: false };
  const receiver = await startPeer(() => (receiving.hangs ? 'handled' : {}));
  peers.push(receiver);
  const channel = await offline(
    env,
    (world) =>
      addChannel(world, ACTOR, null, {
        ...TERMS,
        kind: 'webhook',
        settings: withSecret({ url: receiver.url }),
      }),
    'first command',
  );
  const ids: string[] = [];
  return {
    env,
    receiving,
    receiver,
    ids,
    /** Leaves an alert to be sent, as a look does. */
    tell: (title: string) =>
      offline(env, async ({ store, clock }) => {
        const id = newNoticeId();
        const at = isoTime(clock());
        const notice: Notice = {
          ...{ id, title, what: 'opened', condition: 'line_credentials', severity: 'critical', text: '' },
          ...{
            action: '',
            fact: null,
            url: null,
            since: at,
            ended: null,
            waiting: null,
            count: 1,
            incidents: [],
            gateway: '',
          },
        };
        const row = {
          what: notice.what,
          kind: notice.condition,
          body: JSON.stringify(notice),
          created_at: at,
        };
        await store.alerts.insertNotices([{ id, channel_id: channel.id, ...row }]);
        ids.push(id);
      }),
    /** The `webhook-id`s as they came. */
    came: () => receiver.received.map(({ headers }) => headers['webhook-id']),
    untilTold: () =>
      until(async () => {
        const open = `select id from alert_notices where told_at is null or next_try_at is not null`;
        return (await rows(env.GATEWAY_DATABASE_URL ?? '', open)).length === 0;
      }, 20_000),
  };
}

test.concurrent(
  'an alert that was on its way when its gateway was killed comes after the restart, under the same id',
  async () => {
    const { env, receiving, receiver, ids, tell, came, untilTold } = await prepare(DATABASES[0]);
    await tell('told before');
    const first = await start(env);
    await untilTold();
    receiving.hangs = true;
    await tell('one');
    await tell('two');
    await receiver.untilReceived(2);
    await first.end('SIGKILL');
    receiving.hangs = false;
    await start(env);
    await untilTold();
    const [before, one, two] = ids;
    // The one that was on its way came once more; what had arrived did not, and what waited behind it came once.
    expect(came()).toEqual([before, one, one, two]);
  },
);

test.concurrent(
  'of two gateways one sends an alert, and the other the next once that is killed',
  async () => {
    const { env, ids, tell, came, untilTold } = await prepare(DATABASES[1]);
    for (let number = 1; number <= 5; number++) await tell(`alert ${number}`);
    const first = await start({ ...env, GATEWAY_PROCESS_NAME: 'first' });
    const second = await start({ ...env, GATEWAY_PROCESS_NAME: 'second' });
    await untilTold();
    expect(came().sort()).toEqual([...ids].sort());
    await first.end('SIGKILL');
    await tell('alert 6');
    // Its silence of 12 seconds is cut short.
    await write(
      env.GATEWAY_DATABASE_URL ?? '',
      `update processes set alive_until = '2020' where name = 'first'`,
    );
    await untilTold();
    expect(came().sort()).toEqual([...ids].sort());
    // The other says so, and remembers it until one takes its place.
    const gone = () =>
      rows(env.GATEWAY_DATABASE_URL ?? '', `select subject from alert_marks where kind = 'process_gone'`);
    await until(() => second.stdout().includes('"process":"first"'), 20_000);
    expect(await gone()).toEqual([{ subject: 'first' }]);
    await start({ ...env, GATEWAY_PROCESS_NAME: 'third' });
    await until(async () => (await gone()).length === 0, 20_000);
    expect(await second.end('SIGTERM')).toBe(0);
    expect(await gone()).toEqual([]);
  },
);
