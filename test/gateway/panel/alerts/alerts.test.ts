import { CONDITION_KINDS } from '../../../../gateway/alerts/kinds';
import { mute } from '../../../../gateway/alerts/use-cases/mute';
import { HOUR, SECOND } from '../../../../gateway/time';
import { startPeer, type Answer, type HttpPeer } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn, reachOf } from '../../../support/panel/visitor';
import { write } from '../../../support/rows';
import { sceneOf } from '../../../support/scene';
import { addAlertChannel } from '../../alerts/support';
import { addDestination } from '../../store/support';

const scene = sceneOf();
let slack: HttpPeer;
let answer: Answer = { body: 'ok' };
closingWindows();

const look = async () => {
  for (let round = 0; round < 4; round++, scene.clock.now += 10 * SECOND) await scene.gateway.lookForAlerts();
};

beforeAll(async () => {
  slack = await startPeer(() => answer);
  await addPanelUser(scene, 'ana');
  const line = await scene.line({ name: 'Lucky Shrub' });
  await scene.line({ name: 'Flower Lane' });
  await line.edit({ access_token_sealed: null });
  await look();
});
afterAll(async () => {
  await slack.close();
});

test('an operator is led from an incident to a channel, tests it, and it is told', async () => {
  const { page, goto } = await loggedIn(scene, { timezone: 'America/Sao_Paulo' });
  await goto('/panel/alerts');
  await page.getByRole('heading', { name: 'Lucky Shrub has no access token' }).waitFor();
  expect(await page.getByRole('link', { name: 'Telegram' }).count()).toBe(1);
  await page.getByRole('link', { name: 'Channels' }).click();
  await page.getByRole('link', { name: 'Slack' }).click();
  // Those of the reader, but what was typed stays.
  expect(await page.getByLabel('Time zone').inputValue()).toBe('America/Sao_Paulo');
  await page.getByLabel('Time zone').fill('UTC');
  await page.getByLabel('Webhook URL').fill('ftp://example.com');
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.locator('.fault').getByText('A destination starts with https://').waitFor();
  expect(await page.getByLabel('Time zone').inputValue()).toBe('UTC');
  await page.getByLabel('Webhook URL').fill(`${slack.url}/services/T0/B0/secret`);
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('The channel is added.').waitFor();
  expect(await page.content()).not.toContain('B0/secret');

  answer = { status: 404, body: 'no_service' };
  await page.getByRole('button', { name: 'Send a test alert' }).click();
  await page.getByRole('alert').getByText('did not arrive: It answered HTTP 404: no_service').waitFor();
  await goto('/panel/alerts');
  await page.getByRole('link', { name: 'Channels (1)' }).click();
  expect(await page.title()).toBe('Alert channels · Messaging Gateway');
  expect(await page.locator('td .reason').innerText()).toMatch(/^Since .* · It answered HTTP 404/);
  answer = { body: 'ok' };
  await page.getByRole('button', { name: 'Send a test alert' }).click();
  await page.getByText('The channel accepted the test alert.').waitFor();

  // What is not typed anew stays.
  await page.getByLabel('Name').fill('The team');
  await page.getByLabel('Quiet from').fill('22:00');
  await page.getByLabel('Quiet until').fill('07:30');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('It is saved.').waitFor();
  expect(await page.getByLabel('Quiet until').inputValue()).toBe('07:30');
  const before = slack.received.length;
  await look();
  expect(slack.received).toHaveLength(before + 1);
  expect(slack.received.at(-1)?.url).toBe('/services/T0/B0/secret');
  expect(slack.received.at(-1)?.body).toContain('Lucky Shrub has no access token');
});

