import { MESSAGE_EXAMPLES } from '../../gateway/api/messages/message-examples';
import { INTERACTIVE, MESSAGE_TYPES } from '../../gateway/cloud-api/validate/message-request';
import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { validateMessage } from '../../gateway/cloud-api/validate/validate-message';
import { Content } from '../../gateway/panel/phone/content';
import { Replies } from '../../gateway/panel/phone/replies';
import { type PhoneParams } from '../../gateway/panel/phone/route-params';
import { type PhoneMessage } from '../../gateway/panel/send/sandbox-client';
import { writeAsContact } from '../../gateway/panel/phone/write-message';
import { type UserContext } from '../../gateway/panel/request-context';
import { PageRequest } from '../../gateway/panel/ui/page-request';
import { sendOptionFields } from '../../nodes/MessagingGateway/actions/message/options';
import { CONTACT, LINE, startTestSandbox } from '../gateway/sandbox/support';
import { MESSAGES } from '../support/message-shapes';
import { NODE_MESSAGES, NODE_TYPES } from '../support/node-messages';

/** Sent as the kind that the file is. */
const BY_FILE = 'file';

/** What the node sends of the kinds that the gateway passes through, with body and footer checked. */
const PASSED_THROUGH = ['addressRequest', 'json', 'products'];

const KINDS = Object.keys(INTERACTIVE);
const OTHERS = Object.keys(MESSAGE_TYPES).filter((type) => type !== 'interactive');

/** What the node calls a kind of interactive message; it calls all other messages as the API does. */
const nodeTypeOf = (kind: string): string =>
  Object.entries(NODE_MESSAGES).find(([, { sent }]) => sent.interactive?.type === kind)?.[0] ??
  `a type that sends ${kind}`;

interface Body {
  type: string;
  interactive?: { type: string };
}
const examples = Object.values(MESSAGE_EXAMPLES).map(({ value }) => value as Body);
const exampleOf = (kind: string): Body | undefined =>
  examples.find(({ type, interactive }) => (interactive?.type ?? type) === kind);

/** A message type, or a kind of interactive message, has a place in each of these lists. */
describe('every kind of message that the gateway takes', () => {
  test.each([...OTHERS, ...KINDS])('%s has an example at the operation', (kind) => {
    expect(exampleOf(kind)).toBeDefined();
  });

  test('has its own good and bad ones in test/support/message-shapes.ts', () => {
    const shapes = [...OTHERS, ...KINDS.map((kind) => `interactive ${kind}`)];
    expect(shapes.filter((shape) => !(shape in MESSAGES))).toEqual([]);
  });

  test.each(KINDS)('interactive %s can be answered at the sandbox’s phone', async (kind) => {
    const sandbox = await startTestSandbox();
    const sent = await sandbox.send({ ...exampleOf(kind), messaging_product: 'whatsapp', to: CONTACT });
    const id: string = sent.json.messages[0].id;
    const message = { ...exampleOf(kind), id } as unknown as PhoneMessage;
    const request = { may: () => true } as unknown as UserContext;
    const page = render(
      h(PageRequest.Provider, { value: request, children: h(Replies, { message, action: '' }) }),
    );
    // What opens a page of the web answers nothing.
    if (page.includes('href=')) return;
    const [, name = '', value = ''] = /<button class="[^"]*" name="(\w+)" value="([^"]*)"/.exec(page) ?? [];
    const form = new FormData();
    form.set(name, value);
    form.set('message', id);
    const context = { deps: { sandboxUrl: sandbox.url }, form } as unknown as UserContext;
    const phone = { line: { phoneNumberId: LINE }, contact: CONTACT } as PhoneParams;
    await writeAsContact(context, phone);
    const { json } = await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`);
    expect(json.messages.at(-1)).toMatchObject({ direction: 'from_contact', replies_to: id });
  });

  // A template is shown by its card, a reaction in the bubble of what it is a reaction to.
  test.each(OTHERS.filter((type) => !['template', 'reaction'].includes(type)))(
    '%s is shown at the sandbox’s phone by more than its name',
    (type) => {
      const message = { ...exampleOf(type), id: 'wamid.1' } as unknown as PhoneMessage;
      expect(render(h(Content, { message }))).not.toContain('chat-kind');
    },
  );

  test('is named where a message has no type', () => {
    const [missing] = validateMessage({ messaging_product: 'whatsapp', to: '12025550147' });
    const types = Object.keys(MESSAGE_TYPES);
    expect(types.filter((type) => !missing?.message.includes(type))).toEqual([]);
  });

  test('can be sent by the node', () => {
    const expected = [...OTHERS, ...KINDS.map(nodeTypeOf), ...PASSED_THROUGH, BY_FILE];
    expect(NODE_TYPES.toSorted()).toEqual(expected.toSorted());
  });

  test('has in the node a footer, where it is interactive and has one in the API', () => {
    const footer = sendOptionFields.find(({ name }) => name === 'footer');
    const framed = KINDS.filter(
      (kind) => 'footer' in INTERACTIVE[kind as keyof typeof INTERACTIVE].properties,
    );
    const shown = footer?.displayOptions?.show?.['/messageType'];
    expect(shown).toEqual(expect.arrayContaining(framed.map(nodeTypeOf)));
  });
});
