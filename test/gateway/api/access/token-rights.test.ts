import { Pool } from 'pg';
import { Kysely, PostgresDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { commandActor } from '../../../../gateway/cli/offline';
import { rotateToken } from '../../../../gateway/lines/tokens';
import { OPERATIONS } from '../../../../gateway/api/operations';
import { type Operation } from '../../../../gateway/api/operation';
import { openStore } from '../../../../gateway/store/store';
import { migrations } from '../../../../gateway/store/migrations';
import { SCOPES } from '../../../../gateway/store/schema';
import { DAY, HOUR, isoTime } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import { createDatabase } from '../../../support/postgres';
import { rows } from '../../../support/rows';
import {
  call,
  CONTACT,
  expectRefusal,
  freshLineOf,
  sceneOf,
  startScene,
  type Json,
  type Reply,
} from '../../../support/scene';

describe.each(DATABASES)('what a token may do ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);

  const ask = (method: string, path: string, token: string, body?: object): Promise<Reply> =>
    call(`${scene.gateway.url}/v22.0${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
  const operate = ({ method, path }: Operation, token: string): Promise<Reply> => {
    const words: Record<string, string> = {
      tid: line.phoneNumberId,
      message_id: 'wamid.none',
      contact: CONTACT,
      id: '999999',
      media_id: '4490709327384033',
      object_id: '4490709327384033',
      question_id: 'qst_none',
      account_id: line.phoneNumberId,
      app_id: 'app',
      upload_id: 'v1.x.y',
      code: 'AAAAAAAAAAAAAA',
      template_id: '4490709327384033',
    };
    const at = path.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? word);
    return ask(method.toUpperCase(), at, token);
  };
  const destinations = (token: string): Promise<Reply> =>
    ask('GET', `/${line.phoneNumberId}/destinations`, token);
  const add = (token: string, path: string): Promise<Reply> =>
    ask('POST', `/${line.phoneNumberId}/destinations`, token, {
      url: `http://127.0.0.1:9/${path}?key=secret`,
    });
  const urls = async (token: string): Promise<string[]> =>
    (await destinations(token)).body.data.map(({ url }: Json) => url);
  const rowOf = async (token: string) => {
    const all = await scene.change(({ store }) => store.tokens.ofLine(line.id));
    const row = all.find(({ last_four: last }) => last === token.slice(-4));
    if (!row) throw new Error('There is no such token');
    return row;
  };
  const rotate = async (token: string) => {
    const { id } = await rowOf(token);
    const rotated = await scene.change((world) => rotateToken(world, commandActor(), id));
    return rotated?.token ?? '';
  };

  test.each(SCOPES)('is limited to its scopes, in every operation: %s', async (scope) => {
    const only = await scene.token(line.id, null, { scopes: [scope] });
    // `manage` includes `manage:read`.
    const rest = SCOPES.filter((one) => one !== scope && !(scope === 'manage:read' && one === 'manage'));
    const others = await scene.token(line.id, null, { scopes: rest });
    for (const operation of OPERATIONS) {
      const needed = operation.scope === scope;
      const isOpen = needed || (scope === 'manage' && operation.scope === 'manage:read');
      for (const [token, isRefused] of [
        [only, !isOpen],
        [others, needed || (scope === 'manage:read' && operation.scope === 'manage')],
      ] as const) {
        const { body } = await operate(operation, token);
        expect([operation.id, body?.error_code === 'scope_missing']).toEqual([operation.id, isRefused]);
      }
    }
  });

  test('is told in a sentence that says what to do', async () => {
    const token = await scene.token(line.id, null, { scopes: ['send', 'read'] });
    expect(expectRefusal(await destinations(token), 403, 'scope_missing', 10)).toBe(
      'This needs the scope "destinations", which this token does not have: it may do "send", "read" only. Use a token with that scope, or make one in the control panel (API) or with "token create --scopes send,read,destinations".',
    );
  });

  test('is everything where nothing else was said, also for tokens from before there were scopes', async () => {
    const [stored] = await rows(scene.databaseUrl, `select scopes from tokens where line_id = ${line.id}`);
    expect(stored).toEqual({ scopes: null });
    expect((await destinations(line.token)).status).toBe(200);
  });

  test('shows the whole address of destinations that it added, and of others the host alone', async () => {
    const other = await scene.token(line.id, null);
    await add(line.token, 'mine');
    await add(other, 'theirs');
    expect(await urls(line.token)).toEqual(['http://127.0.0.1:9/mine?key=secret', 'http://127.0.0.1:9/…']);
    expect(await urls(other)).toEqual(['http://127.0.0.1:9/…', 'http://127.0.0.1:9/theirs?key=secret']);
    // What replaces it goes on where it was, and so does what replaces that.
    const next = await rotate(line.token);
    await add(next, 'mine-too');
    const last = await rotate(next);
    for (const token of [line.token, next, last])
      expect(await urls(token)).toEqual([
        'http://127.0.0.1:9/mine?key=secret',
        'http://127.0.0.1:9/…',
        'http://127.0.0.1:9/mine-too?key=secret',
      ]);
  });

  test('is named in the audit by its id and last four', async () => {
    const token = await scene.token(line.id, null);
    const { id } = await rowOf(token);
    const added = await add(token, 'mine');
    await ask('DELETE', `/${line.phoneNumberId}/destinations/${added.body.id}`, line.token);
    const entries = await scene.change(({ store }) => store.audit.page({ lineId: line.id }, 2));
    expect(entries.map(({ action, who }) => [action, who])).toEqual([
      [
        'destination.removed',
        `token ${(await rowOf(line.token)).id} (…${line.token.slice(-4)}) of Test line`,
      ],
      ['destination.added', `token ${id} (…${token.slice(-4)}) of Test line`],
    ]);
  });

  test('stays the same when it is replaced, also while the one before still works', async () => {
    const token = await scene.token(line.id, isoTime(scene.clock.now + 30 * DAY), {
      name: 'n8n production',
      scopes: ['read', 'send'],
    });
    const forever = await scene.token(line.id, null);
    scene.clock.now += HOUR;
    const next = await rotate(token);
    // The one that is replaced has a day left; what replaces it again has the whole time all the same.
    scene.clock.now += HOUR;
    const again = await rotate(token);
    for (const [made, at] of [
      [next, scene.clock.now - HOUR],
      [again, scene.clock.now],
    ] as const)
      expect(await rowOf(made)).toMatchObject({
        name: 'n8n production',
        scopes: '["send","read"]',
        expires_at: isoTime(at + 30 * DAY),
      });
    await rotate(forever);
    expect(await rowOf(await rotate(forever))).toMatchObject({ expires_at: null });
  });
});

