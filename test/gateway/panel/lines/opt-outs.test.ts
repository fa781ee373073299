import { contactText } from '../../../../gateway/panel/ui/contact';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { CONTACT, expectRefusal, imageTo, lineOf, sceneOf } from '../../../support/scene';
import { notification, notify, textFrom } from '../../../support/test-gateway';

const scene = sceneOf();
const line = lineOf(scene, { name: 'Lucky Shrub' });
closingWindows();

beforeAll(async () => {
  await addPanelUser(scene, 'ana');
});

const path = () => `/panel/lines/${line.id}/opt-outs`;
const writes = async (text: string, contact = CONTACT) => {
  const at = Math.floor(scene.clock.now / 1000);
  const said = textFrom(contact, text, `wamid.${text}.${contact}`, at);
  expect(await notify(scene.gateway, notification(said, line.phoneNumberId))).toBe(200);
};

test('an operator lets contacts opt out by the usual words, sees who did, and takes one off again', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto(`/panel/lines/${line.id}`);
  await page.getByRole('link', { name: 'Opt-outs' }).click();
  await page.getByText('No opt-outs yet').waitFor();
  await page.getByRole('button', { name: 'Use the usual words' }).click();
  await page.getByText('Contacts can use them to opt out').waitFor();
  expect(await page.getByLabel('Words to opt out').inputValue()).toMatch(/STOP.*SAIR.*BAJA/);

  await writes('sair');
  expectRefusal(await line.send(imageTo(CONTACT)), 403, 'contact_opted_out', 131050);
  await goto(path());
  await page.getByRole('rowheader', { name: contactText(CONTACT) }).waitFor();
  expect(await page.getByRole('row', { name: contactText(CONTACT) }).innerText()).toContain('“SAIR”');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText(`${contactText(CONTACT)} is off the list.`).waitFor();
  expect((await line.send(imageTo(CONTACT))).status).toBe(200);
});

test('an operator adds a contact by hand, and is told of what is no phone number', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto(path());
  await page.getByLabel('Phone number').fill('Ana');
  await page.getByRole('button', { name: 'Add to opt-outs' }).click();
  await page.locator('.fault').getByText('Enter a phone number with its country code').waitFor();
  await page.getByLabel('Phone number').fill('\u202a+1 650\u2011555\u20119999\u202c');
  await page.getByRole('button', { name: 'Add to opt-outs' }).click();
  await page.getByText('+1 650-555-9999 gets nothing more').waitFor();
  expectRefusal(await line.send(imageTo('16505559999')), 403, 'contact_opted_out', 131050);
  // The audit says why it names nobody.
  await goto('/panel/audit');
  const entry = page.getByRole('row', { name: /^Contact opted out/ }).first();
  expect(await entry.innerText()).toMatch(/contact: [\da-f]{16} \(numbers are not stored here\)/);
});

test('an operator is told why words cannot be saved', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto(path());
  await page.getByLabel('Words to opt out').fill('no more');
  await page.getByLabel('Words to opt back in').fill('NO MORE!');
  await page.getByRole('button', { name: 'Save the words' }).click();
  await page.locator('.fault').getByText('stands for both').waitFor();
});

describe('the page', () => {
  beforeAll(async () => {
    for (const contact of ['12025550101', '5511987654321', 'BR.13491208655302741918'])
      await writes('STOP', contact);
  });
  checkedPages(() => scene, [path]);
});
