import { DEMO_CONTACT, DEMO_LINE } from '../../../gateway/sandbox/account';
import { itemsOf, type Workflow } from '../editor-client';
import { exampleNames, exampleWorkflow } from '../example-workflows';
import { contactDoes, conversationOf, type Doing, type PhoneMessage } from '../sandbox-phone';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';

describe('The trigger', () => {
  const MINUTE = 60_000;

  const TRIGGER = 'When something happens';
  const STRANGER = '12025550199';

  const trigger = (parameters: Record<string, unknown>) =>
    scene.editor.createWorkflow({
      name: 'Listen',
      nodes: [scene.trigger(TRIGGER, parameters)],
      connections: {},
    });

  async function active(parameters: Record<string, unknown>): Promise<Workflow> {
    const workflow = await trigger(parameters);
    await scene.editor.activate(workflow);
    return workflow;
  }

  const does = (doing: Doing | Record<string, unknown>, contact = DEMO_CONTACT) =>
    contactDoes(scene.gateway.sandboxUrl, contact, { name: 'Ana', ...doing } as Doing);

  /** Everything that came out of one output so far, over all runs. */
  async function output(workflow: Workflow, index: 0 | 1 = 0) {
    const executions = await scene.editor.executionsOf(workflow);
    return executions.flatMap((execution) => itemsOf(execution, TRIGGER, index));
  }

  const messageOf = (workflow: Workflow, id: string) =>
    waitUntil(
      `the workflow to receive ${id}`,
      async () => (await output(workflow)).find(({ messageId }) => messageId === id),
      { withinMs: MINUTE },
    );

  /** What the gateway has sent to n8n of that message: bodies as parsed, headers as sent. */
  const sentToN8n = (id: string) =>
    scene.door.came.filter(({ body }) => JSON.stringify(body).includes(`"id":"${id}"`));

  describe('filters', () => {
    it('let only those messages through that pass all of them, and of statuses the chosen ones', async () => {
      const workflow = await active({
        events: ['messages', 'delivered'],
        filters: { kinds: ['text'], from: '+1 (202) 555-0147', textContains: 'ORDER' },
      });

      await does({ text: 'Hello' });
      await does({ text: 'my order?' }, STRANGER);
      await does({ image: { caption: 'my order' } });
      const id = await does({ text: 'Where is my order?' });

      expect(await messageOf(workflow, id)).toMatchObject({
        text: 'Where is my order?',
        line: 1,
        phoneNumberId: DEMO_LINE.phoneNumberId,
      });
      const sent = await send({ messageType: 'text', text: 'On its way.' });
      await waitUntil('its status', async () => (await output(workflow, 1))[0]);
      expect((await output(workflow, 1)).map((item) => [item.messageId, item.messageStatus])).toEqual([
        [sent, 'delivered'],
      ]);
      expect(await output(workflow)).toHaveLength(1);
      await scene.editor.deactivate(workflow);
    });
  });

  describe('a file that a contact sends', () => {
    it('comes as binary data by way of the gateway', async () => {
      const workflow = await active({ events: ['messages'], options: { downloadMedia: true } });

      const id = await does({ image: { caption: 'My cat' } });
      await messageOf(workflow, id);

      const [execution] = await scene.editor.executionsOf(workflow);
      const [item] = execution.data.resultData.runData[TRIGGER][0].data?.main[0] ?? [];
      expect(item).toMatchObject({
        json: { kind: 'image', text: 'My cat', media: { mimeType: 'image/png' } },
        binary: { data: { mimeType: 'image/png', fileType: 'image' } },
      });
      await scene.editor.deactivate(workflow);
    });
  });

  describe('an event that is delivered twice', () => {
    it('runs the workflow once', async () => {
      const workflow = await active({ events: ['messages'] });
      const id = await does({ text: 'Once, please' });
      await messageOf(workflow, id);
      const [{ bytes, headers, path }] = sentToN8n(id);
      const again = await fetch(scene.n8n.url + path, {
        method: 'POST',
        body: new Uint8Array(bytes),
        headers: own(headers),
      });

      expect([again.status, await again.json()]).toEqual([200, { received: 0, repeated: true }]);
      await messageOf(workflow, await does({ text: 'And another' }));
      expect((await output(workflow)).map(({ text }) => text)).toEqual(['Once, please', 'And another']);
      await scene.editor.deactivate(workflow);
    });
  });

  describe('a registration', () => {
    it('outlives restarts of n8n and of the gateway, and is taken back alone', async () => {
      const other = await scene.addDestination({ url: scene.door.url, events: ['failed'] });
      const workflow = await active({ events: ['messages'] });
      const before = await scene.destinations();

      await Promise.all([scene.restartN8n(), scene.restartGateway()]);

      await messageOf(workflow, await does({ text: 'Still there?' }));
      expect((await output(workflow)).map(({ text }) => text)).toEqual(['Still there?']);
      expect((await scene.destinations()).map(({ url }) => url)).toEqual(before.map(({ url }) => url));
      await scene.editor.deactivate(workflow);
      expect(await scene.destinations()).toEqual([expect.objectContaining({ id: other.id })]);
      await scene.removeDestination(other.id);
    });
  });

  describe('set up by hand', () => {
    it('answers the handshake, accepts what the typed secret has signed, and registers nothing', async () => {
      const secret = 'typed into both, by hand';
      const { id, name } = scene.credential;
      const data = { ...scene.credentialData, signingSecret: secret };
      await scene.editor.updateCredential(id, name, 'messagingGatewayApi', data);
      const workflow = await active({ events: ['messages'], registration: 'manual' });
      expect(await scene.destinations()).toEqual([]);

      const [node] = workflow.nodes;
      const url = `${scene.door.url}/webhook/${node.webhookId}/webhook`;
      const added = await scene.addDestination({ url, secret, events: ['messages'] });
      expect(added).toMatchObject({ handshake: { ok: true } });
      const message = await messageOf(workflow, await does({ text: 'By hand' }));
      expect(message).toMatchObject({ text: 'By hand', line: 1 });

      await scene.editor.deactivate(workflow);
      expect(await scene.destinations()).toHaveLength(1);
      await scene.removeDestination(added.id);
    });
  });

  describe('when the gateway does not reach n8n', () => {
    it('it is said in the editor as soon as somebody tests the workflow', async () => {
      const workflow = await trigger({ events: ['messages'] });
      scene.door.set('refusing');
      const refused = await scene.editor.listenForTest(workflow, TRIGGER).catch((error: Error) => error);
      scene.door.set('open');
      expect(String(refused)).toMatch(/The gateway does not reach this n8n at http/);
      expect(await scene.destinations()).toEqual([]);
    });
  });

  describe('a run that waits for an answer in the chat', () => {
    it('goes on with the genuine answer, once, and with no forged one', async () => {
      const listening = await active({ events: ['messages'] });
      await does({ text: 'Hello' });
      await messageCalled(listening, 'Hello');
      const asking = await example('appointment-reminder');
      const executionId = await scene.editor.startRun(asking, 'When clicking Execute');
      const question = await nextOnThePhone('interactive');
      const [{ reply }] = buttonsOf(question);
      expect(reply.title).toBe('I will come');
      const path = reply.id.replace(/^mgw-resume:/, '');
      const waits = async () => (await scene.editor.status(executionId)) === 'waiting';
      await waitUntil('the run to wait', async () => ((await waits()) ? true : undefined));

      const answer = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"title":"x"}',
      };
      const forged = path.replace('choice=0', 'choice=1');
      expect(forged).not.toBe(path);
      expect((await fetch(scene.door.url + forged, answer)).status).toBe(401);
      expect((await fetch(scene.door.url + path)).status).toBeLessThan(500); // a preview looks at it
      expect(await waits()).toBe(true);

      await does({ button: 'I will come', message: question.id });
      const thanks = await nextOnThePhone('text');
      expect(thanks).toMatchObject({ text: { body: 'Thank you! See you on Friday at 15:30.' } });
      const run = await waitUntil('the run to end', async () =>
        (await scene.editor.status(executionId)) === 'success'
          ? scene.editor.execution(executionId)
          : undefined,
      );
      expect(itemsOf(run, 'Ask for confirmation')).toEqual([
        expect.objectContaining({ answered: true, approved: true, from: DEMO_CONTACT, name: 'Ana' }),
      ]);

      await does({ button: 'I cannot', message: question.id });
      await does({ text: 'Done' });
      await messageCalled(listening, 'Done');
      expect((await output(listening)).map(({ text }) => text)).toEqual(['Hello', 'Done']);
      expect((await conversationOf(scene.gateway.sandboxUrl, DEMO_CONTACT)).at(-1)).toMatchObject({
        text: { body: 'Done' },
      });
      await scene.editor.deactivate(listening);
    });
  });

  describe('the examples', () => {
    it('are made of nodes that this n8n knows', async () => {
      const known = (await scene.editor.nodeTypes()).map(({ name }) => name);
      for (const name of exampleNames()) {
        const { nodes } = await example(name);
        expect(known).toEqual(expect.arrayContaining(nodes.map(({ type }) => type)));
      }
    });

    it('tell of an order, and answer its buttons', async () => {
      const workflow = await example('order-update-with-buttons');
      await scene.editor.activate(workflow);
      await does({ text: 'Hello' });
      expect(await scene.editor.run(workflow, 'When clicking Execute')).toMatchObject({ status: 'success' });
      const update = await nextOnThePhone('interactive');
      await does({ button: 'Call me', message: update.id });
      expect(await nextOnThePhone('text')).toMatchObject({
        text: { body: 'We call you within the hour about order A-1042.' },
      });
      await scene.editor.deactivate(workflow);
    });

    it('offer a menu of questions, and answer the one that is chosen', async () => {
      const workflow = await example('faq-menu');
      await scene.editor.activate(workflow);
      expect(await scene.destinations()).toHaveLength(2);
      await does({ text: 'Hello' });
      const menu = await nextOnThePhone('interactive');
      await does({ row: 'Returns', message: menu.id });
      expect(await nextOnThePhone('text')).toMatchObject({
        text: { body: expect.stringMatching(/30 days/) },
      });
      await scene.editor.deactivate(workflow);
      expect(await scene.destinations()).toEqual([]);
    });
  });

  const example = (name: string) => scene.editor.createWorkflow(exampleWorkflow(name, scene.credential));

  const messageCalled = (workflow: Workflow, text: string) =>
    waitUntil(`"${text}" to come`, async () => (await output(workflow)).find((item) => item.text === text), {
      withinMs: MINUTE,
    });

  /** The line's next message to the contact, which must be the newest of the conversation. */
  const nextOnThePhone = (type: string) =>
    waitUntil(`a message of type ${type} on the phone`, async () => {
      const newest = (await conversationOf(scene.gateway.sandboxUrl, DEMO_CONTACT)).at(-1);
      return newest?.direction === 'to_contact' && newest.type === type ? newest : undefined;
    });

  const buttonsOf = (message: PhoneMessage) =>
    (message.interactive as { action: { buttons: { reply: { id: string; title: string } }[] } }).action
      .buttons;

  /** What a caller of fetch may set itself. */
  const own = (headers: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        /^(content-type|x-hub-|webhook-|x-gateway-)/.test(name) ? [[name, String(value)]] : [],
      ),
    );

  /** Sends to the demo contact by a workflow of its own; returns the message's id. */
  async function send(parameters: Record<string, unknown>): Promise<string> {
    const to = DEMO_CONTACT;
    const execution = await scene.run('Send', [
      scene.action('Send', { resource: 'message', operation: 'send', to, ...parameters }),
    ]);
    expect(execution).toMatchObject({ status: 'success' });
    return String(itemsOf(execution, 'Send')[0].messageId);
  }
});
