import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from '../../support/gateway-process';
import { rows } from '../../support/rows';
import { NOT_PUBLIC, TRICKS } from '../../support/special-addresses';
import { notification, notify, PHONE_NUMBER_ID, textFrom } from '../../support/test-gateway';
import { command } from '../commands';
import { addLine, launch, settingsOf, type Gateway } from '../gateway';
import { startNameServer, type Records } from '../name-server';
import { setStage, type Report } from '../proof';

/** A public address, which this machine has in the proof's network. */
const PUBLIC = '93.184.216.34';
const METADATA = '169.254.169.254';
/** Machines in the operator's own network. */
const NAMED = '10.1.2.3';
const NEIGHBOUR = '10.1.2.4';

/** DNS answers for each name, by the number of the query. */
const NAMES: Record<string, (nth: number) => Records> = {
  'public.test': () => ({ addresses: [PUBLIC] }),
  'redirects.test': () => ({ addresses: [PUBLIC] }),
  'private.test': () => ({ addresses: [NAMED] }),
  'neighbour.test': () => ({ addresses: [NEIGHBOUR] }),
  'named.test': () => ({ addresses: [NEIGHBOUR] }),
  'metadata.test': () => ({ addresses: [METADATA] }),
  'loopback.test': () => ({ addresses: ['127.0.0.1'] }),
  'loopback6.test': () => ({ addresses: ['::1'] }),
  'zero.test': () => ({ addresses: ['0.0.0.0'] }),
  'zero6.test': () => ({ addresses: ['::'] }),
  'mixed.test': () => ({ addresses: [PUBLIC, METADATA] }),
  'mixed-the-other-way.test': () => ({ addresses: [METADATA, PUBLIC] }),
  'mixed6.test': () => ({ addresses: [PUBLIC, '::1'] }),
  'mapped.test': () => ({ addresses: [`::ffff:${METADATA}`] }),
  'nat64.test': () => ({ addresses: ['64:ff9b::a9fe:a9fe'] }),
  '6to4.test': () => ({ addresses: ['2002:a9fe:a9fe::1'] }),
  'unique-local.test': () => ({ addresses: ['fd00:ec2::254'] }),
  'alias.test': () => ({ alias: 'metadata.test' }),
  'alias-of-alias.test': () => ({ alias: 'private.test' }),
  // Public at the first query, special at the next, and so on.
  'flips.test': (nth) => ({ addresses: [nth % 2 ? METADATA : PUBLIC] }),
  'flips-the-other-way.test': (nth) => ({ addresses: [nth % 2 ? PUBLIC : METADATA] }),
  'turns.test': (nth) => ({ addresses: [nth ? METADATA : PUBLIC] }),
};

interface Seen {
  host: string;
  address: string;
}

