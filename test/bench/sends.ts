import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as offlineModule from '../../gateway/cli/offline';
import { freePort } from '../support/postgres';
import { PHONE_NUMBER_ID, WABA_ID } from '../support/test-gateway';
import { loadOn, median, medianRatio, quantile, type Load, type Request } from './load';
import { contactOf, everybodyWrites } from './notifications';
import { sizesOf, type Options } from './options';
import { keepOrderUpdate, ORDER_UPDATE } from './order-template';
import { cpuOf, startProgram, type Program } from './processes';
import { type Scene } from './scene';
import { CORES, loadNow, pin } from './stand';

const shipped = createRequire(join(__dirname, '../../gateway/build/main.js'));
const { offline } = shipped('./cli/offline') as typeof offlineModule;

/** `ms`: milliseconds of a round, at full speed and at the steady rate. */
const SIZES = { rounds: 7, ms: 1500 };
const AT_ONCE = 32;
/** Nothing queues at this steady rate (per second), so the added time is the work of a single request. */
const STEADY_RATE = 200;

interface Target {
  name: string;
  pid: number;
  request: (index: number) => Request;
  load: Load;
  /** Sends per second, per round. */
  rates: number[];
  /** Microseconds of CPU time per request, per round. */
  cpu: number[];
  /** Median milliseconds at the steady rate, per round: on one core, and on all cores. */
  pinned: number[];
  free: number[];
}

/**
 * Measures sends through the gateway, through the alternatives to it, and straight to the platform. Each
 * program runs on the same core, in turn; the load and the platform use the other core. Measures CPU time of
 * all threads.
 */
export async function benchSends(scene: Scene, options: Options): Promise<string[]> {
  const { rounds, ms } = sizesOf(options, SIZES);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-sends-'));
  const others = await startOthers(scene.upstream.url, folder);
  await offline(scene.env, async ({ store, clock }) => {
    const line = (await store.lines.all())[0];
    if (!line) throw new Error('The line of the bench is missing');
    await keepOrderUpdate(store, { id: line.id, wabaId: WABA_ID }, new Date(clock()).toISOString());
  });
  const target = (
    name: string,
    { url, pid }: { url: string; pid: number },
    request = textOf(scene.token),
  ): Target => ({ name, pid, request, load: loadOn(url, AT_ONCE), rates: [], cpu: [], pinned: [], free: [] });
  const gateway = target('gateway', scene.gateway);
  const limited = target('with limits', scene.limited.gateway, textOf(scene.limited.token));
  const keyed = target('Idempotency-Key', scene.gateway, keyedOf(scene.token));
  const template = target('template', scene.gateway, templateOf(scene.token));
  const direct = target('direct', scene.upstream);
  const beside = others.map(({ name, program }) => target(name, program));
  const ours = [gateway, limited, keyed, template];
  const all = [...ours, ...beside, direct];
  try {
    for (const one of [gateway, limited]) await one.load.post(everybodyWrites());
    share([...ours, ...beside], direct);
    for (const one of all) await one.load.atFullSpeed(one.request, ms, AT_ONCE); // warms up
    for (let round = 0; round < rounds; round++) {
      for (const one of round % 2 ? all.toReversed() : all) await fullSpeedRound(one, ms);
    }
    for (let round = 0; round < rounds; round++) {
      for (const one of all) one.pinned.push(await steadyRound(one, ms));
    }
    if (CORES > 1) for (const one of [...all, { pid: process.pid }]) pin(one.pid);
    for (let round = 0; round < rounds; round++) {
      for (const one of all) one.free.push(await steadyRound(one, ms));
    }
  } finally {
    if (CORES > 1) pin(process.pid);
    await Promise.all(all.map(({ load }) => load.end()));
    await Promise.all(others.map(({ program }) => program.end()));
    rmSync(folder, { recursive: true });
  }
  return report({ rounds, ms, gateway, direct, ours, beside });
}

/** Gives one core to the compared programs, and the other to the load and the platform. */
function share(measured: Target[], platform: Target): void {
  if (CORES < 2) return;
  for (const { pid } of measured) pin(pid, 0);
  for (const { pid } of [platform, { pid: process.pid }]) pin(pid, 1);
}

interface Other {
  name: string;
  program: Program;
}

