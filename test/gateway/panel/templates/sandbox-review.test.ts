import { isoTime } from '../../../../gateway/time';
import { call, type Json, type TestLine } from '../../../support/scene';
import { checkedPages } from '../../../support/panel/checked-pages';
import { startSandboxShop, type SandboxShop } from '../../../support/panel/sandbox-shop';
import { addPanelUser, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';

let scene: SandboxShop;
let line: TestLine;
let manages: string;
let shipped: string;
closingWindows();

beforeAll(async () => {
  scene = await startSandboxShop();
  line = scene.shop;
  await addPanelUser(scene, 'eddie', 'editor');
  manages = await scene.token(line.id, null, { scopes: ['manage'] });
  ({ id: shipped } = await create('order_shipped'));
  await create('order_paid');
});
afterAll(() => scene.stop());

const address = () => `/panel/templates/review/${line.id}`;
const create = async (name: string): Promise<Json> => {
  const row = await scene.change(({ store }) => store.lines.find(line.id));
  const reply = await call(`${scene.gateway.url}/v22.0/${row?.waba_id}/message_templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${manages}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name, language: 'en_US', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'Your order is on its way.' }],
    }),
  });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return reply.body;
};
const stateOf = async (name: string) => {
  const all = await scene.change(({ store }) => store.templates.ofLine(line.id));
  const row = all.find((one) => one.name === name);
  return [row?.upstream_status, row?.category, row?.rejected_reason];
};

checkedPages(() => scene, [address, () => `${address()}/${shipped}`]);

test('an editor approves, rejects, recategorises, pauses and disables, without script', async () => {
  const { page, goto } = await loggedIn(scene, { name: 'eddie', script: false });
  await goto(`/panel/templates?line=${line.id}`);
  await page.getByRole('link', { name: 'Review in the sandbox' }).click();
  expect(await page.locator('tbody tr').first().innerText()).toContain('Pending');
  await page.getByRole('button', { name: 'Approve of order_paid' }).click();
  await page.getByText('Done.').waitFor();
  expect(await stateOf('order_paid')).toEqual(['APPROVED', 'UTILITY', null]);

  const open = (name: string) => page.getByRole('link', { name, exact: true }).click();
  await open('order_shipped');
  await page.getByLabel('Why it is rejected').selectOption('SCAM');
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Done.').waitFor();
  expect(await stateOf('order_shipped')).toEqual(['REJECTED', 'UTILITY', 'SCAM']);

  await open('order_paid');
  await page.getByLabel('Another category').selectOption('MARKETING');
  await page.getByRole('button', { name: 'Change the category' }).click();
  await page.getByText('Done.').waitFor();
  expect(await stateOf('order_paid')).toEqual(['APPROVED', 'MARKETING', null]);
  for (const [button, status] of [
    ['Pause', 'PAUSED'],
    ['Approve', 'APPROVED'],
    ['Disable', 'DISABLED'],
    ['Reinstate', 'REINSTATED'],
    ['Pause', 'PAUSED'],
  ] as const) {
    // Equal notifications of one second count as one.
    scene.clock.now += 1_000;
    await open('order_paid');
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByText('Done.').waitFor();
    expect([button, ...(await stateOf('order_paid'))].slice(0, 2)).toEqual([button, status]);
  }
  const audited = await rows(
    scene.databaseUrl,
    `select details from audit where action = 'sandbox.switched'`,
  );
  expect(audited.map(({ details }) => JSON.parse(String(details)))).toContainEqual({
    ...{ template: 'order_shipped', language: 'en_US', event: 'REJECTED', reason: 'SCAM' },
  });
});

test('the sandbox decides by the chosen rule', async () => {
  const { page, goto } = await loggedIn(scene, { script: false });
  await goto(address());
  await page.getByLabel('Decision').selectOption('reject');
  await page.getByLabel('Reason, if it rejects').selectOption('ABUSIVE_CONTENT');
  await page.getByRole('button', { name: 'Set' }).click();
  await page.getByText('Set. It applies').waitFor();
  expect(await page.getByLabel('Decision').inputValue()).toBe('reject');
  expect(await scene.play(`/review?line=${line.phoneNumberId}`)).toMatchObject({
    ...{ mode: 'reject', reason: 'ABUSIVE_CONTENT', after: '0s' },
  });
});

test('a member reviews the own line only, and sets no rule, which others of the account may share', async () => {
  const [own, others] = await scene.change(({ store }) =>
    Promise.all(
      ['Own', 'Others'].map((name) =>
        store.customers.insert({ name, external_id: null, suspended_at: null, created_at: isoTime(0) }),
      ),
    ),
  );
  await line.edit({ customer_id: own?.id ?? 0 });
  const foreign = await scene.line({ name: 'Foreign' });
  await foreign.edit({ customer_id: others?.id ?? 0 });
  await addPanelUser(scene, 'mia', 'editor', own?.id ?? 0);
  const { page, goto } = await loggedIn(scene, { name: 'mia', script: false });
  await goto(address());
  expect(await page.getByLabel('Decision').count()).toBe(0);
  const form_token = await page.locator('input[name=form_token]').first().inputValue();
  const post = async (path: string, form: Record<string, string>) =>
    (
      await page.request.post(scene.gateway.url + path, {
        form: { form_token, ...form },
        headers: { origin: scene.gateway.url },
        maxRedirects: 0,
      })
    ).status();
  expect(await post(address(), { mode: 'approve', after: '0s' })).toBe(403);
  const before = await stateOf('order_shipped');
  for (const path of [
    `/panel/templates/review/${foreign.id}`,
    `/panel/templates/review/${foreign.id}/${shipped}`,
  ]) {
    expect([path, (await page.request.get(scene.gateway.url + path)).status()]).toEqual([path, 404]);
    expect([path, await post(path, { event: 'APPROVED' })]).toEqual([path, 404]);
  }
  expect(await stateOf('order_shipped')).toEqual(before);
  const vera = await loggedIn(scene, { name: 'vera', script: false });
  expect((await vera.page.request.get(scene.gateway.url + address())).status()).toBe(403);
});