async function main(folder: string): Promise<Report> {
  const faults: string[] = [];
  const seen: Seen[] = [];
  setUpNetwork(folder);
  await startNameServer((name, nth) => NAMES[name]?.(nth) ?? null);

  const answer = ({ headers }: IncomingMessage): number => (headers.host === 'redirects.test' ? 307 : 200);
  const listen = (address: string, port = 80) =>
    new Promise<void>((resolve) => {
      createServer((request, response) => {
        seen.push({ host: request.headers.host ?? '', address });
        request.resume();
        response.writeHead(answer(request), { location: `http://${METADATA}/latest/meta-data/` }).end();
      })
        .on('connection', () => connections.set(address, (connections.get(address) ?? 0) + 1))
        .listen(port, address, resolve);
    });
  const connections = new Map<string, number>();
  for (const address of [PUBLIC, METADATA, NAMED, NEIGHBOUR, '127.0.0.1', '::1', 'fd00:ec2::254'])
    await listen(address);
  let proxied = 0;
  const proxy = createTcpServer((socket) => {
    proxied++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(3128, '127.0.0.1', resolve));
  const connectionsTo = (address: string): number => connections.get(address) ?? 0;

  const stage = setStage({
    ground: 'SQLite',
    databaseUrl: `sqlite:${join(folder, 'gateway.db')}`,
    folder,
    sizes: {},
    seed: 1,
    tell: () => undefined,
  });
  const env = await settingsOf(stage, {
    // Proxies are ignored: destinations are always called directly, where their address is checked.
    ...Object.fromEntries(
      ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].map((name) => [
        name,
        'http://127.0.0.1:3128',
      ]),
    ),
    NODE_USE_ENV_PROXY: '1',
  });
  delete env.GATEWAY_ALLOW_DESTINATIONS;
  const token = await addLine(env);
  let gateway = launch(stage, env);
  await gateway.listening;

  const save = async (url: string): Promise<{ status: number; text: string; id?: number }> => {
    const given = await fetch(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
    const text = await given.text();
    return { status: given.status, text, id: (JSON.parse(text) as { id?: number }).id };
  };

  // When saving: every spelling, through the API and the command.
  const spellings = [...NOT_PUBLIC.map((host) => `http://${host}/hook`), ...TRICKS];
  for (const url of spellings) {
    const { status, text } = await save(url);
    if (status !== 400) faults.push(`${url} is answered ${status} by the API`);
    else if (
      NOT_PUBLIC.some((host) => url === `http://${host}/hook`) &&
      !text.includes('GATEWAY_ALLOW_DESTINATIONS')
    )
      faults.push(`${url} is refused without naming the setting: ${text}`);
  }
  const byCommand = spellings.filter((_, index) => index % 7 === 0);
  for (const url of byCommand) {
    const { code, stderr } = await runCommand(['destination', 'add', PHONE_NUMBER_ID, '--url', url], env);
    if (code === 0) faults.push(`${url} is taken by the command`);
    else if (stderr.includes('    at ')) faults.push(`${url} breaks the command: ${stderr}`);
  }

  // When connecting: by name. Saving sends the challenge, which is the first connection.
  const ids = new Map<string, number>();
  const add = async (name: string): Promise<void> => {
    const { status, id, text } = await save(`http://${name}/hook`);
    if (status !== 201 || id === undefined) faults.push(`${name} cannot be saved: ${status} ${text}`);
    else ids.set(name, id);
  };
  for (const name of [...Object.keys(NAMES), 'nobody.test']) await add(name);
  await write(gateway, 1);
  await write(gateway, 2);
  // Second attempts follow after 4 to 5 seconds.
  await wait(8000);

  const attemptsAt = async (name: string): Promise<{ outcome: string; answer: string; url: string }[]> =>
    (await rows(
      stage.databaseUrl,
      `select outcome, answer from attempts where destination_id = ${ids.get(name) ?? 0} order by started_at`,
    )) as never;
  // A name that changes later is used only while the connection to its public address lasts.
  const mayDeliver = new Set(['public.test', 'flips.test', 'flips-the-other-way.test', 'turns.test']);
  let refused = 0;
  let attempted = 0;
  for (const name of ids.keys()) {
    const attempts = await attemptsAt(name);
    attempted += attempts.length;
    if (!attempts.length) faults.push(`${name} was never tried`);
    for (const { outcome, answer: why } of attempts) {
      if (outcome === 'address_refused') {
        refused++;
        if (!why.includes('GATEWAY_ALLOW_DESTINATIONS'))
          faults.push(`${name}: the setting is not named: ${why}`);
      } else if (name === 'nobody.test' ? outcome !== 'dns' : name === 'redirects.test') {
        if (outcome !== 'http_error') faults.push(`${name} is recorded as ${outcome}: ${why}`);
      } else if (!mayDeliver.has(name) && name !== 'nobody.test')
        faults.push(`${name} is recorded as ${outcome}: ${why}`);
    }
  }
  if (!seen.some(({ host }) => host === 'public.test')) faults.push('Not even the public address was called');
  for (const address of [METADATA, NAMED, NEIGHBOUR, '127.0.0.1', '::1', 'fd00:ec2::254'])
    if (connectionsTo(address)) faults.push(`${connectionsTo(address)} connections to ${address}`);

  // The allow list permits only the entries that it names.
  await gateway.end();
  gateway = launch(stage, { ...env, GATEWAY_ALLOW_DESTINATIONS: `${NAMED}/32, named.test` });
  await gateway.listening;
  const opened = await save(`http://${NAMED}/hook`);
  if (opened.status !== 201) faults.push(`${NAMED} is refused although it is named: ${opened.text}`);
  for (const host of [NEIGHBOUR, METADATA, '127.0.0.1', '[::1]', '10.1.2.2', `[::ffff:${NEIGHBOUR}]`])
    if ((await save(`http://${host}/hook`)).status !== 400)
      faults.push(`${host} is taken beside what is named`);
  await write(gateway, 3);
  await wait(4000);
  const hostsAt = (address: string): string =>
    [...new Set(seen.filter((one) => one.address === address).map(({ host }) => host))].sort().join(', ');
  const expected = `${NAMED}, alias-of-alias.test, private.test`;
  if (hostsAt(NAMED) !== expected) faults.push(`At ${NAMED}, which is named, came: ${hostsAt(NAMED)}`);
  if (hostsAt(NEIGHBOUR) !== 'named.test')
    faults.push(`At ${NEIGHBOUR}, of which only the name is named, came: ${hostsAt(NEIGHBOUR)}`);
  for (const address of [METADATA, '127.0.0.1', '::1', 'fd00:ec2::254'])
    if (connectionsTo(address)) faults.push(`${connectionsTo(address)} connections to ${address} in the end`);
  if (proxied) faults.push(`${proxied} connections to the proxy of the environment`);

  await gateway.end();
  await stage.clear();
  return {
    figures: {
      'spellings refused at save': spellings.length,
      'of these by the command as well': byCommand.length,
      'names with an address of their own': ids.size,
      'attempts at them': attempted,
      'refused at connect': refused,
      'connections to the metadata address': connectionsTo(METADATA),
      'connections to a public address': connectionsTo(PUBLIC),
      'connections to what the allow list names': connectionsTo(NAMED) + connectionsTo(NEIGHBOUR),
      'connections to a proxy': proxied,
    },
    faults,
  };
}

async function write({ url }: Gateway, number: number): Promise<void> {
  const status = await notify(
    { url },
    notification(textFrom(`1650555111${number}`, 'x', `wamid.address.${number}`)),
  );
  if (status !== 200) throw new Error(`The event was answered ${status}`);
}

function setUpNetwork(folder: string): void {
  command('ip', 'link', 'set', 'lo', 'up');
  for (const address of [PUBLIC, METADATA, NAMED, NEIGHBOUR])
    command('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  command('ip', '-6', 'address', 'add', 'fd00:ec2::254/128', 'dev', 'lo');
  const resolver = join(folder, 'resolv.conf');
  writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:2 attempts:2\n');
  command('mount', '--make-rprivate', '/');
  command('mount', '--bind', resolver, '/etc/resolv.conf');
}

main(process.argv[2] ?? '').then(
  (report) => {
    process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
  },
  (error: Error) => {
    process.stderr.write(`${error.stack}\n`, () => process.exit(1));
  },
);
