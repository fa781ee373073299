import { execFileSync } from 'node:child_process';
import {
  closeSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomInt } from 'node:crypto';
import { dirname, join } from 'node:path';
import { readConfig } from '../../../gateway/config';
import { clearWhatIsOld } from '../../../gateway/housekeeping/clear-old';
import { DAY, isoTime } from '../../../gateway/time';
import { DATABASES, temporaryFolder } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { linkedImageTo, sqliteUrl, startScene, textTo, type Scene, type TestLine } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';
import { command } from './support';

const PERSON = '5511987654321';
/** As the platform spells the same number. */
const REPORTED = '551187654321';
const USER_ID = 'BR.1234567890123456';
const OTHER = '16505551234';
const SAID = 'what the person said in confidence';

let scene: Scene;
let receiver: HttpPeer;
let line: TestLine;
let status: number;

beforeEach(() => {
  status = 200;
});
afterEach(async () => {
  await scene.stop();
  await receiver.close();
});

async function begin(url: string): Promise<void> {
  scene = await startScene(url);
  receiver = await startPeer(({ body }) => ({ status, body }));
  line = await scene.line({ name: 'Shop of a customer' });
}

/** Adds a destination by token, which answers with what it was sent. */
async function destination(of: TestLine, mode: 'split' | 'raw'): Promise<void> {
  const answer = await fetch(`${scene.gateway.url}/v22.0/${of.phoneNumberId}/destinations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${of.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${receiver.url}/secret-of-the-receiver/${of.id}`, mode }),
  });
  expect(answer.status).toBe(201);
}

/** Everything that a person leaves: messages both ways, statuses, windows, names, answers, attempts. */
async function converse(of: TestLine): Promise<void> {
  const at = Math.floor(scene.clock.now / 1000);
  const said = { ...textFrom(REPORTED, SAID, `wamid.in.${REPORTED}.${of.id}`, at) };
  Object.assign(said.messages[0] ?? {}, { from_user_id: USER_ID });
  expect(await notify(scene.gateway, notification(said, of.phoneNumberId))).toBe(200);
  scene.upstream.answers.messages = ({ body }) => {
    const { to } = JSON.parse(body) as { to: string };
    const known = to === OTHER ? { input: to, wa_id: to } : { input: to, wa_id: REPORTED, user_id: USER_ID };
    return {
      body: {
        messaging_product: 'whatsapp',
        contacts: [known],
        messages: [{ id: `wamid.out.${to}.${of.id}` }],
      },
    };
  };
  for (const to of [PERSON, OTHER])
    expect(
      (
        await of.send(
          { ...linkedImageTo(to), biz_opaque_callback_data: `order of ${to}` },
          { 'content-type': 'application/json', 'idempotency-key': `reminder-${to}` },
        )
      ).status,
    ).toBe(200);
  const delivered = {
    statuses: [
      { id: `wamid.out.${PERSON}.${of.id}`, status: 'failed', timestamp: String(at), recipient_id: USER_ID },
    ],
  };
  expect(await notify(scene.gateway, notification(delivered, of.phoneNumberId))).toBe(200);
  // Of the person and of another, in one notification, which a destination may take whole.
  const both = {
    contacts: [REPORTED, OTHER].map((id) => ({ wa_id: id, profile: { name: `Name of ${id}` } })),
    messages: [REPORTED, OTHER].map((id) => ({
      from: id,
      id: `wamid.both.${id}.${of.id}`,
      timestamp: String(at),
      type: 'text',
      text: { body: id === OTHER ? 'of another' : SAID },
    })),
  };
  expect(await notify(scene.gateway, notification(both, of.phoneNumberId))).toBe(200);
}

/** Everything was tried, or waits behind what failed. */
const settled = () =>
  until(async () => {
    const waiting = await rows(scene.databaseUrl, `select attempts from deliveries where state = 'pending'`);
    return status === 200 ? !waiting.length : waiting.some(({ attempts }) => Number(attempts) > 0);
  });