/** @param folder for files of the programs */
async function startOthers(upstream: string, folder: string): Promise<Other[]> {
  const programs: [string, string, ...string[]][] = [
    ['reply-from', 'pass-through'],
    ['reply-from, parses', 'pass-through', 'json'],
    ['http-proxy', 'http-proxy.cjs'],
    ['by hand', 'hand-made'],
    ['by hand, on disk', 'hand-made-on-disk.cjs', join(folder, 'on-disk.db')],
  ];
  const started: Other[] = [];
  for (const [name, file, ...words] of programs)
    started.push({ name, program: await startProgram(file, upstream, ...words) });
  const nginx = await startNginx(upstream);
  return nginx ? [...started, { name: 'nginx', program: nginx }] : started;
}

/** Starts nginx with one worker; null if it is not installed. */
async function startNginx(upstream: string): Promise<Program | null> {
  if (spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-nginx-'));
  const port = await freePort();
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
     events { worker_connections 512; }
     http {
       access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder};
       # As all others do, it keeps its connections.
       keepalive_requests 1000000000;
       upstream platform { server ${new URL(upstream).host}; keepalive 64; keepalive_requests 1000000000; }
       server {
         listen 127.0.0.1:${port};
         location / { proxy_pass http://platform; proxy_http_version 1.1; proxy_set_header Connection ""; }
       }
     }`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    urls: [url],
    pid: child.pid ?? 0,
    end: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          process.off('exit', kill);
          rmSync(folder, { recursive: true, force: true });
          resolve();
        });
        child.kill();
      }),
  };
}

const sendOf = (
  token: string,
  index: number,
  message: object,
  more: Record<string, string> = {},
): Request => ({
  path: `/v22.0/${PHONE_NUMBER_ID}/messages`,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
  body: JSON.stringify({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: contactOf(index),
    ...message,
  }),
});

const TEXT = {
  type: 'text',
  text: { preview_url: false, body: 'Your order has been shipped and arrives on Tuesday.' },
};

export const textOf = (token: string) => (index: number) => sendOf(token, index, TEXT);

let keys = 0;
const keyedOf = (token: string) => (index: number) =>
  sendOf(token, index, TEXT, { 'idempotency-key': `order-${keys++}` });

const templateOf = (token: string) => (index: number) =>
  sendOf(token, index, { type: 'template', template: ORDER_UPDATE });

async function fullSpeedRound(target: Target, ms: number): Promise<void> {
  const cpuBefore = cpuOf(target.pid);
  const begun = performance.now();
  const sent = await target.load.atFullSpeed(target.request, ms, AT_ONCE);
  target.rates.push((sent * 1000) / (performance.now() - begun));
  target.cpu.push(((cpuOf(target.pid) - cpuBefore) * 1000) / sent);
}

const steadyRound = async ({ load, request }: Target, ms: number): Promise<number> =>
  quantile(await load.atRate(request, STEADY_RATE, ms), 0.5);

interface Measured {
  rounds: number;
  ms: number;
  gateway: Target;
  direct: Target;
  ours: Target[];
  beside: Target[];
}

function report({ rounds, ms, gateway, direct, ours, beside }: Measured): string[] {
  const row = ({ name, rates, cpu, pinned, free }: Target) =>
    [
      name.padEnd(20),
      median(rates).toFixed(0).padStart(10),
      median(cpu).toFixed(0).padStart(16),
      median(pinned).toFixed(2).padStart(14),
      median(free).toFixed(2).padStart(14),
    ].join('');
  const ratio = (one: number[], other: number[]) => medianRatio(one, other).toFixed(2);
  const against = (one: Target, other: Target) =>
    `${one.name} ÷ ${other.name}: CPU ${ratio(one.cpu, other.cpu)}, requests/s ${ratio(one.rates, other.rates)}`;
  const added = (of: 'pinned' | 'free') => (median(gateway[of]) - median(direct[of])).toFixed(2);
  return [
    `Sends: ${rounds} rounds of ${ms / 1000} s in turn, ${AT_ONCE} at once on one core; medians; ${loadNow()}`,
    '',
    `${''.padEnd(20)}${'requests/s'.padStart(10)}${'µs CPU/request'.padStart(16)}${`p50 at ${STEADY_RATE}/s`.padStart(14)}${'on all cores'.padStart(14)}`,
    ...[...ours, ...beside, direct].map(row),
    '',
    ...beside.map((other) => against(gateway, other)),
    ...ours.slice(1).map((one) => against(one, gateway)),
    `added by the gateway to a direct call: ${added('pinned')} ms on one core, ${added('free')} ms on all`,
  ];
}
