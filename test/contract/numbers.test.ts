import { isRecipient, normalizedRecipient } from '../../gateway/cloud-api/validate/message-request';
import { runAction } from '../support/n8n';
import { expectOnlyValidRequests } from './support/wire';
import { openWorld, type World } from './support/world';

const TEMPLATE = {
  resource: 'message',
  operation: 'send',
  to: '={{ $json.to }}',
  messageType: 'template',
  template: { __rl: true, mode: 'name', value: 'hello_world' },
  templateLanguage: 'en_US',
};

/** As the gateway reads them. */
const OF_BOTH = [
  '5511987654321',
  '+55 11 98765-4321',
  '0055 11 98765 4321',
  '+00 55 (11) 98765-4321',
  '\u202a+55 11 98765\u20114321\u202c',
  '+55\u00ad11\u00a098765\u22124321',
  '\u061c+55 11 98765\ufe634321\u206a',
  '+44 (0)20 7946 0018',
  '0044 (0) 20 7946 0018',
  '(+44) (0) 20 7946 0018',
  '+39 (0)6 1234 5678',
  '+55 (11) 98765-4321',
  '(0) 1202 555 0147',
  '+1 202 (0) 555 0147',
  'US.13491208655302741918',
];

/** Only the node reads these, as other programs and spreadsheets write them. */
const OF_OTHERS: Array<[written: string, contact: string]> = [
  ['whatsapp:+12025550311', '12025550311'],
  ['12025550311@s.whatsapp.net', '12025550311'],
  ['12025550311:17@s.whatsapp.net', '12025550311'],
  ['12025550311@c.us', '12025550311'],
  ['https://wa.me/12025550311', '12025550311'],
  ['wa.me/12025550311?text=Hi', '12025550311'],
  ['https://api.whatsapp.com/send?phone=12025550311', '12025550311'],
  ['https://api.whatsapp.com/send/?text=Hi&phone=%2B12025550311&app_absent=0', '12025550311'],
  ['whatsapp://send?phone=12025550311', '12025550311'],
  ['tel:+1-202-555-0311', '12025550311'],
  ['12025550311.0', '12025550311'],
  ['+55 (011) 98765-4321', '5511987654321'],
  ['0055 (011) 98765-4321', '5511987654321'],
  ['+49 (030) 901820', '4930901820'],
  // In Italy the zero is dialled from abroad, too.
  ['+39 (06) 1234 5678', '390612345678'],
];

let world: World;
beforeAll(async () => (world = await openWorld()));
afterEach(() => expectOnlyValidRequests(world.wire));
afterAll(() => world.close());

/** Whom the gateway sends to, of each that was entered. */
async function sentTo(entered: string[]): Promise<unknown[]> {
  const { items } = await runAction(
    world.credentials,
    TEMPLATE,
    entered.map((to) => ({ to })),
    { onError: 'continueRegularOutput' },
  );
  return items.map(({ json }) => json.message ?? normalizedRecipient(String(json.to)));
}

test('what the gateway reads as a contact, the node sends to the same one', async () => {
  expect(OF_BOTH.filter((one) => !isRecipient(one))).toEqual([]);
  expect(await sentTo(OF_BOTH)).toEqual(OF_BOTH.map(normalizedRecipient));
});

test('numbers as other programs and spreadsheets write them are sent to', async () => {
  expect(await sentTo(OF_OTHERS.map(([written]) => written))).toEqual(OF_OTHERS.map(([, to]) => to));
});

test('several of them with commas between are each sent to', async () => {
  const [to] = await sentTo(['wa.me/12025550311, tel:+1-202-555-0312;whatsapp:+12025550311']);
  expect(to).toBe('12025550311');
  const { wire } = world;
  expect(JSON.stringify(wire.exchanges.slice(-2))).toContain('1-202-555-0312');
});