/**
 * All that is in the files of a SQLite database, whether or not it still belongs to it. Another process reads them: one
 * that closes such a file lets go of all locks that it has on it.
 */
function files(): string {
  const folder = dirname(scene.databaseUrl.slice('sqlite:'.length));
  const names = readdirSync(folder).map((file) => join(folder, file));
  return execFileSync('cat', names, { encoding: 'latin1', maxBuffer: 1024 ** 3 });
}

/** All that the tables hold, as text. @param more tables besides those of messages, lines and destinations */
async function stored(more = ['audit']): Promise<string> {
  const tables = ['messages', 'windows', 'aliases', 'events', 'deliveries', 'attempts', 'idempotency_keys'];
  const all = await Promise.all(
    [...tables, 'lines', 'tokens', 'templates', 'destinations', ...more].map((table) =>
      rows(scene.databaseUrl, `select * from ${table}`),
    ),
  );
  return JSON.stringify(all);
}

const traces = [PERSON, REPORTED, USER_ID, SAID];
const foundIn = (text: string): string[] => traces.filter((trace) => text.includes(trace));
const isSqlite = () => scene.databaseUrl.startsWith('sqlite:');

async function run<T>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await command([...words, '--json'], scene.gateway.env);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

describe.each(DATABASES)('what is removed from $name', ({ createUrl }) => {
  test('contact forget leaves nothing of a person, on no line and in no file, and all of everybody else', async () => {
    await begin(await createUrl());
    const second = await scene.line();
    for (const one of [line, second]) {
      await destination(one, 'split');
      await destination(one, 'raw');
      await converse(one);
    }
    await settled();
    expect(foundIn(await stored())).toEqual(traces);
    if (isSqlite()) expect(foundIn(files())).toEqual(traces);

    const { removed } = await run<{ removed: Record<string, number> }>(
      'contact',
      'forget',
      '+55 (11) 98765-4321',
      '--yes',
    );
    // On each line: two that the person wrote, one status.
    expect(removed).toMatchObject({ events: 6, messages: 2, deliveries_canceled: 0, idempotency_answers: 2 });
    expect(removed).toMatchObject({ mentions: 2, still_owed: 0 });
    expect(removed.windows).toBeGreaterThanOrEqual(2);
    expect(removed.aliases).toBeGreaterThanOrEqual(2);
    expect(foundIn(await stored())).toEqual([]);
    if (isSqlite()) expect(foundIn(files())).toEqual([]);
    expect(await stored()).toContain(`Name of ${OTHER}`);
    expect(
      await rows(scene.databaseUrl, 'select wamid from messages where country is null order by line_id'),
    ).toEqual([line, second].map(({ id }) => ({ wamid: `wamid.out.${OTHER}.${id}` })));
    // For the usage of the lines.
    expect(
      await rows(
        scene.databaseUrl,
        `select contact, client_ref, failure, substr(wamid, 1, 10) as id, country, type from messages
         where country is not null`,
      ),
    ).toEqual(
      [line, second].map(() => ({
        ...{ contact: null, client_ref: null, failure: null, id: 'forgotten:' },
        ...{ country: 'BR', type: 'image' },
      })),
    );

    // What processes remember of the person is gone as well, and nothing is sent twice.
    const window = await line.get(`/window/${PERSON}`);
    expect(window.body).toMatchObject({ open: false, last_inbound_at: null });
    const refused = await line.send(textTo(PERSON));
    expect(refused.body.error_code).toBe('outside_24h_window');
    const again = await line.send(
      { ...linkedImageTo(PERSON), biz_opaque_callback_data: `order of ${PERSON}` },
      { 'content-type': 'application/json', 'idempotency-key': `reminder-${PERSON}` },
    );
    expect(again.status).toBeGreaterThanOrEqual(500);
    expect(line.sent().filter((body) => body.includes(PERSON))).toHaveLength(1);

    // The audit says that it was done, and not of whom.
    const [entry] = await rows(
      scene.databaseUrl,
      `select details from audit where action = 'contact.forgotten'`,
    );
    expect(JSON.parse(String(entry?.details))).toMatchObject({
      contact: expect.stringMatching(/^[0-9a-f]{16}$/),
      messages: 2,
    });
    // Whoever writes again is known again.
    await line.wrote(REPORTED, 0);
    expect((await line.get(`/window/${PERSON}`)).body).toMatchObject({ open: true });
  });

  test('contact forget cancels what is owed of a person, and leaves what others wait for', async () => {
    await begin(await createUrl());
    await destination(line, 'raw');
    status = 503;
    await converse(line);
    await settled();
    const first = await run<{ removed: Record<string, number> }>('contact', 'forget', PERSON, '--yes');
    expect(first.removed).toMatchObject({ deliveries_canceled: 2, mentions: 0, still_owed: 1 });
    const states = await rows(scene.databaseUrl, 'select state, lane from deliveries order by state');
    expect(states.map(({ state }) => state)).toEqual(['canceled', 'canceled', 'pending']);
    expect(foundIn(JSON.stringify(states))).toEqual([]);
    await scene.change(({ store }) => store.deliveries.cancelOfRemoved(1, '2026'));
    status = 200;
    await scene.change(({ store }) => store.destinations.remove(1, '2026'));
    await scene.change(({ store }) => store.deliveries.cancelOfRemoved(1, '2026'));
    const second = await run<{ removed: Record<string, number> }>('contact', 'forget', PERSON, '--yes');
    expect(second.removed).toMatchObject({ mentions: 1, still_owed: 0 });
    expect(foundIn(await stored())).toEqual([]);
  });

  test('contact forget asks where it is not told to go on, and takes numbers alone', async () => {
    await begin(await createUrl());
    await line.wrote(PERSON, 0);
    const asked = await command(['contact', 'forget', PERSON], scene.gateway.env);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('confirm with --yes')]);
    for (const words of [[], ['Ana'], ['%', '--yes']])
      expect((await command(['contact', 'forget', ...words], scene.gateway.env)).code).toBe(2);
    expect(await rows(scene.databaseUrl, 'select 1 from windows')).toHaveLength(1);
  });

  test('line remove takes what opens a line, what it owes and whoever wrote there, and frees its number', async () => {
    await begin(await createUrl());
    const second = await scene.line();
    await destination(line, 'split');
    status = 503;
    await converse(line);
    await second.wrote(OTHER, 0);
    await settled();
    await scene.change(({ store }) =>
      store.lines.update(line.id, {
        name: 'Clinic of Dr. Silva',
        opt_out_words: '{"out":["adeus"],"back":[]}',
      }),
    );
    const remove = ['line', 'remove', line.phoneNumberId];
    expect((await command(remove, scene.gateway.env)).code).toBe(2);
    expect((await line.get('/status')).status).toBe(200);
    const owed = await rows(scene.databaseUrl, `select 1 from deliveries where state = 'pending'`);
    expect(owed).not.toEqual([]);
    const done = await run<{ removed: Record<string, number> }>(...remove, '--yes');
    const removed = { events: 4, messages: 2, deliveries_canceled: owed.length };
    expect(done).toMatchObject({ line: { id: line.id }, removed });
    expect((await line.get('/status')).status).toBe(401);
    const states = await rows(scene.databaseUrl, 'select distinct state from deliveries');
    expect(states).toEqual([{ state: 'canceled' }]);
    for (const table of ['tokens', 'templates', 'messages', 'windows', 'aliases', 'idempotency_keys'])
      expect([
        table,
        await rows(scene.databaseUrl, `select 1 from ${table} where line_id = ${line.id}`),
      ]).toEqual([table, []]);
    const [row] = await rows(scene.databaseUrl, `select * from lines where id = ${line.id}`);
    expect(row).toMatchObject({ access_token_sealed: null, app_secret_sealed: null, verify_token: '' });
    expect(foundIn(await stored())).toEqual([]);
    const outsideAudit = await stored([]);
    for (const trace of ['Clinic of Dr. Silva', 'adeus', 'secret-of-the-receiver'])
      expect(outsideAudit).not.toContain(trace);
    if (isSqlite()) expect(foundIn(files())).toEqual([]);
    const actions = await rows(
      scene.databaseUrl,
      `select action from audit where line_id = ${line.id} order by number`,
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'destination.added',
      'line.removed',
      'line.forgotten',
    ]);
    // The other line goes on; the number may come back as a new one.
    expect((await second.get(`/window/${OTHER}`)).body).toMatchObject({ open: true });
    const back = await scene.line({ phoneNumberId: line.phoneNumberId });
    expect((await back.get('/status')).status).toBe(200);
    expect(back.id).not.toBe(line.id);
    // Said again by its id, it goes on where it was broken off.
    expect(await run(`line`, 'remove', String(line.id), '--yes')).toMatchObject({
      removed: { messages: 0, deliveries_canceled: 0 },
    });
  });

  test('what was kept for long enough is gone from tables and files, but for what is young or owed', async () => {
    await begin(await createUrl());
    await destination(line, 'split');
    await converse(line);
    await settled();
    const clear = (days: number, kept: Record<string, string> = {}) =>
      scene.change((world) =>
        clearWhatIsOld({
          ...world,
          config: readConfig({ ...scene.gateway.env, ...kept }),
          clock: () => scene.clock.now + days * DAY,
          goesOn: () => true,
        }),
      );
    await clear(29);
    expect(foundIn(await stored())).toEqual(traces);
    await clear(31);
    expect(await rows(scene.databaseUrl, `select 1 from events where body <> ''`)).toEqual([]);
    if (isSqlite()) expect(files()).not.toContain(SAID);
    // Who wrote lately is still known by all names.
    await scene.change(({ store }) =>
      store.write({
        kind: 'notification',
        events: [],
        messages: [],
        windows: [
          { line_id: line.id, contact: USER_ID, last_inbound_at: isoTime(scene.clock.now + 60 * DAY) },
        ],
        aliases: [],
      }),
    );
    const forever = { GATEWAY_KEEP_MESSAGES: 'forever', GATEWAY_KEEP_EVENTS: 'forever' };
    await clear(400, { ...forever, GATEWAY_KEEP_CONTACTS: 'forever', GATEWAY_KEEP_AUDIT: 'forever' });
    expect(await rows(scene.databaseUrl, 'select 1 from messages')).toHaveLength(2);
    await clear(91);
    expect(await rows(scene.databaseUrl, 'select 1 from messages')).toEqual([]);
    expect(await rows(scene.databaseUrl, 'select contact from windows')).toEqual([{ contact: USER_ID }]);
    const names = await rows(scene.databaseUrl, 'select identity from aliases');
    expect(names.map(({ identity }) => identity)).toContain(USER_ID);
    await clear(200);
    for (const table of ['events', 'deliveries', 'attempts', 'windows', 'aliases'])
      expect([table, await rows(scene.databaseUrl, `select 1 from ${table}`)]).toEqual([table, []]);
    expect(await rows(scene.databaseUrl, 'select 1 from audit')).not.toEqual([]);
    await clear(731);
    expect(await rows(scene.databaseUrl, 'select action, who from audit')).toEqual([
      { action: 'audit.cleared', who: 'messaging gateway' },
    ]);
    expect(await run('audit', 'verify')).toMatchObject({ ok: true, faults: [] });
    // Answers under idempotency keys go by the hour, whatever the time is here.
    await scene.change(({ store }) => store.idempotencyKeys.removeBefore('2027'));
    await scene.change(({ store }) => store.scrub('log'));
    if (isSqlite()) expect(foundIn(files())).toEqual([]);
  });
});

