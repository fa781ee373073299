import { DEMO_CONTACT, DEMO_LINE } from '../../../gateway/sandbox/platform/account';
import { NODE_MESSAGES } from '../../support/node-messages';
import { itemsOf } from '../editor-client';
import { CREDENTIAL_TYPE } from '../example-workflows';
import { contactDoes, conversationOf } from '../sandbox-phone';
import { builtIn } from '../scene';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';

describe('The action node', () => {
  beforeAll(() => contactDoes(scene.gateway.sandboxUrl, DEMO_CONTACT, { text: 'Hello', name: 'Ana' }));

  const SEND = { resource: 'message', operation: 'send', to: DEMO_CONTACT };
  const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  const set = (name: string, json: object) =>
    builtIn(name, 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: JSON.stringify(json), options: {} }, 3.4);
  const split = (field: string) =>
    builtIn('Split', 'n8n-nodes-base.splitOut', { fieldToSplitOut: field, options: {} });
  const toFile = (options: object) =>
    builtIn(
      'To file',
      'n8n-nodes-base.convertToFile',
      { operation: 'toBinary', sourceProperty: 'content', options },
      1.1,
    );

  describe('Message: Send', () => {
    /** A reaction needs a message of the contact, and is sent below. */
    const TYPES = Object.entries(NODE_MESSAGES).filter(([type]) => type !== 'reaction');

    it('sends every type, and each is on the phone', async () => {
      const nodes = TYPES.map(([messageType, { entered }]) =>
        scene.action(messageType, { ...SEND, messageType, ...entered }),
      );
      const execution = await scene.run('All types', nodes);

      expect(execution.data.resultData.error).toBeUndefined();
      const phone = await conversationOf(scene.gateway.sandboxUrl, DEMO_CONTACT);
      for (const [messageType] of TYPES) {
        const [sent] = itemsOf(execution, messageType);
        expect(sent).toMatchObject({ messageId: expect.stringMatching(/^wamid\./), messageType });
        expect([messageType, phone.some(({ id }) => id === sent.messageId)]).toEqual([messageType, true]);
      }
      expect(itemsOf(execution, 'template')[0].text).toMatch(/Ana.*A-1042/s);
    });

    it('sends by the operations that n8n lists as actions by name', async () => {
      const byName = ['image', 'location', 'buttons', 'template'];
      const execution = await scene.run(
        'By name',
        byName.map((type) =>
          scene.action(type, {
            ...SEND,
            operation: `send${type[0].toUpperCase()}${type.slice(1)}`,
            ...NODE_MESSAGES[type].entered,
          }),
        ),
      );
      expect(execution.data.resultData.error).toBeUndefined();
      expect(byName.map((type) => itemsOf(execution, type)[0].messageType)).toEqual(byName);
    });

    it('uploads a file that n8n has, and sends it', async () => {
      const execution = await scene.run('Upload', [
        set('Picture', { content: PNG.toString('base64') }),
        toFile({ fileName: 'cake.png', mimeType: 'image/png' }),
        scene.action('Send', {
          ...SEND,
          messageType: 'image',
          mediaSource: 'binary',
          binaryPropertyName: 'data',
        }),
      ]);
      expect(execution.data.resultData.error).toBeUndefined();
      const [{ messageId }] = itemsOf(execution, 'Send');
      const phone = await conversationOf(scene.gateway.sandboxUrl, DEMO_CONTACT);
      expect(phone.find(({ id }) => id === messageId)).toMatchObject({
        type: 'image',
        image: { id: expect.any(String) },
      });
    });

    it('reacts to what the contact wrote, marks it as read, and answers it', async () => {
      const id = await contactDoes(scene.gateway.sandboxUrl, DEMO_CONTACT, { text: 'Thank you!' });
      const execution = await scene.run('React', [
        scene.action('Read', {
          resource: 'message',
          operation: 'markAsRead',
          messageId: id,
          showTyping: true,
        }),
        scene.action('React', { ...SEND, messageType: 'reaction', reactTo: id, emoji: '❤️' }),
        scene.action('Answer', {
          ...SEND,
          messageType: 'text',
          text: 'You are welcome',
          options: { replyTo: id },
        }),
        scene.action('Get', {
          resource: 'message',
          operation: 'get',
          messageId: "={{ $('Answer').item.json.messageId }}",
        }),
      ]);
      expect(execution.data.resultData.error).toBeUndefined();
      expect(itemsOf(execution, 'Read')).toEqual([{ messageId: id, read: true, typing: true }]);
      expect(itemsOf(execution, 'Get')[0]).toMatchObject({
        messageStatus: expect.stringMatching(/^(accepted|sent|delivered|read)$/),
        to: DEMO_CONTACT,
        messageType: 'text',
        failure: null,
      });
    });
  });

  it("sends each message once when a failed run is retried in n8n's list of executions", async () => {
    const contacts = ['12025550161', '12025550162', '12025550163', '12025550164'];
    const [late, ...others] = contacts;
    const writes = async (contact: string) => {
      await contactDoes(scene.gateway.sandboxUrl, contact, { text: 'Hello' });
      await waitUntil('the gateway to hear of it', async () =>
        (await scene.api('GET', `window/${contact}`)).open ? true : undefined,
      );
    };
    await Promise.all(others.map(writes));
    const failed = await scene.run('Retried', [
      set('Contacts', { contacts: contacts.map((to) => ({ to })) }),
      split('contacts'),
      scene.action('Send', { ...SEND, to: '={{ $json.to }}', messageType: 'text', text: 'Hi' }),
    ]);
    expect(failed).toMatchObject({ status: 'error' });
    expect(failed.data.resultData.error?.description).toMatch(/1 of 4 items failed: 0\. 3 went through/);

    await writes(late);
    const retried = await scene.editor.retry(failed);

    expect(retried).toMatchObject({ mode: 'retry', status: 'success' });
    const sent = itemsOf(retried, 'Send').map(({ messageId }) => [messageId]);
    const onThePhones = contacts.map(async (contact) => {
      const messages = await conversationOf(scene.gateway.sandboxUrl, contact);
      return messages.filter(({ direction }) => direction === 'to_contact').map(({ id }) => id);
    });
    expect(await Promise.all(onThePhones)).toEqual(sent);
  });

  it('is found by what people type, of which the editor takes the words of the action node alone', async () => {
    const types = (await scene.editor.nodeTypes()) as { name: string; codex?: { alias?: string[] } }[];
    const { codex } = types.find(({ name }) => name.endsWith('.messagingGateway')) ?? {};
    expect(codex?.alias).toEqual(
      expect.arrayContaining(['SMS', 'Reply', 'Webhook', 'Delivered', 'Media', 'Mensagem', 'Send Message']),
    );
  });

  it('gets a template, the templates, a conversation, and the line, which is ready', async () => {
    await contactDoes(scene.gateway.sandboxUrl, DEMO_CONTACT, { text: 'Is it ready?' });
    const execution = await scene.run('Look', [
      scene.action('One', {
        resource: 'template',
        operation: 'get',
        template: { __rl: true, mode: 'name', value: 'order_update' },
        templateLanguage: 'pt_BR',
      }),
      scene.action('Line', { resource: 'line', operation: 'getStatus' }),
      // What the node has no operation for: the templates of a business account.
      {
        ...builtIn(
          'By account',
          'n8n-nodes-base.httpRequest',
          {
            url: `${scene.gateway.url}/v22.0/${DEMO_LINE.wabaId}/message_templates`,
            authentication: 'predefinedCredentialType',
            nodeCredentialType: CREDENTIAL_TYPE,
            options: {},
          },
          4.2,
        ),
        credentials: { [CREDENTIAL_TYPE]: scene.credential },
      },
      scene.action('All', { resource: 'template', operation: 'getAll', returnAll: true }),
      scene.action(
        'Conversation',
        { resource: 'message', operation: 'getAll', to: DEMO_CONTACT, limit: 2 },
        { executeOnce: true },
      ),
    ]);
    expect(execution.data.resultData.error).toBeUndefined();
    expect(itemsOf(execution, 'One')[0]).toMatchObject({
      name: 'order_update',
      language: 'pt_BR',
      fields: [expect.objectContaining({ id: 'body-1', required: true }), expect.anything()],
    });
    expect(itemsOf(execution, 'Line')[0]).toMatchObject({ ready: true, reasons: [] });
    expect(itemsOf(execution, 'All').length).toBeGreaterThan(3);
    expect(itemsOf(execution, 'By account')[0].data).toHaveLength(itemsOf(execution, 'All').length);
    const conversation = itemsOf(execution, 'Conversation');
    expect(conversation).toHaveLength(2);
    expect(conversation[0]).toMatchObject({
      direction: 'received',
      text: 'Is it ready?',
      contact: DEMO_CONTACT,
    });
  });

  describe('500 items', () => {
    const contacts = Array.from({ length: 500 }, (_, index) => ({
      to: index === 250 ? 'nobody' : String(5521900000000 + index),
      order: index,
    }));
    const template = {
      ...SEND,
      to: '={{ $json.to }}',
      messageType: 'template',
      template: { __rl: true, mode: 'list', value: 'hello_world|en_US' },
      templateVariables: { mappingMode: 'defineBelow', value: null, schema: [] },
    };

    it('are sent side by side past the rate of the line; one that is refused hides no other', async () => {
      const execution = await scene.run('Many', [
        set('Contacts', { contacts }),
        split('contacts'),
        scene.action('Send', template, { onError: 'continueRegularOutput' }),
      ]);
      const out = itemsOf(execution, 'Send');
      expect(out).toHaveLength(500);
      expect(out.map(({ to }) => to ?? 'nobody')).toEqual(contacts.map(({ to }) => to));
      expect(out[250].message).toMatch(/^To is "nobody", which is no telephone number/);
      expect(out.filter(({ messageId }) => messageId)).toHaveLength(499);
      // Without a word it would look as if it hung.
      const [{ hints }] = execution.data.resultData.runData.Send;
      expect(hints?.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^This run waited \d+ seconds in all\. Why: Too many requests/),
      ]);
    });

    it('are sent once each when n8n tries the node again', async () => {
      const some = contacts.slice(200, 300).map(({ to }) => ({ to: to === 'nobody' ? to : `1${to}` }));
      const execution = await scene.run('Retry', [
        set('Contacts', { contacts: some }),
        split('contacts'),
        scene.action('Send', template, { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 }),
      ]);
      expect(execution.status).toBe('error');
      expect(execution.data.resultData.error?.description).toMatch(
        /1 of 100 items failed: 50\. 99 went through/,
      );
      for (const { to } of some.filter((contact) => contact.to !== 'nobody')) {
        expect(await conversationOf(scene.gateway.sandboxUrl, to)).toHaveLength(1);
      }
    });
  });
});
