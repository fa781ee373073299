import { DEMO_CONTACT, DEMO_LINE } from '../../../gateway/sandbox/platform/account';
import {
  cameToN8n,
  does,
  listening,
  nextOnThePhone,
  phone,
  received,
  receivedOf,
  send,
  TRIGGER,
} from '../demo-contact';
import { itemsOf, type Workflow } from '../editor-client';
import { CREDENTIAL_TYPE, exampleWorkflow } from '../example-workflows';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';

describe('The main job', () => {
  it('begins with a link by which the first user sets up the control panel', async () => {
    const { url, setUpUrl = '' } = scene.gateway;
    expect(setUpUrl.startsWith(`${url}/panel/set-up?key=`)).toBe(true);
    expect((await fetch(setUpUrl)).status).toBe(200);
  });

  const ALL_EVENTS = ['messages', 'sent', 'delivered', 'read', 'failed'];

  describe('the credential', () => {
    it('passes its test with the token of the line, and fails it with another', async () => {
      const good = await scene.editor.testCredential(scene.credential, CREDENTIAL_TYPE, scene.credentialData);
      const bad = await scene.editor.testCredential(scene.credential, CREDENTIAL_TYPE, {
        ...scene.credentialData,
        token: 'gwl_wrong',
      });

      expect(good).toMatchObject({ status: 'OK' });
      const sentence = /^The gateway does not accept this token for this line\./;
      expect(bad).toMatchObject({ status: 'Error', message: expect.stringMatching(sentence) });
    });

    it.each([
      [
        'http://127.0.0.1:9',
        /^No gateway answers at http:\/\/127\.0\.0\.1:9\. Nothing listens there: .* in a container/,
      ],
      [
        'gateway.example.com',
        /^Base URL is no web address: "gateway\.example\.com"\. .* https:\/\/ or http:\/\/ in front/,
      ],
    ])('says in a sentence what is wrong with the address %s', async (baseUrl, sentence) => {
      const tested = await scene.editor.testCredential(scene.credential, CREDENTIAL_TYPE, {
        ...scene.credentialData,
        baseUrl,
      });
      expect(tested).toMatchObject({ status: 'Error', message: expect.stringMatching(sentence) });
    });
  });

  describe('a workflow that is run by hand', () => {
    it('sends a template with two variables and a text, and gives out the ids of both', async () => {
      await does({ text: 'Hello' });
      const workflow = await scene.editor.createWorkflow(
        exampleWorkflow('send-a-template-and-a-text', scene.credential),
      );

      const execution = await scene.editor.run(workflow, 'When clicking Execute');

      expect(execution).toMatchObject({ status: 'success' });
      const [template] = itemsOf(execution, 'Send template');
      const [text] = itemsOf(execution, 'Send text');
      expect(template).toMatchObject({ messageId: expect.stringMatching(/^wamid\./), waId: DEMO_CONTACT });
      expect(text).toMatchObject({ messageId: expect.stringMatching(/^wamid\./), waId: DEMO_CONTACT });
      expect(text.messageId).not.toBe(template.messageId);

      const onThePhone = await phone();
      expect(onThePhone.find(({ id }) => id === template.messageId)).toMatchObject({
        type: 'template',
        shown: expect.stringMatching(/Ana.* A-1042/),
      });
      expect(onThePhone.find(({ id }) => id === text.messageId)).toMatchObject({
        type: 'text',
        text: { body: 'Is there anything else that we can do for you?' },
      });
    });

    it('says what to do when a text is sent to a contact who never wrote, and sends nothing', async () => {
      const stranger = '12025550198';
      const sendText = scene.action('Send text', {
        resource: 'message',
        operation: 'send',
        to: stranger,
        messageType: 'text',
        text: 'Hello?',
      });

      const execution = await scene.run('To a stranger', [sendText]);

      expect(execution.status).toBe('error');
      const { message, description } = execution.data.resultData.error ?? { message: '' };
      expect(`${message} ${description}`).toMatch(/24.hour/i);
      expect(`${message} ${description}`).toMatch(/template/i);
      expect(await phone(stranger)).toEqual([]);
    });

    it('lists the templates of the line and reads its state', async () => {
      const workflow = await scene.editor.createWorkflow(
        exampleWorkflow('look-at-the-line', scene.credential),
      );

      const execution = await scene.editor.run(workflow, 'When clicking Execute');

      expect(execution).toMatchObject({ status: 'success' });
      const templates = itemsOf(execution, 'List templates');
      expect(templates).toContainEqual(
        expect.objectContaining({
          name: 'order_update',
          language: 'en_US',
          status: 'approved',
          variables: 2,
        }),
      );
      expect(templates).toContainEqual(
        expect.objectContaining({ name: 'delivery_feedback', status: 'pending' }),
      );
      expect(itemsOf(execution, 'Line status')).toEqual([
        expect.objectContaining({ connected: true, state: 'connected' }),
      ]);
    });
  });

  describe("the node's panel", () => {
    const panel = (parameters: Record<string, unknown> = {}) =>
      scene.action('Send', {
        resource: 'message',
        operation: 'send',
        messageType: 'template',
        template: { __rl: true, mode: 'list', value: '' },
        ...parameters,
      });

    it('offers the approved templates that match what is typed, and no others', async () => {
      const all = await scene.editor.locatorResults({
        path: 'parameters.template',
        methodName: 'searchTemplates',
        node: panel(),
      });
      const typed = await scene.editor.locatorResults({
        path: 'parameters.template',
        methodName: 'searchTemplates',
        node: panel(),
        filter: 'appointment',
      });

      expect(all.results.map(({ value }) => value)).toEqual(
        expect.arrayContaining(['hello_world|en_US', 'order_update|en_US', 'order_update|pt_BR']),
      );
      expect(all.results.map(({ value }) => value)).not.toContain('delivery_feedback|en_US');
      expect(typed.results.map(({ value }) => value)).toEqual(['appointment_reminder|en_US']);
    });

    it('shows the text of the chosen template, and makes a form of its variables, as in the example', async () => {
      const node = panel({ template: { __rl: true, mode: 'list', value: 'order_update|en_US' } });
      const asked = (path: string, methodName: string) =>
        scene.editor.mapperFields({ path: `parameters.${path}`, methodName, node });
      const { fields } = await asked('templateVariables', 'getTemplateVariables');
      expect(await asked('templateText', 'getTemplateText')).toEqual({
        fields: [],
        emptyFieldsNotice: 'Hello [1], your order [2] is on its way.<br><i>Thank you for your order</i>',
      });

      const example = exampleWorkflow('send-a-template-and-a-text', scene.credential).nodes[1].parameters;
      expect(fields.map(({ id }) => id)).toEqual(['body-1', 'body-2']);
      expect(example.templateVariables).toMatchObject({ schema: fields }); // else the editor warns of a stale form
    });
  });

  describe('an active workflow that begins with the trigger', () => {
    let workflow: Workflow;

    beforeAll(async () => {
      workflow = await listening({ events: ALL_EVENTS });
      await scene.editor.activate(workflow);
    }, 60_000);

    it('has registered itself at the gateway, with the events that it wants', async () => {
      const destinations = await scene.destinations();
      expect(destinations).toEqual([
        expect.objectContaining({
          url: expect.stringContaining(`${scene.door.url}/webhook/`),
          events: expect.arrayContaining(ALL_EVENTS),
        }),
      ]);
      expect(JSON.stringify(destinations)).not.toContain('secret');
    });

    it('receives what a contact writes', async () => {
      const id = await does({ text: 'Where is my order?' });

      expect(await message(id)).toMatchObject({
        from: DEMO_CONTACT,
        name: 'Ana',
        kind: 'text',
        text: 'Where is my order?',
        replyId: null,
        line: 1,
        phoneNumberId: DEMO_LINE.phoneNumberId,
      });
    });

    it('receives the button that a contact taps', async () => {
      const offer = await send({
        messageType: 'buttons',
        body: 'When shall we deliver?',
        buttons: {
          button: [
            { title: 'Today', id: 'today' },
            { title: 'Tomorrow', id: 'tomorrow' },
          ],
        },
      });

      const id = await does({ button: 'Tomorrow' });

      expect(await message(id)).toMatchObject({
        kind: 'interactive',
        text: 'Tomorrow',
        replyId: 'tomorrow',
        replyTitle: 'Tomorrow',
        contextId: offer,
      });
    });

    it('receives the row that a contact chooses from a list', async () => {
      const offer = await send({
        messageType: 'list',
        body: 'Which time suits you?',
        listButton: 'See times',
        sections: {
          section: [
            {
              title: 'Morning',
              rows: {
                row: [
                  { title: '9 to 10', description: 'Two places left', id: 'slot_9' },
                  { title: '10 to 11', description: '', id: 'slot_10' },
                ],
              },
            },
          ],
        },
      });

      const id = await does({ row: '9 to 10' });

      expect(await message(id)).toMatchObject({
        kind: 'interactive',
        replyId: 'slot_9',
        replyTitle: '9 to 10',
        replyDescription: 'Two places left',
        contextId: offer,
      });
    });

    it('receives sent, delivered and read of what was sent, once each', async () => {
      const id = await send({
        messageType: 'text',
        text: 'On its way.',
        options: { clientRef: 'order A-1042' },
      });

      const statuses = await waitUntil('the three statuses', async () => {
        const found = (await received(workflow, 1)).filter(({ messageId }) => messageId === id);
        return found.length >= 3 ? found : undefined;
      });

      expect(statuses.map(({ messageStatus }) => messageStatus).sort()).toEqual([
        'delivered',
        'read',
        'sent',
      ]);
      expect(statuses).toEqual(Array(3).fill(expect.objectContaining({ clientRef: 'order A-1042' })));
    });

    it('receives what a contact wrote before the gateway was killed and could forward it', async () => {
      scene.door.set('silent');
      const id = await does({ text: 'Are you there?' });
      await waitUntil('the gateway to try to forward it', () => cameToN8n(id)[0]);
      await scene.killGateway();
      expect(cameToN8n(id)).toEqual([expect.objectContaining({ passedOn: false })]);
      expect((await received(workflow)).filter(({ messageId }) => messageId === id)).toEqual([]);

      scene.door.set('open');
      await scene.restartGateway();

      expect(await message(id)).toMatchObject({ from: DEMO_CONTACT, kind: 'text', text: 'Are you there?' });
      const [first, ...repeats] = cameToN8n(id);
      expect(repeats.length).toBeGreaterThan(0);
      expect(repeats[0].headers['webhook-id']).toBe(first.headers['webhook-id']);
    });

    it('runs no workflow for an event that is not signed by the gateway', async () => {
      const genuine = await does({ text: 'Good evening' });
      await message(genuine);
      const forged = JSON.stringify(cameToN8n(genuine)[0].body).replaceAll(genuine, 'wamid.forged');
      const [{ url }] = await scene.destinations();

      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
        body: forged,
      });

      expect(answer.status).toBe(401);
      await message(await does({ text: 'Good night' })); // what came later has arrived
      expect((await received(workflow)).map(({ messageId }) => messageId)).not.toContain('wamid.forged');
    });

    it('goes on receiving while it is tested in the editor, which gets the same message', async () => {
      const [production] = await scene.destinations();

      await scene.editor.listenForTest(workflow, TRIGGER);
      expect(await scene.destinations()).toHaveLength(2);
      const id = await does({ text: 'Is this a test?' });

      expect(await message(id)).toMatchObject({ text: 'Is this a test?' });
      const modes = await waitUntil('both runs', async () => {
        const runs = (await scene.editor.executionsOf(workflow)).filter((execution) =>
          itemsOf(execution, TRIGGER).some(({ messageId }) => messageId === id),
        );
        return runs.length >= 2 ? runs.map(({ mode }) => mode).sort() : undefined;
      });
      expect(modes).toEqual(['manual', 'webhook']);
      await waitUntil('the test to take its registration back', async () =>
        (await scene.destinations()).length === 1 ? true : undefined,
      );
      expect(await scene.destinations()).toEqual([production]);
    });

    it('takes its registration back when it is deactivated', async () => {
      await scene.editor.deactivate(workflow);
      expect(await scene.destinations()).toEqual([]);
    });

    const message = (id: string) => receivedOf(workflow, id);
  });

  describe('the example that answers contacts', () => {
    it('asks who writes, and confirms the button that is tapped', async () => {
      const workflow = await scene.editor.createWorkflow(
        exampleWorkflow('answer-contacts', scene.credential),
      );
      await scene.editor.activate(workflow);

      await does({ text: 'Good morning' });
      const question = await nextOnThePhone('interactive');
      await does({ button: 'Tomorrow', message: question.id });
      const confirmation = await nextOnThePhone('text');

      expect(confirmation).toMatchObject({ text: { body: 'Tomorrow it is. Thank you, Ana!' } });
      await scene.editor.deactivate(workflow);
    });
  });
});
