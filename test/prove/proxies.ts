import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type OutgoingHttpHeaders } from 'node:http';
import { request as ask } from 'node:https';
import { join } from 'node:path';
import { until } from '../support/http-peer';
import { openBrowser } from '../support/panel/browser';
import { freePort } from '../support/postgres';
import { secretFile } from '../support/secret-file';
import { runCommand } from '../support/gateway-process';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { command, needs, needsRoot } from './commands';
import { addLine, launch, settingsOf, type Gateway } from './gateway';
import { produce } from './producer';
import { type Proof, type Stage } from './proof';
import { startReceiver } from './receiver';
import { startUpstream } from './upstream';

const DEPLOY = join(__dirname, '../../gateway/deploy');
const NAME = 'ana';
const PASSWORD = 'correct horse battery staple';
const STRANGER = '192.0.2.66';
/** The largest file that the platform accepts. */
const LARGEST = 100 * 1024 * 1024;
/** The limit for a live update in milliseconds. A proxy that buffers a live page would never show it. */
const LIVE_WITHIN = 5_000;

interface Place {
  /** The port of the proxy. */
  port: number;
  /** The port of the gateway. */
  gateway: number;
  folder: string;
}

/** A real proxy with the shipped sample configuration, except names, ports and certificate. */
interface Sample {
  name: string;
  path: string;
  start(place: Place): { program: string; words: string[]; env?: Record<string, string> };
}

const SAMPLES: Sample[] = [
  { name: 'nginx', path: '', start: (place) => nginx(place, (site) => site) },
  {
    name: 'nginx beneath a path',
    path: '/chat',
    start: (place) =>
      nginx(place, (site) =>
        site
          .replace('location / {', 'location /chat/ {')
          .replace('http://messaging_gateway;', 'http://messaging_gateway/;'),
      ),
  },
  { name: 'Caddy', path: '', start: (place) => caddy(place, (site) => site) },
  {
    name: 'Caddy beneath a path',
    path: '/chat',
    start: (place) =>
      caddy(place, (site) =>
        site.replace(/(\treverse_proxy [^]*?\n\t\})/, '\thandle_path /chat/* {\n$1\n\t}'),
      ),
  },
];

/**
 * Tests the samples for nginx and Caddy with Debian's servers: TLS, the panel in a real browser, live pages,
 * the largest file, and the client's address.
 */
export const proxies: Proof<Record<string, never>> = {
  name: 'proxies',
  proves:
    'behind nginx and Caddy with the samples, at the top of a host and beneath a path: the panel is logged in to and live, the largest file passes, messages and events do, and nobody names himself another',
  on: ['SQLite'],
  sizes: {},

  async run(stage) {
    needsRoot('start nginx with workers of another user');
    needs({ nginx: 'nginx-light', caddy: 'caddy', openssl: 'openssl' });
    const receiver = await startReceiver();
    const upstream = await startUpstream();
    stage.atEnd(receiver.close);
    stage.atEnd(upstream.close);
    const browser = await openBrowser();
    stage.atEnd(() => browser.close());
    const faults: string[] = [];
    const figures: Record<string, string> = {};
    const env = await settingsOf(stage, { GATEWAY_UPSTREAM_URL: upstream.url });
    const token = await addLine(env, '--forward-url', `${receiver.url}/hook`, '--window', 'upstream');
    const user = await runCommand(['user', 'add', NAME, '--password-file', secretFile(PASSWORD)], env);
    if (user.code !== 0) throw new Error(user.stderr);

    for (const sample of SAMPLES) {
      const folder = join(stage.folder, sample.name.replaceAll(' ', '-'));
      mkdirSync(folder);
      const place = { port: await freePort(), gateway: Number(env.GATEWAY_PORT), folder };
      const url = `https://localhost:${place.port}${sample.path}`;
      const gateway = launch(stage, {
        ...env,
        GATEWAY_PUBLIC_URL: url,
        GATEWAY_TRUSTED_PROXIES: '127.0.0.1, ::1',
      });
      await gateway.listening;
      const proxy = await startProxy(stage, sample.start(place), url);
      const note = (fault: string) => faults.push(`${sample.name}: ${fault}`);

      const sent = await call(`${url}/v22.0/${PHONE_NUMBER_ID}/messages`, token, {
        type: 'application/json',
        body: Buffer.from(
          '{"messaging_product":"whatsapp","to":"12025550147","type":"text","text":{"body":"Hello"}}',
        ),
      });
      if (sent.status !== 200) note(`a message is answered ${sent.status} ${sent.text}`);
      const upload = await call(`${url}/v22.0/${PHONE_NUMBER_ID}/media`, token, formWith(LARGEST));
      if (!upload.headers['x-gateway-version'])
        note(`a file of 100 MB is answered ${upload.status} by the proxy`);
      await call(`${url}/v22.0/${PHONE_NUMBER_ID}/status`, 'mgw_wrong', undefined, {
        'x-forwarded-for': STRANGER,
      });
      if (isNamed(gateway, STRANGER)) note('whoever asks may name himself another');

      const shown = await liveAfter(browser, url, () => {
        const events = produce({
          url: () => gateway.url,
          count: 1,
          contacts: ['12025550188'],
          atOnce: 1,
          name: sample.name.replaceAll(' ', '-'),
        });
        return events.done;
      }).catch((error: Error) => `not: ${error.message.split('\n')[0]}`);
      if (typeof shown === 'string') note(`the panel is not live: ${shown}`);
      figures[sample.name] = typeof shown === 'number' ? `live after ${shown.toFixed(0)} ms` : shown;
      await proxy.end();
      await gateway.end('SIGTERM');
    }
    await until(() => receiver.taken.size >= SAMPLES.length, 10_000).catch(() =>
      faults.push(`${receiver.taken.size} of ${SAMPLES.length} events arrived`),
    );
    return { figures, faults };
  },
};

