import { createAdminToken } from '../../gateway/admin-tokens/manage-admin-tokens';
import { commandActor } from '../../gateway/cli/offline';
import { insertDestination } from '../../gateway/forwarding/destinations/destination-rows';
import { type NewLine } from '../../gateway/lines/add-line';
import { DAY } from '../../gateway/time';
import { rows, write } from './rows';
import { textTo, type Scene } from './scene';

/** The hash of a sample file. */
export const SAMPLE = 'cafe';

/** What a page or an operation can name. */
export interface Things {
  line: number;
  destination: number;
  token: number;
  adminToken: number;
  event: string;
  wamid: string;
  contact: string;
  channel: number;
  user: number;
  customer: number;
  draft: number;
  mute: number;
  invitation: number;
  rateCard: number;
}

export const NOBODYS: Things = {
  line: 999_999,
  destination: 999_999,
  token: 999_999,
  adminToken: 999_999,
  event: 'evt_0000000000000000000000000',
  wamid: 'wamid.none',
  contact: '4915100000000',
  channel: 999_999,
  user: 999_999,
  customer: 999_999,
  draft: 999_999,
  mute: 999_999,
  invitation: 999_999,
  rateCard: 999_999,
};

/** Things of a customer, with its own contact; the text of each tells whose it is. */
export async function thingsOf(
  scene: Scene,
  customerId: number,
  name: string,
  contact: string,
  more: Partial<NewLine> = {},
): Promise<Things> {
  const line = await scene.line({ name: `${name} shop`, ...more });
  const rules = { refuseUrl: () => null } as never;
  const made = await scene.change(async (world) => {
    await world.store.lines.update(line.id, { customer_id: customerId });
    const url = `http://127.0.0.1:9/${name}-hook`;
    const destination = await insertDestination({ ...world, rules }, line.id, {
      url,
      origin: 'operator',
      secret: null,
    });
    const channel = await world.store.alerts.insertChannel({
      kind: 'slack',
      name: `${name} alerts`,
      settings_sealed: world.vault.seal('alert_channels.settings', JSON.stringify({ url })),
      scope: 'line',
      scope_id: String(line.id),
      origin: 'operator',
      time_zone: 'UTC',
      created_at: new Date(scene.clock.now).toISOString(),
    });
    const at = new Date(scene.clock.now).toISOString();
    const mute = await world.store.alerts.insertMute({
      ...{ kind: null, subject: null, line_id: line.id, facts: null, what: `${name} mute`, who: name },
      ...{ until: new Date(scene.clock.now + 90 * DAY).toISOString(), created_at: at },
    });
    const content = JSON.stringify({ parameter_format: 'positional', languages: [] });
    const { id: draft } = await world.store.templateDrafts.insert({
      ...{ name: `${name} draft`, category: 'UTILITY', content, customer_id: customerId, revision: 1 },
      ...{ created_at: at, updated_at: at, updated_by: name },
    });
    await world.store.templateDrafts.addFile({
      ...{ draft_id: draft, hash: SAMPLE, name: `${name}.png`, type: 'image/png' },
      ...{ bytes: Buffer.from(`${name} sample`), added_at: at },
    });
    const { id: invitation } = await world.store.invitations.insert({
      ...{ hash: name, email: null, name: `${name} guest`, role: 'viewer', invited_by: name },
      ...{ customer_ids: JSON.stringify([customerId]), user_id: null, admin_token_id: null },
      ...{ created_at: at, expires_at: new Date(scene.clock.now + DAY).toISOString() },
    });
    const { id: rateCard } = await world.store.rateCards.insert({
      ...{ customer_id: customerId, name: `${name} rates`, currency: 'EUR', effective_from: '2026-01-01' },
      ...{ rates: '{}', imported_at: at },
    });
    return { destination: destination.id, channel: channel.id, draft, mute: mute.id, invitation, rateCard };
  });
  await scene.token(line.id, null, { name: `${name} token` });
  const [token] = await rows(
    scene.databaseUrl,
    `select max(id) as id from tokens where line_id = ${line.id}`,
  );
  const adminToken = await scene.change((deps) =>
    createAdminToken(deps, commandActor(), null, {
      ...{ name: `${name} admin token`, permissions: ['events.read'], customerIds: [customerId] },
    }),
  );
  await line.wrote(contact, 1);
  const [event] = await rows(scene.databaseUrl, `select id from events where line_id = ${line.id}`);
  await write(
    scene.databaseUrl,
    `update events set body = replace(replace(body, 'Hello', '${name} secret'), '"Ana"', '"${name} person"')
     where line_id = ${line.id}`,
  );
  await write(
    scene.databaseUrl,
    `insert into attempts (destination_id, event_id, number, started_at, duration_ms, http_status, outcome, answer)
     values (${made.destination}, '${String(event?.id)}', 99, '2026-03-10T12:00:00.000Z', 1, 500, 'http_error', '${name} answer')`,
  );
  const sent = await line.send(textTo(contact, `${name} text`));
  expect(sent.status).toBe(200);
  const wamid = (sent.body as { messages: { id: string }[] }).messages[0]?.id ?? '';
  return {
    ...made,
    line: line.id,
    token: Number(token?.id),
    adminToken: adminToken.row.id,
    event: String(event?.id),
    wamid,
    contact,
    user: 0,
    customer: customerId,
  };
}

export const addCustomer = (scene: Scene, name: string): Promise<number> =>
  scene.change(async ({ store }) => {
    const created_at = new Date(scene.clock.now).toISOString();
    return (await store.customers.insert({ name, external_id: null, created_at }))?.id ?? 0;
  });