/** A copy of the scene's database that claims to be of so many bytes; what was added takes no room on the disk. */
async function copyOfSize(bytes: number): Promise<string> {
  const copy = join(temporaryFolder(), 'copy.db');
  expect((await command(['backup', copy], scene.gateway.env)).code).toBe(0);
  const file = openSync(copy, 'r+');
  const header = Buffer.alloc(100);
  readSync(file, header, 0, 100, 0);
  const pageSize = header.readUInt16BE(16);
  const pages = Math.ceil(bytes / pageSize);
  header.writeUInt32BE(pages, 28);
  writeSync(file, header, 0, 100, 0);
  closeSync(file);
  truncateSync(copy, pages * pageSize);
  return `sqlite:${copy}`;
}

test('what writes a SQLite file anew says beforehand how long that takes, and does nothing where there is no room', async () => {
  await begin(await sqliteUrl());
  await line.wrote(PERSON, 0);
  const { bavail, bsize } = statfsSync(temporaryFolder());
  const commands = [
    ['contact', 'forget', PERSON, '--yes'],
    ['line', 'remove', line.phoneNumberId, '--yes'],
    ['rekey'],
  ];
  const env = { ...scene.gateway.env, GATEWAY_DATABASE_URL: await copyOfSize((bavail * bsize) / 2) };
  for (const words of commands) {
    const { code, stdout, stderr } = await command(words, env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^Not enough disk space, so nothing was changed\. .* takes \d+ MB; .* has \d+ MB left\./,
    );
  }
  expect(await rows(env.GATEWAY_DATABASE_URL, 'select contact from windows')).toEqual([{ contact: PERSON }]);
  const large = { ...env, GATEWAY_DATABASE_URL: await copyOfSize(1024 ** 3) };
  for (const words of commands.slice(0, 2)) {
    const { code, stderr } = await command(words.slice(0, -1), large);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/rewrites the database\. For about 10 s, .* 503\. Nothing was done yet: confirm/),
    ]);
  }
});

