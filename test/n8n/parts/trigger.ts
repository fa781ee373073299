import { commandActor } from '../../../gateway/cli/offline';
import { editLine, type LineChange } from '../../../gateway/lines/edit-line';
import { lineOf } from '../../../gateway/lines/line';
import { DEMO_CONTACT, DEMO_LINE } from '../../../gateway/sandbox/platform/account';
import { notification, notify } from '../../support/test-gateway';
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
import { exampleNames, exampleWorkflow } from '../example-workflows';
import { type PhoneMessage } from '../sandbox-phone';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';
import { openDoor } from '../webhook-door';

describe('The trigger', () => {
  const STRANGER = '12025550199';

  let live: Workflow[] = [];
  afterEach(async () => {
    for (const workflow of live) await scene.editor.deactivate(workflow);
    live = [];
  });

  async function active(workflow: Workflow): Promise<Workflow> {
    await scene.editor.activate(workflow);
    live.push(workflow);
    return workflow;
  }

  const listens = async (parameters: Record<string, unknown>) => active(await listening(parameters));

  describe('filters', () => {
    it('let only those messages through that pass all of them, and of statuses the chosen ones', async () => {
      const workflow = await listens({
        events: ['messages', 'delivered'],
        filters: { kinds: ['text'], from: '+1 (202) 555-0147', textContains: 'ORDER' },
      });

      await does({ text: 'Hello' });
      await does({ text: 'my order?' }, STRANGER);
      await does({ image: { caption: 'my order' } });
      const id = await does({ text: 'Where is my order?' });

      expect(await receivedOf(workflow, id)).toMatchObject({
        text: 'Where is my order?',
        line: 1,
        phoneNumberId: DEMO_LINE.phoneNumberId,
      });
      const sent = await send({ messageType: 'text', text: 'On its way.' });
      // Others may come of what was sent before.
      const ofSent = async () => (await received(workflow, 1)).filter(({ messageId }) => messageId === sent);
      await waitUntil('its status', async () => (await ofSent())[0]);
      expect((await ofSent()).map(({ messageStatus }) => messageStatus)).toEqual(['delivered']);
      expect(await received(workflow)).toHaveLength(1);
    });

    it('leave contacts out, look for keywords, and go by office hours', async () => {
      const always = { days: WEEK, from: '00:00', to: '24:00', timeZone: 'America/Sao_Paulo' };
      const filters = (pass: string) => ({
        notFrom: STRANGER,
        keywords: { keyword: { words: 'preço, opening hours', match: 'word' } },
        officeHours: { hours: { ...always, pass } },
      });
      const within = await listens({ events: ['messages'], filters: filters('within') });
      const outside = await listens({ events: ['messages'], filters: filters('outside') });

      await does({ text: 'PRECO?' }, STRANGER);
      await does({ text: 'precoce' });
      await does({ text: 'What are your Opening  Hours?' });
      const id = await does({ text: 'Qual o PREÇO?' });
      await receivedOf(within, id);
      await waitUntil('both workflows to hear of it', () => (cameToN8n(id).length === 2 ? true : undefined));

      expect((await received(within)).map(({ text }) => text)).toEqual([
        'What are your Opening  Hours?',
        'Qual o PREÇO?',
      ]);
      expect(await received(outside)).toEqual([]);
    });
  });

  describe('a tap', () => {
    it('comes with the clientRef and the text of the message that was tapped', async () => {
      await changeLine({ keepsSent: true });
      const workflow = await listens({ events: ['messages'] });
      const message = await send({
        messageType: 'buttons',
        body: 'When shall we deliver?',
        buttons: { button: [{ title: 'Today', id: 'deliver_today' }] },
        options: { clientRef: 'order A-1042' },
      });
      expect(await receivedOf(workflow, await does({ button: 'Today', message }))).toMatchObject({
        replyId: 'deliver_today',
        clientRef: 'order A-1042',
        questionText: 'When shall we deliver?',
      });
      await changeLine({ keepsSent: false });
    });
  });

  describe('a contact whom a colleague answers', () => {
    it('starts no run until automation is resumed', async () => {
      await changeLine({ automationPauseHours: 8 });
      const bot = await listens({ events: ['messages'] });
      const all = await listens({ events: ['messages'], ignorePaused: false });
      await receivedOf(bot, await does({ text: 'I have a complaint' }));

      await answersFromThePhoneApp('I take over');
      const toThePerson = await does({ text: 'Thank you, a person at last' });
      expect(await receivedOf(all, toThePerson)).toMatchObject({ automationPaused: true });
      // Only this contact is paused.
      await receivedOf(bot, await does({ text: 'And me?' }, STRANGER));

      const contact = (name: string, operation: string, to: string, more = {}) =>
        scene.action(name, { resource: 'contact', operation, to, ...more });
      const changed = await scene.run('Hand back', [
        contact('Resume', 'resumeAutomation', DEMO_CONTACT),
        contact('Pause', 'pauseAutomation', STRANGER, { hours: 8 }),
      ]);
      expect(itemsOf(changed, 'Resume')).toMatchObject([
        { contact: DEMO_CONTACT, isPaused: false, pausedUntil: null },
      ]);
      expect(itemsOf(changed, 'Pause')).toMatchObject([
        { contact: STRANGER, isPaused: true, pausedUntil: expect.stringMatching(/^\d{4}-.*Z$/) },
      ]);
      const paused = await does({ text: 'Still me' }, STRANGER);
      expect(await receivedOf(all, paused)).toMatchObject({ automationPaused: true });
      const back = await does({ text: 'One more question' });
      expect(await receivedOf(bot, back)).toMatchObject({ automationPaused: false });
      expect((await received(bot)).map(({ text }) => text)).toEqual([
        'I have a complaint',
        'And me?',
        'One more question',
      ]);
      await scene.api('DELETE', `automation-pauses/${STRANGER}`);
      await changeLine({ automationPauseHours: 0 });
    });
  });

  describe('a file that a contact sends', () => {
    it('comes as binary data by way of the gateway', async () => {
      const workflow = await listens({ events: ['messages'], downloadFiles: true });

      const id = await does({ image: { caption: 'My cat' } });
      await receivedOf(workflow, id);

      const [execution] = await scene.editor.executionsOf(workflow);
      const [item] = execution.data.resultData.runData[TRIGGER][0].data?.main[0] ?? [];
      expect(item).toMatchObject({
        json: { kind: 'image', text: 'My cat', media: { mimeType: 'image/jpeg' } },
        binary: { data: { mimeType: 'image/jpeg', fileType: 'image' } },
      });
    });
  });

  describe('an event that is delivered twice', () => {
    it('runs the workflow once', async () => {
      const workflow = await listens({ events: ['messages'] });
      const id = await does({ text: 'Once, please' });
      await receivedOf(workflow, id);
      const [{ bytes, headers, path }] = cameToN8n(id);
      const again = await fetch(scene.n8n.url + path, {
        method: 'POST',
        body: new Uint8Array(bytes),
        headers: own(headers),
      });

      expect([again.status, await again.json()]).toEqual([200, { received: 0, repeated: true }]);
      await receivedOf(workflow, await does({ text: 'And another' }));
      expect((await received(workflow)).map(({ text }) => text)).toEqual(['Once, please', 'And another']);
    });
  });

  describe('set up by hand', () => {
    it('answers the handshake, accepts what the typed secret has signed, and registers nothing', async () => {
      const secret = 'typed into both, by hand';
      const { id, name } = scene.credential;
      const data = { ...scene.credentialData, signingSecret: secret };
      await scene.editor.updateCredential(id, name, 'messagingGatewayApi', data);
      const workflow = await listens({ events: ['messages'], registration: 'manual' });
      expect(await scene.destinations()).toEqual([]);

      const [node] = workflow.nodes;
      const url = `${scene.door.url}/webhook/${node.webhookId}/webhook`;
      const added = await scene.addDestination({ url, secret, events: ['messages'] });
      expect(added).toMatchObject({ handshake: { ok: true } });
      const message = await receivedOf(workflow, await does({ text: 'By hand' }));
      expect(message).toMatchObject({ text: 'By hand', line: 1 });

      await scene.editor.deactivate(workflow);
      expect(await scene.destinations()).toHaveLength(1);
      await scene.removeDestination(added.id);
    });
  });

  describe('when the gateway does not reach n8n', () => {
    it('it is said in the editor as soon as somebody tests the workflow', async () => {
      const workflow = await listening({ events: ['messages'] });
      scene.door.set('refusing');
      const refused = await scene.editor.listenForTest(workflow, TRIGGER).catch((error: Error) => error);
      scene.door.set('open');
      expect(String(refused)).toMatch(/The gateway does not reach this n8n at http/);
      expect(await scene.destinations()).toEqual([]);
    });
  });

  describe('after n8n was restarted at another address', () => {
    it('a workflow that is unpublished and published again is registered there alone', async () => {
      const urls = async () => (await scene.destinations()).map(({ url }) => new URL(url).origin);
      const workflow = await listens({ events: ['messages'] });
      expect(await urls()).toEqual([scene.door.url]);
      const other = await openDoor();
      other.leadTo(scene.n8n.url);
      await scene.restartN8n(other.url);
      try {
        await scene.editor.deactivate(workflow);
        expect(await urls()).toEqual([]);
        await scene.editor.activate(await scene.editor.workflow(workflow.id));

        expect(await urls()).toEqual([other.url]);
        const id = await does({ text: 'At the new address' });
        await receivedOf(workflow, id);
        expect(
          other.came.filter(({ path }) => path.includes(String(workflow.nodes[0].webhookId))),
        ).not.toEqual([]);
      } finally {
        await scene.editor.deactivate(workflow);
        await scene.restartN8n();
        await other.close();
      }
      expect(await urls()).toEqual([]);
    });
  });

  describe('a run that waits for an answer in the chat', () => {
    it('goes on with the genuine answer, once, and with no forged one', async () => {
      const listener = await listens({ events: ['messages'] });
      await does({ text: 'Hello' });
      await messageCalled(listener, 'Hello');
      const asking = await example('appointment-reminder');
      const executionId = await scene.editor.startRun(asking, 'When clicking Execute');
      const question = await nextOnThePhone('interactive');
      expect(buttonsOf(question)[0].reply).toEqual({ id: 'approve', title: 'I will come' });
      await scene.editor.whenWaiting(executionId);

      const node = asking.nodes.find(({ name }) => name === 'Ask for confirmation');
      const address = `${scene.door.url}/webhook-waiting/${executionId}/${node?.id}`;
      const answer = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"title":"x"}',
      };
      for (const forged of [address, `${address}?signature=${'0'.repeat(64)}`])
        expect((await fetch(forged, answer)).status).toBe(401);
      expect((await fetch(address)).status).toBeLessThan(500); // a preview looks at it
      expect(await scene.editor.status(executionId)).toBe('waiting');

      await does({ button: 'I will come', message: question.id });
      const thanks = await nextOnThePhone('text');
      expect(thanks).toMatchObject({ text: { body: 'Thank you! See you on Friday at 15:30.' } });
      const run = await scene.editor.whenEnded(executionId);
      expect(run).toMatchObject({ status: 'success' });
      expect(itemsOf(run, 'Ask for confirmation')).toEqual([
        expect.objectContaining({ answered: true, approved: true, from: DEMO_CONTACT, name: 'Ana' }),
      ]);

      await does({ button: 'I cannot', message: question.id });
      await does({ text: 'Done' });
      await messageCalled(listener, 'Done');
      const came = await received(listener);
      expect(came.map(({ text }) => text)).toEqual(['Hello', 'I cannot', 'Done']);
      expect(came.map(({ lateAnswerTo }) => lateAnswerTo)).toEqual([
        null,
        expect.stringMatching(/^qst_/),
        null,
      ]);
      expect((await phone()).at(-1)).toMatchObject({
        text: { body: 'Done' },
      });
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
      const workflow = await active(await example('order-update-with-buttons'));
      await does({ text: 'Hello' });
      expect(await scene.editor.run(workflow, 'When clicking Execute')).toMatchObject({ status: 'success' });
      const update = await nextOnThePhone('interactive');
      await does({ button: 'Call me', message: update.id });
      expect(await nextOnThePhone('text')).toMatchObject({
        text: { body: 'We call you within the hour about order A-1042.' },
      });
    });

    it('offer a menu of questions, and answer the one that is chosen', async () => {
      await active(await example('faq-menu'));
      expect(await scene.destinations()).toHaveLength(2);
      await does({ text: 'Hello' });
      const menu = await nextOnThePhone('interactive');
      await does({ row: 'Returns', message: menu.id });
      expect(await nextOnThePhone('text')).toMatchObject({
        text: { body: expect.stringMatching(/30 days/) },
      });
    });
  });

  const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

  const changeLine = (change: LineChange) =>
    scene.offline(async (deps) => {
      const row = await deps.store.lines.find(1);
      if (row) await editLine(deps, commandActor(), null, row, change);
      await deps.registry.refresh();
    });

  /** What the platform reports if a colleague writes to the demo contact in the phone app of the line's number. */
  async function answersFromThePhoneApp(body: string): Promise<void> {
    const secret = await scene.offline(async ({ store, vault }) => {
      const row = await store.lines.find(1);
      return row ? (lineOf(row, vault).appSecret ?? '') : '';
    });
    const echo = {
      from: DEMO_LINE.displayPhoneNumber.replace(/\D/g, ''),
      to: DEMO_CONTACT,
      id: `wamid.${crypto.randomUUID()}`,
      timestamp: String(Math.floor(Date.now() / 1000)),
      type: 'text',
      text: { body },
    };
    const value = { message_echoes: [echo] };
    const report = notification(value, DEMO_LINE.phoneNumberId, 'smb_message_echoes');
    expect(await notify(scene.gateway, report, secret, `/${DEMO_LINE.phoneNumberId}`)).toBe(200);
  }

  const example = (name: string) => scene.editor.createWorkflow(exampleWorkflow(name, scene.credential));

  const messageCalled = (workflow: Workflow, text: string) =>
    waitUntil(`"${text}" to come`, async () => (await received(workflow)).find((item) => item.text === text));

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
});