describe.each(DATABASES)('the last use of a token ($name)', ({ createUrl }) => {
  test('tells when, from where and by which client, and is written when the gateway ends at the latest', async () => {
    const scene = await startScene(await createUrl());
    const line = await scene.line();
    const { now } = scene.clock;
    const ask = (agent: string) =>
      call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/status`, {
        headers: { authorization: `Bearer ${line.token}`, 'user-agent': agent },
      });
    await ask(`n8n ${'x'.repeat(300)}`);
    scene.clock.now += 1000;
    await ask('another');
    const find = () => rows(scene.databaseUrl, 'select * from tokens');
    expect(await find()).toMatchObject([{ last_used_at: null }]);
    await scene.stop();
    expect(await find()).toMatchObject([
      {
        last_used_at: isoTime(now),
        last_used_from: '127.0.0.1',
        last_used_by: `n8n ${'x'.repeat(196)}`,
      },
    ]);
  });
});

test('tokens from before keep their length of life, and a single one the destinations that it added', async () => {
  const url = await createDatabase();
  const before = Object.fromEntries(
    Object.entries(migrations('postgres')).filter(([name]) => name < '018-tokens'),
  );
  const db = new Kysely<{ [table: string]: Record<string, unknown> }>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }),
  });
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => before },
  }).migrateToLatest();
  expect(error).toBeUndefined();
  const at = isoTime(Date.parse('2026-03-01T12:00:00.000Z'));
  const line = (id: number) => ({
    ...{ name: 'Shop', phone_number_id: String(id), phone_number: '1', waba_id: '1', verify_token: 'v' },
    ...{ window_mode: 'text', quality_mode: 'normal', created_at: at },
  });
  await db
    .insertInto('lines')
    .values([line(1), line(2)])
    .execute();
  const token = (line_id: number, expires_at: string | null) => ({
    ...{ line_id, expires_at, hash: `${line_id} ${expires_at}`, last_four: 'abcd', created_at: at },
  });
  const monthLater = isoTime(Date.parse(at) + 30 * DAY);
  await db
    .insertInto('tokens')
    .values([token(1, null), token(2, null), token(2, monthLater)])
    .execute();
  const destination = (line_id: number, origin: string) => ({
    ...{ line_id, origin, url: 'https://example.com/', secret_sealed: '', mode: 'split', events: '[]' },
    created_at: at,
  });
  await db
    .insertInto('destinations')
    .values([destination(1, 'token'), destination(1, 'operator'), destination(2, 'token')])
    .execute();
  await db.destroy();

  await (await openStore(url, 'gateway')).close();
  expect(await rows(url, 'select lifetime from tokens order by id')).toEqual([
    { lifetime: null },
    { lifetime: null },
    { lifetime: 30 * 24 * 3600 },
  ]);
  expect(await rows(url, 'select token_id from destinations order by id')).toEqual([
    { token_id: 1 },
    { token_id: null },
    { token_id: null },
  ]);
});