test('line remove leaves in the file no copy of a number that SQLite has moved from page to page', async () => {
  await begin(await sqliteUrl());
  const second = await scene.line();
  const numbers = Array.from({ length: 6000 }, () => String(1e11 + randomInt(8e11)));
  await scene.change(({ store }) =>
    Promise.all(
      numbers.map((contact, index) =>
        store.write({
          kind: 'message',
          message: {
            line_id: index % 3 ? second.id : line.id,
            wamid: `wamid.${randomInt(1e12)}`,
            contact,
            type: 'text',
            accepted_at: isoTime(scene.clock.now - index),
          },
          aliases: [{ line_id: index % 3 ? second.id : line.id, contact, identity: `US.${contact}` }],
        }),
      ),
    ),
  );
  await run('line', 'remove', line.phoneNumberId, '--yes');
  const left = files();
  expect(left).toContain(numbers[1]);
  expect(numbers.filter((number, index) => index % 3 === 0 && left.includes(number))).toEqual([]);
});

test('contact forget names the files that it leaves alone: databases set aside, backups, what the sandbox keeps', async () => {
  await begin(await sqliteUrl());
  await line.wrote(REPORTED, 0);
  const file = scene.databaseUrl.slice('sqlite:'.length);
  const backups = temporaryFolder();
  const sandbox = join(dirname(file), 'sandbox-contacts.jsonl');
  const copies = [`${file}-before-2026-01-01`, join(backups, 'gateway-2026-01-01T00-00-00.db')];
  for (const copy of copies) writeFileSync(copy, '');
  writeFileSync(sandbox, `${JSON.stringify({ line: '1', contact: REPORTED, name: 'Ana', at: '2026' })}\n`);
  const env = { ...scene.gateway.env, GATEWAY_BACKUP_DIR: backups };
  const forget = async (contact: string) =>
    JSON.parse((await command(['contact', 'forget', contact, '--yes', '--json'], env)).stdout) as {
      left_in: string[];
    };
  expect((await forget(PERSON)).left_in).toEqual([...copies, sandbox]);
  expect((await forget(OTHER)).left_in).toEqual(copies);
  const { stdout } = await command(['contact', 'forget', PERSON, '--yes'], env);
  for (const named of [...copies, sandbox]) expect(stdout).toContain(named);
  const removed = await command(['line', 'remove', line.phoneNumberId, '--yes'], env);
  for (const copy of copies) expect(removed.stdout).toContain(copy);
});
