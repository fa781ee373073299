import { DEMO_CONTACT } from '../../../gateway/sandbox/platform/account';
import { does, nextOnThePhone, phone } from '../demo-contact';
import { itemsOf } from '../editor-client';
import { exampleWorkflow } from '../example-workflows';
import { builtIn, START } from '../scene';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';

describe('Data, files and refusals', () => {
  beforeAll(() => does({ text: 'Hello' }));

  const SEND = { resource: 'message', operation: 'send', to: DEMO_CONTACT };
  const ASK = { resource: 'message', operation: 'sendAndWait', to: DEMO_CONTACT, message: 'When?' };
  const HELLO = { __rl: true, mode: 'list', value: 'hello_world|en_US' };
  const set = (name: string, json: object) =>
    builtIn(name, 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: JSON.stringify(json), options: {} }, 3.4);

  it('fills the header of a template with a file of the item', async () => {
    const picture =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const value = { 'header-image-link': 'data', 'body-1': 'Ana', 'button-0-url': 'spring' };
    const execution = await scene.run('Header', [
      set('Picture', { content: picture }),
      builtIn(
        'To file',
        'n8n-nodes-base.convertToFile',
        {
          operation: 'toBinary',
          sourceProperty: 'content',
          options: { fileName: 'cake.png', mimeType: 'image/png' },
        },
        1.1,
      ),
      scene.action('Send', {
        ...SEND,
        messageType: 'template',
        template: { __rl: true, mode: 'list', value: 'new_collection|en_US' },
        templateVariables: { mappingMode: 'defineBelow', value, schema: [] },
      }),
    ]);
    expect(execution.data.resultData.error).toBeUndefined();
    const [{ messageId } = {}] = itemsOf(execution, 'Send');
    expect((await phone()).find(({ id }) => id === messageId)).toMatchObject({
      template: {
        components: [
          { type: 'header', parameters: [{ type: 'image', image: { id: expect.stringMatching(/^\d+$/) } }] },
          expect.anything(),
          expect.anything(),
        ],
      },
    });
  });

  it('sends what an item holds as the type that an expression comes to, and a file of an earlier node', async () => {
    const picture =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const execution = await scene.run('By type', [
      set('Picture', { content: picture, type: 'photo' }),
      builtIn(
        'To file',
        'n8n-nodes-base.convertToFile',
        {
          operation: 'toBinary',
          sourceProperty: 'content',
          options: { fileName: 'cake', mimeType: 'application/octet-stream' },
        },
        1.1,
      ),
      scene.action('Send', {
        ...SEND,
        messageType: "={{ $('Picture').item.json.type }}",
        mediaSource: 'binary',
        binaryPropertyName: 'data',
        caption: 'Look',
      }),
      // What Send gives out holds no file any more.
      scene.action('Send again', {
        ...SEND,
        messageType: 'file',
        mediaSource: 'binary',
        binaryPropertyName: "={{ $('To file').item.binary.data }}",
      }),
    ]);
    expect(execution.data.resultData.error).toBeUndefined();
    const sent = ['Send', 'Send again'].map((node) => itemsOf(execution, node)[0].messageId);
    const image = { id: expect.stringMatching(/^\d+$/) };
    expect((await phone()).filter(({ id }) => sent.includes(id))).toMatchObject([
      { type: 'image', image: { ...image, caption: 'Look' } },
      { type: 'image', image },
    ]);
  });

  it('waits for a row of the data, and goes on with the id that the data has', async () => {
    const times = ['9 to 10', '10 to 11'].map((title, index) => ({ title, id: `slot_${index + 9}` }));
    const workflow = await scene.workflow('Free times', [
      set('Times', { times }),
      scene.action('Ask', {
        ...ASK,
        responseType: 'list',
        choicesFrom: 'array',
        choicesArray: '={{ $json.times }}',
      }),
    ]);
    const id = await scene.editor.startRun(workflow, START);
    await scene.editor.whenWaiting(id);
    const question = await nextOnThePhone('interactive');
    await does({ row: '10 to 11', message: question.id });
    expect(itemsOf(await scene.editor.whenEnded(id), 'Ask')).toEqual([
      expect.objectContaining({ answered: true, answer: 'slot_10' }),
    ]);
  });

  it('takes a voice message for the answer where it is accepted, and gives out its file', async () => {
    const workflow = await scene.workflow('Speak', [
      scene.action('Ask', { ...ASK, responseType: 'freeText', alsoAccept: ['audio'] }),
    ]);
    const id = await scene.editor.startRun(workflow, START);
    await scene.editor.whenWaiting(id);
    await does({ voice: true });
    expect(itemsOf(await scene.editor.whenEnded(id), 'Ask')).toEqual([
      expect.objectContaining({
        answered: true,
        answerKind: 'audio',
        media: expect.objectContaining({ id: expect.any(String), voice: true }),
      }),
    ]);
  });

  describe('a refusal is told in words', () => {
    const sentenceOf = async (parameters: object) => {
      const { message, description } =
        (await scene.run('Refused', [scene.action('Do', { ...SEND, ...parameters })])).data.resultData
          .error ?? {};
      return `${message}\n${description}`;
    };

    it('of the platform, with what happened and what to do', async () => {
      // The sandbox refuses sends to this number with 131026.
      const said = await sentenceOf({ to: '15550131026', messageType: 'template', template: HELLO });
      const [happened, whatToDo, byThePlatform] = said.split('\n');
      expect(happened).toBe('The message cannot be delivered to this contact');
      expect(whatToDo).toMatch(/^\S.*\.$/);
      expect(byThePlatform).toMatch(/^The messaging platform says: /);
    });
  });

  describe('the examples', () => {
    const byPhone = (one: { phone?: unknown }, other: { phone?: unknown }) =>
      String(one.phone).localeCompare(String(other.phone));
    const example = (name: string) => scene.editor.createWorkflow(exampleWorkflow(name, scene.credential));

    it('reach each row of a sheet, and say who was not reached and why', async () => {
      const workflow = await example('broadcast-from-a-sheet');
      const execution = await scene.editor.run(workflow, 'When clicking Execute');
      expect(execution).toMatchObject({ status: 'success' });
      expect(itemsOf(execution, 'Reached')).toEqual([
        { phone: '+1 202 555 0147', messageId: expect.stringMatching(/^wamid\./) },
        { phone: '+1 202 555 0163', messageId: expect.stringMatching(/^wamid\./) },
      ]);
      expect(itemsOf(execution, 'Not reached')).toEqual([
        {
          phone: 'unknown',
          reason: expect.stringMatching(/^To is "unknown", which is no telephone number/),
          whatToDo: expect.stringContaining('country code'),
        },
      ]);
    });

    it('ask each row of a sheet in a run of its own, all at once, by a template who has not written', async () => {
      const contacts = ['12025550147', '12025550163', '12025550191'];
      const [ana, bo, cy] = contacts;
      for (const contact of [ana, bo]) await does({ text: 'Hello' }, contact);
      const workflow = await example('reminders-from-a-sheet');
      const execution = await scene.editor.run(workflow, 'When clicking Execute');
      expect(execution).toMatchObject({ status: 'success' });
      const ask = async (contact: string) =>
        waitUntil('the question', async () => {
          const newest = (await phone(contact)).at(-1);
          return newest?.direction === 'to_contact' ? newest : undefined;
        });
      const [forAna, forBo, forCy] = await Promise.all(contacts.map(ask));
      expect([forAna.type, forBo.type, forCy.type]).toEqual(['interactive', 'interactive', 'template']);
      expect(forCy.shown).toContain('Hello Cy, we expect you on Friday at 16:30.');
      await does({ button: 'No', message: forCy.id }, cy);
      await does({ button: 'Yes', message: forBo.id }, bo);
      await does({ button: 'Yes', message: forAna.id }, ana);

      const runs = await waitUntil('all runs to end', async () => {
        const ended = await scene.editor.executionsOf(workflow);
        return ended.length === 1 + contacts.length ? ended : undefined;
      });
      expect(runs.flatMap((run) => itemsOf(run, 'The answer')).sort(byPhone)).toEqual([
        { phone: '+1 202 555 0147', answer: 'comes' },
        { phone: '+1 202 555 0163', answer: 'comes' },
        { phone: '+1 202 555 0191', answer: 'does not come' },
      ]);
    });

    it('pass a photo on, and thank its sender', async () => {
      const colleague = '12025550148';
      await does({ text: 'Hello' }, colleague);
      const workflow = await example('pass-on-photos-and-documents');
      await scene.editor.activate(workflow);
      await does({ image: { caption: 'The receipt' } });
      expect(await nextOnThePhone('text')).toMatchObject({ text: { body: 'Thank you, we have your file.' } });
      await scene.editor.deactivate(workflow);
      const [passedOn] = (await phone(colleague)).slice(-1);
      expect(passedOn).toMatchObject({
        type: 'image',
        image: { id: expect.any(String), caption: `From Ana (+${DEMO_CONTACT}): The receipt` },
      });
    });

    it('tell a colleague that a message failed', async () => {
      const colleague = '12025550148';
      await does({ text: 'Hello' }, colleague);
      const { nodes, ...rest } = exampleWorkflow('alerts', scene.credential);
      // Nobody has given the e-mail a credential here, and without one n8n publishes nothing.
      const without = nodes.map((node) => ({ ...node, disabled: node.name === 'Send an e-mail' }));
      const workflow = await scene.editor.createWorkflow({ ...rest, nodes: without });
      await scene.editor.activate(workflow);
      // The sandbox takes what is sent to this number, and reports 131026 later.
      await scene.run('To nobody', [
        scene.action('Send', {
          ...SEND,
          to: '15551131026',
          messageType: 'template',
          template: HELLO,
          options: { clientRef: 'order 7' },
        }),
      ]);
      await waitUntil('the alert', async () => {
        const newest = (await phone(colleague)).at(-1);
        return newest?.type === 'text' && newest.direction === 'to_contact' ? newest : undefined;
      });
      await scene.editor.deactivate(workflow);
      expect((await phone(colleague)).at(-1)).toMatchObject({
        text: {
          body: expect.stringMatching(
            /^A message to \+15551131026 was not delivered \(131026\): .*order 7\.$/s,
          ),
        },
      });
    });
  });
});
