import { until } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import { CONTACT, PICTURE, startSandboxShop, type SandboxShop } from '../../../support/panel/sandbox-shop';
import { axeFaults, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { type Json, type TestLine } from '../../../support/scene';

let scene: SandboxShop;
let line: TestLine;
closingWindows();

beforeAll(async () => {
  scene = await startSandboxShop();
  line = scene.shop;
  await scene.isWrittenTo();
  // Its templates come with the first sync.
  await scene.gateway.pollDue();
});
afterAll(() => scene.stop());

const at = (query = '') => `/panel/lines/${line.id}/send${query}`;

/** What came to the phone, newest last. */
const arrived = async (): Promise<Json[]> =>
  (await scene.play(`/contacts/${CONTACT}/messages?line=${line.phoneNumberId}`)).messages.filter(
    ({ direction }: Json) => direction === 'to_contact',
  );

checkedPages(
  () => scene,
  [() => at('?kind=template'), () => at('?kind=buttons'), () => at('?kind=flow'), () => at('?kind=json')],
);

test('each kind is written in a form, without script, and arrives as a program would have sent it', async () => {
  const { page, goto } = await loggedIn(scene, { script: false });
  const send = () => page.getByRole('button', { name: 'Send', exact: true }).first().click();
  const sentAs = async (id: string) => (await page.locator(`#sent-${id}`).textContent()) ?? '';

  await goto(at());
  await page.locator('#field-text').fill("It's *ready*");
  await send();
  expect(new URL(page.url()).pathname).toBe(`/panel/phone/${line.id}/${CONTACT}`);
  expect((await arrived()).at(-1)).toMatchObject({ type: 'text', text: { body: "It's *ready*" } });
  const told = page.locator('.chat').getByRole('status');
  expect(await told.innerText()).toBe('Sent. Back to My shop');
  expect(await told.getByRole('link').getAttribute('href')).toBe(`/panel/lines/${line.id}`);
  expect(JSON.parse(await sentAs('json'))).toEqual({
    messaging_product: 'chat',
    to: CONTACT,
    type: 'text',
    text: { body: "It's *ready*" },
  });
  expect(await sentAs('curl')).toContain(`/${line.phoneNumberId}/messages`);
  expect(await sentAs('curl')).toContain("It'\\''s *ready*");
  expect(JSON.parse(await sentAs('n8n')).nodes[0].parameters).toMatchObject({
    to: CONTACT,
    messageType: 'text',
    text: "It's *ready*",
  });

  await goto(at('?kind=buttons'));
  await page.locator('#field-question').fill('Friday?');
  await page.getByLabel('Button 1').fill('Yes');
  await page.getByLabel('Button 3').fill('No');
  await page.getByLabel('Footer').fill('My shop');
  await page.getByLabel('Header').fill('Delivery');
  await page.getByText('Picture, video or document above the text').click();
  const file = { name: 'a.png', mimeType: 'image/png', buffer: PICTURE };
  await page.locator('#field-header_file').setInputFiles(file);
  await send();
  expect(await page.locator('.fault').innerText()).toContain('a line of text or a file, not both');
  await page.getByLabel('Header').fill('');
  await page.locator('#field-header_file').setInputFiles(file);
  await send();
  expect((await arrived()).at(-1)?.interactive).toMatchObject({
    header: { type: 'image', image: { id: expect.any(String) } },
    body: { text: 'Friday?' },
    footer: { text: 'My shop' },
    action: { buttons: [{ reply: { id: 'Yes', title: 'Yes' } }, { reply: { title: 'No' } }] },
  });

  await goto(at('?kind=list'));
  await page.locator('#field-question').fill('When?');
  await page.getByLabel('Choices').fill('Morning | 9 to 12\n\nEvening');
  await page.getByLabel('Header').fill('Delivery');
  await send();
  const list = (await arrived()).at(-1)?.interactive;
  expect(list.header).toEqual({ type: 'text', text: 'Delivery' });
  expect(list.action).toEqual({
    button: 'Choose',
    sections: [
      {
        rows: [
          { id: 'Morning', title: 'Morning', description: '9 to 12' },
          { id: 'Evening', title: 'Evening' },
        ],
      },
    ],
  });

  await goto(at('?kind=link'));
  await page.locator('#field-question').fill('It is on its way');
  await page.locator('#field-link_label').fill('Track it');
  await page.getByLabel('URL that it opens').fill('https://www.example.com/orders');
  await send();
  expect((await arrived()).at(-1)?.interactive.action.parameters).toEqual({
    display_text: 'Track it',
    url: 'https://www.example.com/orders',
  });

  await goto(at('?kind=flow'));
  await page.locator('#field-question').fill('Which day?');
  await page.getByLabel('ID or name of the flow').fill('1037543291543636');
  await page.locator('#field-flow_label').fill('Choose');
  await page.getByLabel('First screen').fill('DAYS');
  await send();
  expect((await arrived()).at(-1)?.interactive.action.parameters).toEqual({
    flow_message_version: '3',
    flow_id: '1037543291543636',
    flow_cta: 'Choose',
    flow_action: 'navigate',
    flow_action_payload: { screen: 'DAYS' },
  });

  await goto(at('?kind=json'));
  await page.getByLabel('Message', { exact: true }).fill('[{"type": "text"}]');
  await send();
  expect(await page.locator('.fault').innerText()).toContain('as a JSON object with a “type”');
  await page
    .getByLabel('Message', { exact: true })
    .fill('{"to": "1", "type": "location", "location": {"latitude": 1.5, "longitude": 2}}');
  await send();
  expect((await arrived()).at(-1)).toMatchObject({ type: 'location', location: { latitude: 1.5 } });

  await goto(at('?kind=media'));
  await page.locator('#field-file').setInputFiles(file);
  await page.getByLabel('Caption').fill('My garden');
  await send();
  expect((await arrived()).at(-1)).toMatchObject({ type: 'image', image: { caption: 'My garden' } });

  await goto(at('?kind=template'));
  await page.getByLabel('Template', { exact: true }).last().selectOption({ label: 'order_update · en_US' });
  await page.getByRole('button', { name: 'Show its fields' }).click();
  await page.getByLabel('{{1}}').fill('Ana');
  await page.getByLabel('{{2}}').fill('A-1042');
  await page.getByRole('button', { name: 'Preview' }).click();
  expect(
    await page.locator('.compose-preview .template-bubble', { hasText: 'A-1042' }).textContent(),
  ).toContain('Hello Ana, your order A-1042 is on its way.');
  await send();
  expect((await arrived()).at(-1)?.template).toMatchObject({
    name: 'order_update',
    components: [{ type: 'body', parameters: [{ text: 'Ana' }, { text: 'A-1042' }] }],
  });

  const entries = await rows(
    scene.databaseUrl,
    "select who, details from audit where action = 'message.composed' order by number",
  );
  expect(entries.map(({ details }) => JSON.parse(String(details)).type)).toEqual([
    'text',
    'buttons',
    'list',
    'link',
    'flow',
    'json',
    'media',
    'template',
  ]);
  expect(JSON.stringify(entries)).not.toContain(CONTACT);
});

test('a template is sent from where it is shown, with its file, its values and the end of its button', async () => {
  const { page, goto } = await loggedIn(scene, { script: false });
  await goto(`/panel/lines/${line.id}`);
  await page.getByRole('link', { name: 'Send a message' }).click();
  expect(new URL(page.url()).pathname).toBe(at());
  await goto(`/panel/templates?line=${line.id}`);
  await page.getByRole('link', { name: 'Send a test of new_collection' }).click();
  expect(new URL(page.url()).pathname).toBe(at());
  await page.getByLabel('Address of the image').fill('https://www.example.com/spring.jpg');
  await page.getByLabel('{{1}}').fill('Ana');
  const send = page.getByRole('button', { name: 'Send', exact: true }).first();
  await send.click();
  expect(await page.locator('.fault').innerText()).toContain('Give the value of the button “See it”.');
  await page.getByLabel('Button “See it”: end of its address').fill('spring');
  await send.click();
  expect((await arrived()).at(-1)?.template).toMatchObject({
    name: 'new_collection',
    components: [
      {
        type: 'header',
        parameters: [{ type: 'image', image: { link: 'https://www.example.com/spring.jpg' } }],
      },
      { type: 'body', parameters: [{ text: 'Ana' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ text: 'spring' }] },
    ],
  });
});

test('what is wrong is told with what to do, and all that was typed stays', async () => {
  const { page, goto } = await loggedIn(scene);
  const before = (await arrived()).length;
  await goto(at('?kind=buttons'));
  await page.locator('#field-question').fill('Friday?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.fault').getByText('Enter the text of at least one button.').waitFor();
  expect(await page.locator('#field-question').inputValue()).toBe('Friday?');
  // What is typed shows in the preview at once.
  await page.getByLabel('Button 1').fill('Of course');
  expect(await page.locator('.template-buttons .of-value').first().innerText()).toBe('Of course');
  await page.getByLabel('Button 2').fill('No');
  // Those that are filled in, one right below the other, with a gap as on a phone.
  const buttons = page.locator('.template-buttons .of-value:visible');
  expect(await buttons.count()).toBe(2);
  const [first, second] = [await buttons.first().boundingBox(), await buttons.last().boundingBox()];
  expect(second?.y).toBe((first?.y ?? 0) + (first?.height ?? 0) + 3);
  for (const number of [1, 2]) await page.getByLabel(`Button ${number}`).fill('');
  expect(await page.locator('.compose-preview .template-buttons:visible').count()).toBe(0);
  for (const isTyped of [true, false]) {
    if (isTyped) await page.locator('#field-question').fill('*Fri* or snake_case_, ~no~?');
    else await goto(at(`?text=${encodeURIComponent('*Fri* or snake_case_, ~no~?')}`));
    const shown = page.locator(`[data-shows=field-${isTyped ? 'question' : 'text'}]`).first();
    expect(await shown.innerHTML()).toBe('<strong>Fri</strong> or snake_case_, <s>no</s>?');
  }

  await goto(at('?to=12025550188&text=Hello'));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  expect(await page.getByRole('alert').innerText()).toContain('has never written to this line');
  expect(await page.locator('#field-text').inputValue()).toBe('Hello');
  await page.getByRole('link', { name: 'Write something from this contact’s sandbox phone' }).click();
  expect(new URL(page.url()).pathname).toBe(`/panel/phone/${line.id}/12025550188`);
  expect((await arrived()).length).toBe(before);
});

test('what is wrong goes once it is corrected, and the sentence in which a value stands remains', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto(at('?kind=template&template=order_update+en_US'));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const [first, second] = [page.getByLabel('{{1}}'), page.getByLabel('{{2}}')];
  const alert = page.getByRole('alert');
  expect(await alert.getByRole('listitem').count()).toBe(2);
  const described = (one: typeof first) =>
    one.evaluate((field: Element) =>
      (field.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => field.ownerDocument.getElementById(id)?.textContent),
    );
  const around = 'Hello {{1}}, your order … is on its way.';
  expect(await described(first)).toEqual([around, 'Give the value of {{1}}.']);
  await first.fill('Ana');
  expect(await described(first)).toEqual([around]);
  expect(await first.getAttribute('aria-invalid')).toBeNull();
  expect(await page.locator('.fault').allTextContents()).toEqual(['Give the value of {{2}}.']);
  expect(await alert.getByRole('listitem').allTextContents()).toEqual(['Give the value of {{2}}.']);
  await second.fill('A-1042');
  expect(await page.locator('.fault').count()).toBe(0);
  expect(await alert.count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
});

test('on a phone the preview stays in sight above the field that is filled in', async () => {
  const { page, goto } = await loggedIn(scene, { width: 360 });
  await page.setViewportSize({ width: 360, height: 740 });
  await goto(at('?kind=buttons'));
  await page.getByLabel('Footer').focus();
  const preview = await page.locator('.compose-preview').boundingBox();
  const field = await page.getByLabel('Footer').boundingBox();
  expect(preview?.y).toBeGreaterThan(0);
  expect((preview?.y ?? 0) + (preview?.height ?? 0)).toBeLessThanOrEqual(field?.y ?? 0);
  expect(field?.y).toBeLessThan(700);
});

test('whether a contact may be written to freely is told before anything is sent', async () => {
  const { page, goto } = await loggedIn(scene);
  const told = page.locator('#window');
  await goto(at(`?to=${CONTACT}`));
  expect(await told.innerText()).toMatch(/^24-hour window open until \d/);
  await page.locator('#field-to').fill('+1 202-555-0188');
  await page.locator('#field-text').fill('Hello');
  await told.getByText('24-hour window closed').waitFor();
  await page.locator('#field-to').fill('999');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  expect(await page.locator('#fault-to').innerText()).toBe('Enter a phone number with country code.');
});

test.each([true, false])(
  'the one field that is wrong is gone to and says so once: script %s',
  async (script) => {
    const { page, goto } = await loggedIn(scene, { script });
    await goto(at('?text=Hello'));
    await page.locator('#field-to').fill('999');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await page.locator(':focus').getAttribute('id')).toBe('field-to');
    const shown = await page.locator('main').innerText();
    expect(shown.match(/Enter a phone number|another look/g)).toEqual(['Enter a phone number']);
    // Of more than one all are told above.
    await page.locator('#field-text').fill('');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await page.getByRole('alert').innerText()).toMatch(
      /Some fields.*Enter a phone number.*Enter the text/s,
    );
    if (script) expect(await page.locator(':focus').getAttribute('role')).toBe('alert');
  },
);

