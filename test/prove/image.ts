import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { startPeer, until } from '../support/http-peer';
import { freePort } from '../support/postgres';
import { PHONE_NUMBER_ID, WABA_ID } from '../support/test-gateway';
import { command, needs, needsRoot } from './commands';
import { type Proof, type Stage } from './proof';

const ROOT = join(__dirname, '..', '..');
const BASE = 'docker.io/library/node:24-bookworm-slim';
const MOST_SIZE = 300;
const ENDED_WITHIN = 30;
const CONTACT = '12025550147';

/** Metadata of the image. */
interface Image {
  Env: string[];
  User: string;
  Entrypoint: string[];
  Cmd: string[];
  StopSignal: string;
  Healthcheck: { Test: string[] };
  Labels: Record<string, string>;
}

/**
 * Builds `gateway/Dockerfile` unchanged, without an image registry: its base is made from Debian packages and
 * this checkout's Node. Runs it like a container engine, with a read-only root.
 */
export const image: Proof<Record<string, never>> = {
  name: 'image',
  proves: `the container image is below ${MOST_SIZE} MB, runs read-only and without rights, serves, delivers, and ends within 30 s`,
  on: ['no database'],
  sizes: {},

  async run(stage) {
    needsRoot('make images');
    needs({ buildah: 'buildah', debootstrap: 'debootstrap', unshare: 'util-linux', chroot: 'coreutils' });
    const faults: string[] = [];
    const buildah = builder(stage);
    stage.tell('a base is made of Debian packages');
    makeBase(stage, buildah);
    stage.tell('the image is built');
    const began = performance.now();
    const words = ['--format', 'docker', '--ignorefile', join(ROOT, 'gateway/Dockerfile.dockerignore')];
    buildah(
      'bud',
      '--isolation',
      'chroot',
      '--pull-never',
      ...words,
      '-f',
      join(ROOT, 'gateway/Dockerfile'),
      '-t',
      'gateway',
      ROOT,
    );
    const built = (performance.now() - began) / 1000;
    const container = buildah('from', '--pull-never', 'gateway').trim();
    const root = buildah('mount', container).trim();
    stage.atEnd(() => buildah('umount', container));
    const megabytes = Number(command('du', '-sxm', root).split('\t')[0]);
    if (megabytes > MOST_SIZE) faults.push(`it is ${megabytes} MB`);
    const { config: said } = (
      JSON.parse(buildah('inspect', '--type', 'image', 'gateway')) as { Docker: { config: Image } }
    ).Docker;
    if (!/^[1-9]/.test(said.User)) faults.push(`it runs as ${said.User || 'root'}`);
    for (const label of ['title', 'source', 'licenses', 'version'])
      if (!said.Labels[`org.opencontainers.image.${label}`]) faults.push(`it has no label ${label}`);

    const data = join(stage.folder, 'data');
    mkdirSync(data);
    chmodSync(stage.folder, 0o755);
    chownSync(data, 1000, 1000);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = [
      ...said.Env,
      `GATEWAY_PORT=${port}`,
      'GATEWAY_SECRET_KEY=a key for this proof, and for nothing else',
      'GATEWAY_UPSTREAM_URL=sandbox',
      'GATEWAY_ALLOW_DESTINATIONS=127.0.0.0/8',
    ];
    const inside = (...program: string[]) => [
      ...['--mount', 'sh', '-euc', ENTER, 'sh', root, data, said.User],
      ...['env', '-i', ...env, ...program],
    ];
    const startedAt = performance.now();
    const gateway = spawn('unshare', inside(...said.Entrypoint, ...said.Cmd), {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    stage.atEnd(() => gateway.kill('SIGKILL'));
    let log = '';
    for (const stream of [gateway.stdout, gateway.stderr])
      stream.on('data', (chunk) => (log += String(chunk)));
    const ended = new Promise<number | null>((resolve) => gateway.once('close', resolve));
    await until(
      async () => log.includes('"listening"') && (await fetch(`${url}/readyz`)).ok,
      30_000,
      () => `it is not ready: ${log}`,
    );
    const started = performance.now() - startedAt;
    if (!readFileSync(`/proc/${gateway.pid}/maps`, 'utf8').includes('libjemalloc'))
      faults.push('it runs without jemalloc');

    const health = spawnSync('unshare', inside(...said.Healthcheck.Test.slice(1)), { encoding: 'utf8' });
    if (health.status !== 0) faults.push(`its health check ends with ${health.status}: ${health.stderr}`);
    const writes = spawnSync('unshare', inside('touch', '/opt/messaging-gateway/file', '/file'), {
      encoding: 'utf8',
    });
    if (!/Read-only.*Read-only/s.test(writes.stderr))
      faults.push(`its root can be written to: ${writes.stderr}`);

    const receiver = await startPeer();
    stage.atEnd(receiver.close);
    const secret = join(data, 'secret');
    writeFileSync(secret, 'a-credential-of-the-platform');
    chownSync(secret, 1000, 1000);
    const added = spawnSync(
      'unshare',
      inside(
        ...[...said.Entrypoint, 'line', 'add', '--name', 'Proof', '--phone-number', '15550783881', '--json'],
        ...['--waba-id', WABA_ID, '--phone-number-id', PHONE_NUMBER_ID, '--forward-url', receiver.url],
        ...['--access-token-file', '/data/secret', '--app-secret-file', '/data/secret'],
      ),
      { encoding: 'utf8' },
    );
    if (added.status !== 0) throw new Error(`${added.stdout}${added.stderr}`);
    const { token } = JSON.parse(added.stdout) as { token: string };
    const sandbox = /"sandbox":"([^"]+)"/.exec(log)?.[1];
    await post(`${sandbox}/sandbox/contacts/${CONTACT}/messages`, { text: 'Hello', line: PHONE_NUMBER_ID });
    await until(
      () => receiver.received.some(({ method }) => method === 'POST'),
      10_000,
      () => `no event came: ${log}`,
    ).catch((error: Error) => faults.push(error.message));
    // The contact's window is open, because the contact has written.
    const body = { messaging_product: 'whatsapp', to: CONTACT, type: 'text', text: { body: 'Hello' } };
    const sent = await post(`${url}/v22.0/${PHONE_NUMBER_ID}/messages`, body, token);
    if (!sent.includes('wamid.')) faults.push(`a message is answered ${sent}`);

    const toldAt = performance.now();
    gateway.kill(said.StopSignal as NodeJS.Signals);
    const code = await ended;
    const took = (performance.now() - toldAt) / 1000;
    if (code !== 0 || took > ENDED_WITHIN)
      faults.push(`after ${said.StopSignal} it ended with ${code} after ${took} s`);
    return {
      figures: {
        unpacked: `${megabytes} MB`,
        'built in': `${built.toFixed(0)} s, its base apart`,
        'ready after': `${(started / 1000).toFixed(1)} s`,
        'events taken': receiver.received.length,
        'ended after': `${took.toFixed(1)} s`,
      },
      faults,
    };
  },
};