/**
 * Logs in, opens the list of events, and waits for a new one.
 * @returns milliseconds until it appeared
 */
async function liveAfter(
  browser: Awaited<ReturnType<typeof openBrowser>>,
  url: string,
  happens: () => Promise<unknown>,
): Promise<number> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(`${url}/panel/events`);
    await page.getByLabel('Name').fill(NAME);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(`${url}/panel/events`);
    const links = page.locator('[data-live] a[href*="/panel/events/evt_"]');
    const before = await links.count();
    // The page's stream is open by then.
    await page.waitForTimeout(1000);
    const began = performance.now();
    await happens();
    await links.nth(before).waitFor({ timeout: LIVE_WITHIN });
    return performance.now() - began;
  } finally {
    await context.close();
  }
}

/** Whether the gateway logs the client's real address. */
const isNamed = (gateway: Gateway, address: string): boolean => gateway.said().includes(address);

async function startProxy(
  stage: Stage,
  { program, words, env }: ReturnType<Sample['start']>,
  url: string,
): Promise<{ end(): Promise<unknown> }> {
  const child = spawn(program, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  stage.atEnd(() => child.kill('SIGKILL'));
  await until(
    async () => (await call(`${url}/readyz`).catch(() => null))?.status === 200,
    15_000,
    () => `${program} does not serve: ${said}`,
  );
  return {
    end() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

function nginx({ port, gateway, folder }: Place, change: (site: string) => string) {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  command(
    ...(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1'] as const),
    ...['-subj', '/CN=localhost', '-keyout', key, '-out', certificate],
  );
  const sample = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8');
  const site = change(sample)
    .replace('listen 443 ssl', `listen ${port} ssl`)
    .replace('127.0.0.1:8080', `127.0.0.1:${gateway}`)
    .replaceAll('gateway.example.com;', 'localhost;')
    .replace('/etc/ssl/gateway.example.com.pem', certificate)
    .replace('/etc/ssl/gateway.example.com.key', key);
  writeFileSync(join(folder, 'site.conf'), site);
  const whole = `daemon off; pid ${folder}/pid; error_log stderr;
    events {} http { access_log off; client_body_temp_path ${folder}/bodies; include ${folder}/site.conf; }`;
  writeFileSync(join(folder, 'nginx.conf'), whole);
  // nginx's workers run as another user.
  execFileSync('chmod', ['755', join(folder, '..'), folder]);
  return { program: 'nginx', words: ['-c', join(folder, 'nginx.conf'), '-p', folder] };
}

function caddy({ port, gateway, folder }: Place, change: (site: string) => string) {
  const file = join(folder, 'Caddyfile');
  const sample = readFileSync(join(DEPLOY, 'Caddyfile'), 'utf8')
    .replace('/etc/caddy/', `${folder}/`)
    .replace('{$GATEWAY_UPSTREAMS}', `127.0.0.1:${gateway}`);
  // Uses a self-signed certificate that is not installed as trusted.
  const own = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n';
  writeFileSync(file, own + change(sample));
  chmodSync(folder, 0o755);
  return {
    program: 'caddy',
    words: ['run', '--config', file, '--adapter', 'caddyfile'],
    env: {
      GATEWAY_DOMAIN: `localhost:${port}`,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
    },
  };
}

interface Body {
  type: string;
  body: Buffer;
}

function formWith(size: number): Body {
  const boundary = 'boundary-of-this-form';
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="film.mp4"\r\nContent-Type: video/mp4\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(field('messaging_product', 'whatsapp') + field('type', 'video/mp4') + file),
      Buffer.alloc(size),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}

/** Sends a request through a proxy with an untrusted certificate. */
function call(
  url: string,
  token?: string,
  sent?: Body,
  more: OutgoingHttpHeaders = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(sent && { 'content-type': sent.type, 'content-length': sent.body.length }),
    ...more,
  };
  return new Promise((resolve, reject) => {
    const request = ask(
      url,
      { method: sent ? 'POST' : 'GET', headers, rejectUnauthorized: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      },
    );
    request.on('error', reject).end(sent?.body);
  });
}