test('whoever sends a channel to another server gives its secret once more, and is not told the old one', async () => {
  const server = `${slack.url}/ntfy`;
  const { id } = await addAlertChannel(scene, 'ntfy', {
    server,
    topic: 'ours',
    token: 'tk_of_the_first_server',
  });
  const stored = async () => (await scene.change(({ store }) => store.alerts.channel(id)))?.settings_sealed;
  const before = await stored();
  const { page, goto } = await loggedIn(scene);
  await goto(`/panel/alerts/channels/${id}`);
  await page.getByLabel('Server').fill(`${slack.url}/elsewhere`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.fault').getByText('Enter it again, because the server has changed.').waitFor();
  expect(await stored()).toBe(before);
  await page.getByLabel('Access token').fill('tk_of_the_second');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('It is saved.').waitFor();
  await scene.change(({ store }) => store.alerts.removeChannel(id));
});

test('of many lines, the one that a channel tells of is found by typing', async () => {
  // Of one account, which is told of as a whole as well.
  for (let line = 3; line <= 51; line++)
    await scene.line({ name: `Shop ${line}`, wabaId: '202290129340001' });
  const { page, goto } = await loggedIn(scene);
  await goto('/panel/alerts/channels/new/slack');
  expect(await page.getByLabel('Notify about').locator('option').count()).toBe(3);
  await page.getByLabel('Webhook URL').fill(`${slack.url}/services/T0/B0/other`);
  await page.getByLabel('Notify about').selectOption('line');
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.locator('.fault').getByText('Choose which lines the channel covers.').waitFor();
  await page.getByLabel('Webhook URL').fill(`${slack.url}/services/T0/B0/other`);
  await page.locator('[name=scope_line]').fill('shop 42');
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('The channel is added.').waitFor();
  await page.getByText('Line Shop 42').waitFor();
  // What is stored stands in the form, and stays when it is saved.
  await page.getByLabel('Notify about').selectOption('account');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('It is saved.').waitFor();
  await page.getByText('Business account 202290129340001').waitFor();
  const [added] = (await scene.change(({ store }) => store.alerts.channels())).slice(-1);
  expect(added).toMatchObject({ scope: 'account', scope_id: '202290129340001' });
  await scene.change(({ store }) => store.alerts.removeChannel(added?.id ?? 0));
});

test('an operator mutes an incident, and ends that', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto('/panel/alerts');
  await page.setViewportSize({ width: 360, height: 740 });
  const urgency = await page.locator('.urgency').boundingBox();
  const link = await page.getByRole('link', { name: 'Mute' }).boundingBox();
  expect(link?.y).toBeLessThan((urgency?.y ?? 0) + (urgency?.height ?? 0));
  await page.getByRole('link', { name: 'Mute' }).click();
  await page.getByLabel('For').selectOption('1');
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByText('No one is notified of this incident for 1 hour.').waitFor();
  expect(await page.getByRole('link', { name: 'Mute' }).count()).toBe(0);
  await page.getByRole('button', { name: 'End' }).click();
  await page.getByText('Notifications for this incident are on again.').waitFor();
  expect(await page.locator('.side-places a[href="/panel/alerts"] .count').innerText()).toMatch(/^1\b/);
  await goto('/panel/alerts/mute?incident=999');
  expect(await page.locator('.notice[data-tone=good]').count()).toBe(0);
  expect(await page.locator('.notice[data-tone=idle]').innerText()).toBe('This incident is already over.');
});

test('an operator changes a rule, and a number that is none is told at its place', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto('/panel/alerts/rules');
  expect(await page.title()).toBe('Alert rules · Messaging Gateway');
  expect(await page.getByRole('link', { name: 'the channels' }).getAttribute('href')).toBe(
    '/panel/alerts/channels',
  );
  expect(await page.locator('.alert-rules h3').allInnerTexts()).toEqual([
    'Destinations and deliveries',
    'Lines and templates',
    'Tokens',
    'Customers',
    'The gateway itself',
    'Attacks',
  ]);
  expect(await page.locator('.alert-rules').nth(1).getByRole('checkbox').count()).toBe(9);
  expect(await page.getByRole('checkbox').count()).toBe(CONDITION_KINDS.length);
  const minutes = page.getByLabel(/^minutes: A destination has not accepted events/);
  await minutes.fill('0');
  await page.getByRole('button', { name: 'Save the rules' }).click();
  await page.locator('.fault').getByText('Enter a whole number from 1 to 1,440.').waitFor();
  await minutes.fill('7');
  // Its words switch it as well.
  await page.getByText('A template was rejected, paused or disabled.').click();
  await page.getByRole('button', { name: 'Save the rules' }).click();
  await page.getByText('The rules are saved.').waitFor();
  expect(await minutes.inputValue()).toBe('7');
  const rows = await scene.change(({ store }) => store.alerts.rules());
  expect(rows.map(({ kind, is_on: isOn, threshold }) => [kind, isOn, threshold]).sort()).toEqual([
    ['destination_failing', 1, 7],
    ['template_stopped', 0, 0],
  ]);
});