/**
 * Enters the container like an engine: $1 is the root (read-only), $2 is mounted at /data, $3 is the user.
 */
const ENTER = `
  mount --bind "$1" "$1"
  mount -o remount,bind,ro "$1"
  mount --bind "$2" "$1/data"
  mount --rbind /dev "$1/dev"
  mount -t proc proc "$1/proc"
  root=$1 user=$3
  shift 3
  exec chroot --userspec="$user" "$root" "$@"`;

function builder(stage: Stage) {
  const own = [
    '--storage-driver',
    'vfs',
    '--root',
    join(stage.folder, 'images'),
    '--runroot',
    join(stage.folder, 'run'),
  ];
  return (...words: string[]): string => command('buildah', ...own, ...words);
}

/**
 * Builds the base: Debian's slim image with Node and npm, and this machine's trusted certificates, in case
 * its registry uses them.
 */
function makeBase(stage: Stage, buildah: (...words: string[]) => string): void {
  const folder = join(stage.folder, 'base');
  const root = join(folder, 'root');
  mkdirSync(folder);
  command('debootstrap', '--variant=minbase', 'bookworm', root, 'http://deb.debian.org/debian');
  for (const left of [
    'var/cache/apt',
    'var/lib/apt/lists',
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
  ])
    command('rm', '-rf', join(root, left));
  const local = join(root, 'usr/local');
  cpSync(process.execPath, join(local, 'bin/node'));
  const npm = dirname(dirname(realpathSync(process.env.npm_execpath ?? command('which', 'npm').trim())));
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  const trusted = process.env.NODE_EXTRA_CA_CERTS;
  if (trusted) {
    cpSync(trusted, join(root, 'etc/trusted.pem'), { dereference: true });
    mkdirSync(join(local, 'etc'), { recursive: true });
    writeFileSync(join(local, 'etc/npmrc'), 'cafile=/etc/trusted.pem\n');
  }
  writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY root /\nCMD ["node"]\n');
  buildah('bud', '--isolation', 'chroot', '-t', BASE, folder);
}

async function post(url: string, body: object, token = ''): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.text();
}