test('whoever wrote last to the line is written to, and nobody where nobody wrote', async () => {
  const { page, goto } = await loggedIn(scene);
  const to = page.locator('#field-to');
  const other = await scene.line({ name: 'Another shop' });
  await goto(`/panel/lines/${other.id}/send`);
  expect([await to.inputValue(), await page.locator('#window').innerText()]).toEqual(['', '']);
  await scene.play('/contacts/12025550164/messages', { text: 'Hello', line: other.phoneNumberId });
  await until(async () => (await scene.gateway.windows.lastInboundAt(other.id, '12025550164')) !== null);
  await goto(`/panel/lines/${other.id}/send`);
  expect(await to.inputValue()).toBe('12025550164');
  expect(await page.locator('#window').innerText()).toContain('24-hour window open');
  await goto(at());
  expect(await to.inputValue()).toBe(CONTACT);
});

test('a form that is sent twice sends one message; a line that is switched off sends none', async () => {
  const { page, goto, context } = await loggedIn(scene);
  const before = (await arrived()).length;
  await goto(at('?text=Once'));
  const form = (await page.evaluate(
    `Object.fromEntries([...new FormData(document.querySelector('.compose'))].filter(([, one]) => typeof one === 'string'))`,
  )) as Record<string, string>;
  // As it is copied from a chat: with marks of direction around it.
  form.to = `\u202a+${form.to}\u202c`;
  const post = async () => {
    const answer = await context.request.post(scene.gateway.url + at(), {
      form,
      headers: { origin: scene.gateway.url },
      maxRedirects: 0,
    });
    return { status: answer.status(), text: await answer.text() };
  };
  expect((await post()).status).toBe(303);
  const again = (await post()).text;
  expect(again).toContain('No message was sent again');
  expect(again).not.toMatch(/[\u202a\u202c]/);
  expect((await arrived()).length).toBe(before + 1);

  await scene.change(({ store }) =>
    store.lines.update(line.id, { api_disabled_at: '2026-01-01T00:00:00.000Z' }),
  );
  form.text = 'Twice';
  const refused = await post();
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Not sent.')]);
  await scene.change(({ store }) => store.lines.update(line.id, { api_disabled_at: null }));
  expect((await arrived()).length).toBe(before + 1);
});