test('destinations of one host are told apart, the urgent one first, each with what helps', async () => {
  const at = new Date(scene.clock.now - HOUR).toISOString();
  await scene.change(async ({ store, vault }) => {
    const secret_sealed = vault.seal('destinations.secret', 'a secret of sixteen');
    for (const change of [
      { url: `${slack.url}/paused?key=secret`, paused_at: at },
      { url: `${slack.url}/fails?key=secret`, failing_since: at },
    ])
      await store.destinations.update(await addDestination(store, 2, { secret_sealed }), change);
  });
  await look();
  const { host } = new URL(slack.url);
  const { page, goto } = await loggedIn(scene, { script: false });
  const ofHost = page.locator('.attention li').filter({ hasText: host });
  const titles = () => ofHost.locator('h3').allInnerTexts();
  await goto('/panel/alerts');
  const expected = [
    `Flower Lane: ${host}/fails isn't accepting events`,
    `Flower Lane: ${host}/paused is paused`,
  ];
  expect(await titles()).toEqual(expected);
  // What was given up before that is mostly its consequence, and stands beneath it.
  await write(
    scene.databaseUrl,
    `update alert_incidents set kind = 'deliveries_given_up', severity = 'critical', facts = null
     where id = (select min(id) from alert_incidents where closed_at is null)`,
  );
  await goto('/panel/alerts');
  expect(await page.locator('.attention h3').first().innerText()).toBe(expected[0]);
  await goto('/panel/overview');
  expect(await titles()).toEqual(expected);
  await ofHost.getByRole('button', { name: 'Try now' }).waitFor();
  await goto('/panel/alerts');
  await ofHost.getByRole('button', { name: 'Try now' }).waitFor();
  expect(await ofHost.getByRole('link', { name: /^See events/ }).count()).toBe(2);
  await ofHost.getByRole('button', { name: 'Resume' }).click();
  expect(new URL(page.url()).pathname).toBe('/panel/alerts');
  await page.getByText(' is resumed. Waiting events are being sent.').waitFor();
});

test('rules are ticked, and tokens rotated, by a finger', async () => {
  const { page, goto } = await loggedIn(scene, { width: 360, touch: true, script: false });
  await goto('/panel/alerts/rules');
  expect(await reachOf(page.getByRole('checkbox').first())).toBeGreaterThanOrEqual(40);
  await goto('/panel/tokens');
  const row = page.locator('main tbody tr').first();
  for (const one of [row.locator('td a').first(), row.getByRole('link', { name: /^Rotate/ })])
    expect(await reachOf(one)).toBeGreaterThanOrEqual(40);
});

test('what a command mutes is told as its rule, with a time of the reader', async () => {
  const what = 'Lucky Shrub: The quality rating of a line is low or was lowered';
  await scene.change((deps) =>
    mute(
      deps,
      { who: 'root', through: 'command', address: null },
      null,
      { kind: 'line_quality', subject: null, lineId: 1, facts: null },
      { hours: 1 },
    ),
  );
  const { page, goto } = await loggedIn(scene, { script: false });
  await goto('/panel/alerts');
  await page.getByRole('rowheader', { name: what }).waitFor();
  await goto('/panel/audit');
  const row = page.getByRole('row', { name: 'Alert muted' }).filter({ hasText: what.split(': ')[1] });
  expect(await row.locator('time').count()).toBe(2);
  expect(await row.innerText()).not.toMatch(/\dT\d/);
});

describe('the pages', () => {
  beforeAll(async () => {
    await scene.change(async ({ store }) =>
      store.alerts.closeIncidents([1], new Date(scene.clock.now).toISOString()),
    );
    await look();
  });
  checkedPages(
    () => scene,
    [
      '/panel/alerts',
      '/panel/alerts/channels',
      '/panel/alerts/channels/1',
      '/panel/alerts/channels/new',
      '/panel/alerts/channels/new/email',
      '/panel/alerts/rules',
    ],
  );
});
