import { setTimeout } from 'node:timers/promises';
import { SECOND } from '../../../gateway/time';
import { write } from '../../support/rows';
import { sceneOf, lineOf } from '../../support/scene';
import { addPanelUser, closingWindows, formTokenIn, loggedIn } from '../../support/panel/visitor';

const scene = sceneOf();
const line = lineOf(scene);
closingWindows();

/** More than the buffers between the gateway and a reader hold: 64 MB. */
const EVENTS = 1_000;
const LONG = 64 * 1024;

beforeAll(async () => {
  await addPanelUser(scene, 'ana', 'viewer');
  await write(
    scene.databaseUrl,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EVENTS})
     insert into events (id, line_id, subject, kind, identity, body, received_at)
     select printf('evt_%025d', i), ${line.id}, 'message', 'text', 'message:' || i,
       '{"text":{"body":"' || hex(zeroblob(${LONG / 2})) || '"}}', '2026-03-10T11:00:00.000Z' from n`,
  );
});

test('an export that runs breaks off when the user loses the role, and is complete if not', async () => {
  const { context } = await loggedIn(scene);
  const page = await context.request.get(`${scene.gateway.url}/panel/profile`);
  const form_token = formTokenIn(await page.text());
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const begin = async () => {
    const answer = await fetch(`${scene.gateway.url}/panel/events/export`, {
      method: 'POST',
      headers: { cookie, origin: scene.gateway.url },
      body: new URLSearchParams({ form_token, format: 'ndjson' }),
    });
    expect(answer.status).toBe(200);
    return answer;
  };
  const whole = (await (await begin()).text()).trim().split('\n');
  expect(whole).toHaveLength(EVENTS);

  const reader = (await begin()).body?.getReader();
  await reader?.read();
  await scene.change(async ({ store }) => {
    const ana = await store.users.byName('ana');
    await store.users.update(ana?.id ?? 0, { role: 'editor' });
  });
  // Roles are checked twice a second.
  await setTimeout(SECOND);
  const rest = async () => {
    while (!(await reader?.read())?.done);
  };
  await expect(rest()).rejects.toThrow();
});
