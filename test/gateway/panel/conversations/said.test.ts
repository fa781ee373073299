import { addPanelUser, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { CONTACT, freshLineOf, sceneOf, textTo, type Json } from '../../../support/scene';
import { notification, notify } from '../../../support/test-gateway';

const GROUP = 'Y2FwaV9ncm91cDoxNTU1MDAwMzAwMDoxMjAzNjM0MDAwMDAwMDAwMDAZD';
/** Turns what follows round. */
const OVERRIDE = '\u202e';
closingWindows();

describe('what a conversation shows', () => {
  const scene = sceneOf();
  const line = freshLineOf(scene, { name: 'Shop' });
  let count = 0;
  beforeAll(() => addPanelUser(scene, 'ana'));
  beforeEach(() => {
    scene.upstream.answers.messages = ({ body }) => {
      const { to } = JSON.parse(body) as { to: string };
      return { body: { contacts: [{ input: to, wa_id: to }], messages: [{ id: `wamid.out.${++count}` }] } };
    };
  });

  const tell = async (value: object, field = 'messages') => {
    const [told] = [notification(value, line.phoneNumberId) as Json];
    told.entry[0].changes[0].field = field;
    expect(await notify(scene.gateway, told)).toBe(200);
    // What is said one after the other, later.
    scene.clock.now += 1000;
  };
  const of = (message: object) => ({
    from: CONTACT,
    id: `wamid.in.${++count}`,
    timestamp: String(Math.floor(scene.clock.now / 1000)),
    ...message,
  });
  const write = (message: object, name = 'Ada') =>
    tell({ contacts: [{ profile: { name }, wa_id: CONTACT }], messages: [of(message)] });
  const send = async (body: object) => {
    expect((await line.send(body)).status).toBe(200);
    scene.clock.now += 1000;
  };
  const open = async (contact = CONTACT) => {
    const { page, goto } = await loggedIn(scene, { script: false });
    const conversation = () => goto(`/panel/conversations/${line.id}/${contact}`);
    await conversation();
    const list = async (query = '') => {
      await goto(`/panel/conversations?line=${line.id}${query}`);
      return (await page.locator('.chats > li').allTextContents()).map((text) => text.replace(/\s+/g, ' '));
    };
    const said = () => page.locator('.said').allInnerTexts();
    return { page, goto, conversation, list, said };
  };

  test('keeps what an operator writes, and names the templates that programs send', async () => {
    const template = { name: 'order_update', language: { code: 'pt_BR' } };
    await write({ type: 'text', text: { body: 'Where is it?' } });
    await send(textTo(CONTACT, 'By a program'));
    await send({ messaging_product: 'whatsapp', to: CONTACT, type: 'template', template });
    const { page, said, goto, list } = await open();
    expect(await said()).toEqual(['Where is it?', 'Text', 'Template order_update (pt_BR)']);
    const [latest] = await list();
    expect(latest).toContain('You: template order_update (pt_BR)');
    await goto(`/panel/messages?line=${line.id}`);
    expect(await page.locator('.unkept').allTextContents()).toEqual([
      'Template order_update (pt_BR)',
      'Text (not stored)',
    ]);
    await page.getByRole('link', { name: 'Ada' }).first().click();
    await page.getByText('order_update (pt_BR)', { exact: true }).waitFor();
    await goto(`/panel/conversations/${line.id}/${CONTACT}`);
    await page.getByLabel('Text').fill('On its way *today*');
    await page.getByRole('button', { name: 'Send' }).click();
    expect(await said()).toContain('On its way today');
    // What programs send is kept as little as before.
    const kept = await rows(scene.databaseUrl, `select body from sent_bodies where line_id = ${line.id}`);
    expect(kept.map(({ body }) => JSON.parse(String(body)).text.body)).toEqual(['On its way *today*']);
  });

  test('has what was sent from the phone app, which answers', async () => {
    await write({ type: 'text', text: { body: 'Anybody there?' } });
    const { page, goto, said, list, conversation } = await open();
    expect((await list('&waits=yes')).length).toBe(1);
    const echo = of({ from: '15550783881', to: CONTACT, type: 'text', text: { body: 'From the phone' } });
    await tell({ message_echoes: [echo] }, 'smb_message_echoes');
    const picture = { type: 'image', image: { id: '77', caption: 'The shop' } };
    await tell({ message_echoes: [of({ to: CONTACT, ...picture })] }, 'smb_message_echoes');
    expect(await list('&waits=yes')).toEqual([]);
    expect((await list())[0]).toContain('You: The shop');
    await conversation();
    const texts = await said();
    expect(texts[1]).toMatch(/^From the phone\s+Sent from the phone app$/);
    expect(texts[2]).toContain('The shop');
    expect(await page.locator('.ours .thread-picture').count()).toBe(1);
    await goto(`/panel/messages/${line.id}/${encodeURIComponent(echo.id)}`);
    expect(await page.locator('.facts', { hasText: 'Type' }).first().innerText()).toMatch(/Type\s+Text/);
    await page.getByRole('link', { name: 'From the phone app: text' }).click();
    await page.getByRole('heading', { level: 1, name: 'From the phone' }).waitFor();
  });

  test('of a group is its own, names who wrote, and is answered in the group', async () => {
    const text = (body: string) => ({ type: 'text', text: { body }, group_id: GROUP });
    await write(text('Good morning'));
    await tell({
      contacts: [{ profile: { name: 'Bob' }, wa_id: '16505550123' }],
      messages: [of({ ...text('Hello all'), from: '16505550123' })],
    });
    const { page, said, list } = await open(GROUP);
    await page.getByRole('heading', { level: 1, name: `Group …${GROUP.slice(-6)}` }).waitFor();
    expect(await page.locator('.writer').allInnerTexts()).toEqual(['Ada', 'Bob']);
    await page.getByLabel('Text').fill('Hello group');
    await page.getByRole('button', { name: 'Send' }).click();
    expect(await said()).toEqual(['Good morning', 'Hello all', 'Hello group']);
    expect(line.sent().map((body) => JSON.parse(body))).toEqual([
      {
        messaging_product: 'whatsapp',
        recipient_type: 'group',
        to: GROUP,
        type: 'text',
        text: { body: 'Hello group' },
      },
    ]);
    // One conversation: nobody wrote to the line alone.
    const [group, ...others] = await list();
    expect(group).toMatch(/Group ….*You: Hello group/);
    expect(others).toEqual([]);
    await write(text('And Ada again'));
    expect((await list())[0]).toMatch(/Group ….*Ada: And Ada again · waiting for a reply/);
  });

  test('tells what each message is, and not what it is not', async () => {
    const permission = { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } };
    const system = (type: string) => ({ type: 'system', system: { type, body: 'A sentence' } });
    await write({ type: 'interactive', interactive: permission });
    await write(system('customer_identity_changed'));
    await write(system('user_changed_number'));
    await write(system('user_changed_user_id'));
    await write(system('of_tomorrow'));
    await write({ type: 'reaction', reaction: { message_id: 'w', emoji: '' } });
    await write({ type: 'constructor' });
    await tell({ statuses: [{ id: 'w', status: 'constructor', recipient_id: CONTACT, timestamp: '1' }] });
    await write({ type: 'edit', edit: { message: { type: 'text', text: { body: 'At nine' } } } });
    const { said, page, goto } = await open();
    const words = [
      'Allowed calls',
      'Identity changed',
      'Phone number changed',
      'User ID changed',
      'System message: of tomorrow',
      'Removed a reaction',
      'constructor',
    ];
    const texts = await said();
    expect(texts.slice(0, -1)).toEqual(words);
    expect(texts.at(-1)).toMatch(/^Changed message\s+At nine$/);
    await goto(`/panel/events?line=${line.id}`);
    expect((await page.locator('.log-words').allInnerTexts()).toReversed().slice(0, -1)).toEqual([
      ...words.map((word) => `Message: ${word.toLowerCase()}`),
      'Status: constructor',
    ]);
  });

  test('tells of a payment beside the message, and of a failure in the words of the platform', async () => {
    await write({ type: 'text', text: { body: 'The bill, please' } });
    await send(textTo(CONTACT));
    const status = (state: string, more: object) => ({
      id: `wamid.out.${count}`,
      status: state,
      recipient_id: CONTACT,
      timestamp: String(Math.floor(scene.clock.now / 1000)),
      ...more,
    });
    const wamid = `wamid.out.${count}`;
    await tell({ statuses: [status('failed', { type: 'payment', payment: { reference_id: 'r' } })] });
    const { page, goto } = await open();
    const message = () => goto(`/panel/messages/${line.id}/${encodeURIComponent(wamid)}`);
    await message();
    await page.getByRole('link', { name: 'Status: payment failed' }).waitFor();
    expect(await page.locator('main .badge', { hasText: 'Failed' }).count()).toBe(0);
    const title = 'Request for url failed with error: 404';
    await tell({ statuses: [status('failed', { errors: [{ code: 131014, title }] })] });
    await message();
    await page.getByRole('alert').getByText(title).first().waitFor();
    expect(await page.getByRole('alert').innerText()).not.toMatch(/once more|send it again|no reason/i);
    await page.getByRole('link', { name: 'Status: failed' }).click();
    await page.getByText(`${title} (the platform’s code 131014)`).waitFor();
    await goto(`/panel/messages?line=${line.id}&state=failed`);
    await page.getByText(`131014 · ${title}`).waitFor();
  });

  test('is laid out in its own direction, and turns nothing beside it round', async () => {
    const document = { id: '7', filename: `${OVERRIDE}gpj.exe`, mime_type: 'application/octet-stream' };
    await write({ type: 'text', text: { body: 'شكرا 12 https://example.com' } }, `${OVERRIDE}Ada`);
    await write({ type: 'document', document }, `${OVERRIDE}Ada`);
    const { page, list, goto, conversation } = await open();
    const direction = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).direction);
    expect(await direction('.said')).toBe('rtl');
    expect(await page.getByRole('link', { name: 'Save gpj.exe' }).locator('bdi').count()).toBe(1);
    await page.getByRole('heading', { level: 1, name: 'Ada', exact: true }).waitFor();
    expect(await page.locator('.page-head .avatar').innerText()).toBe('A');
    for (const address of [conversation, () => goto('/panel/conversations'), () => goto('/panel/events')]) {
      await address();
      expect(await page.locator('main').innerText()).not.toContain(OVERRIDE);
    }
    await page.getByRole('link', { name: 'gpj.exe' }).click();
    const payload = await page.locator('.payload pre').textContent();
    expect(payload).toContain('"\\u202egpj.exe"');
    expect(await page.locator('h1').textContent()).toBe('gpj.exe');
    expect((await list())[0]).toContain('Ada');
  });
});
