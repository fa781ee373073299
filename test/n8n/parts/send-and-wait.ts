import { DEMO_CONTACT } from '../../../gateway/sandbox/platform/account';
import { does, listening, phone, received, receivedOf } from '../demo-contact';
import { itemsOf, type Execution } from '../editor-client';
import { type PhoneMessage } from '../sandbox-phone';
import { START } from '../scene';
import { scene } from '../shared-scene';

describe('Send and Wait', () => {
  beforeAll(() => does({ text: 'Hello' }));

  const OTHER = '12025550177';

  /** Asks in a workflow of its own, and returns when the run waits. */
  async function asks(parameters: Record<string, unknown>) {
    const before = new Set((await phone()).map(({ id }) => id));
    const workflow = await scene.workflow('Ask', [
      scene.action('Ask', {
        resource: 'message',
        operation: 'sendAndWait',
        to: DEMO_CONTACT,
        message: 'May we deliver tomorrow?',
        ...parameters,
      }),
    ]);
    const id = await scene.editor.startRun(workflow, START);
    await scene.editor.whenWaiting(id);
    const question = (await phone()).find((message) => !before.has(message.id)) as PhoneMessage;
    return { id, question };
  }

  const statusOf = async (id: string) => (await scene.editor.execution(id)).status;
  const answerOf = (execution: Execution) => itemsOf(execution, 'Ask')[0];
  /** The address in a button of a question that is asked beside another one, as our trigger would call it. */
  function addressIn(question: PhoneMessage, index = 0): string {
    const { action } = question.interactive as { action: { buttons: Array<{ reply: { id: string } }> } };
    const { id } = action.buttons[index].reply;
    expect(id).toMatch(/^mgw-resume:\/webhook-waiting\//);
    expect(id.length).toBeLessThanOrEqual(256);
    return scene.door.url + id.slice('mgw-resume:'.length); // up to 2.40 the host is signed too
  }
  const post = (url: string, body: object = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  describe('without a trigger that listens', () => {
    it('goes on with the button that the contact taps, and registers nothing at the gateway', async () => {
      const { id, question } = await asks({});
      expect(await scene.destinations()).toEqual([]);
      await does({
        button: 'Approve',
        message: question.id,
      });
      const execution = await scene.editor.whenEnded(id);
      expect(execution.status).toBe('success');
      expect(answerOf(execution)).toMatchObject({
        answered: true,
        approved: true,
        answer: 'approve',
        answerTitle: 'Approve',
        from: DEMO_CONTACT,
        name: 'Ana',
        answeredAt: expect.stringMatching(/^\d{4}-/),
        messageId: question.id,
        text: 'May we deliver tomorrow?',
      });
      expect(answerOf(execution)).not.toHaveProperty('waiting');
    });

    it('goes on with the row that the contact chooses', async () => {
      const { id, question } = await asks({
        responseType: 'list',
        listButton: 'See times',
        sections: {
          section: [
            {
              rows: {
                row: [
                  { title: '9 to 10', id: 'slot_9' },
                  { title: '10 to 11', id: 'slot_10' },
                ],
              },
            },
          ],
        },
      });
      await does({ row: '10 to 11', message: question.id });
      expect(answerOf(await scene.editor.whenEnded(id))).toMatchObject({
        answered: true,
        answer: 'slot_10',
        answerTitle: '10 to 11',
      });
    });

    it('goes on with what the contact writes, and not with what others write', async () => {
      const { id } = await asks({ responseType: 'freeText', message: 'What is your name?' });
      await does({ text: 'I am somebody else' }, OTHER);
      await new Promise((done) => setTimeout(done, 1500));
      expect(await statusOf(id)).toBe('waiting');
      await does({ text: 'Ana Souza' });
      expect(answerOf(await scene.editor.whenEnded(id))).toMatchObject({
        answered: true,
        answer: 'Ana Souza',
        from: DEMO_CONTACT,
      });
    });
  });

  describe('the address in a button of a question beside another one', () => {
    it('answers once, to a POST with its own signature', async () => {
      const first = await asks({});
      const { id, question } = await asks({
        responseType: 'buttons',
        buttons: {
          button: [
            { title: 'Yes', id: 'yes' },
            { title: 'No', id: 'no' },
          ],
        },
      });
      const address = addressIn(question, 1);

      await fetch(address); // a preview, or a robot that follows links
      expect(await statusOf(id)).toBe('waiting');
      const forged = [
        address.replace(/choice=1/, 'choice=0'),
        address.replace(/signature=[0-9a-f]{8}/, 'signature=00000000'),
        address.replace(/&?signature=[0-9a-f]+/, ''),
      ];
      for (const url of forged) {
        const answer = await post(url, { title: 'Yes', from: DEMO_CONTACT });
        expect([url, answer.status]).toEqual([url, 401]);
      }
      expect(await statusOf(id)).toBe('waiting');

      const given = {
        id: 'mgw-resume:…',
        title: 'No',
        text: 'No',
        from: DEMO_CONTACT,
        name: 'Ana',
        messageId: 'wamid.answer',
        timestamp: '2026-11-20T10:00:00.000Z',
      };
      expect((await post(address, given)).status).toBe(200);
      const execution = await scene.editor.whenEnded(id);
      expect(answerOf(execution)).toMatchObject({
        answer: 'no',
        answerTitle: 'No',
        from: DEMO_CONTACT,
        name: 'Ana',
        answerMessageId: 'wamid.answer',
        answeredAt: '2026-11-20T10:00:00.000Z',
      });
      await post(addressIn(question, 0), { title: 'Yes', from: DEMO_CONTACT });
      expect(answerOf(await scene.editor.execution(id))).toMatchObject({ answer: 'no' });
      expect(await scene.destinations()).toEqual([]);
      await does({ button: 'Approve', message: first.question.id });
      expect(answerOf(await scene.editor.whenEnded(first.id))).toMatchObject({ approved: true });
    });
  });

  // One restart for both nodes. A running n8n looks once a minute for runs whose time is over, and one that starts does so at once.
  it('outlives a restart, as the trigger does: a tap answers, and a question whose time is over goes on without', async () => {
    const other = await scene.addDestination({ url: scene.door.url, events: ['failed'] });
    const listener = await listening({ events: ['messages'] });
    await scene.editor.activate(listener);
    const before = (await scene.destinations()).map(({ url }) => url);
    const late = await asks({ limitAmount: 0.05, limitUnit: 'minutes' });
    const open = await asks({});
    await scene.restartN8n();

    await receivedOf(listener, await does({ text: 'Still there?' }));
    expect((await received(listener)).map(({ text }) => text)).toEqual(['Still there?']);
    expect((await scene.destinations()).map(({ url }) => url)).toEqual(expect.arrayContaining(before));
    await does({
      button: 'Decline',
      message: open.question.id,
    });
    expect(answerOf(await scene.editor.whenEnded(open.id))).toMatchObject({
      answered: true,
      approved: false,
    });

    const unanswered = {
      answered: false,
      reason: 'timeLimit',
      approved: false,
      answer: null,
      messageId: late.question.id,
    };
    const ended = answerOf(await scene.editor.whenEnded(late.id));
    expect(ended).toMatchObject(unanswered);
    expect(ended).not.toHaveProperty('waiting');
    const tap = await does({ button: 'Approve', message: late.question.id });
    expect(await receivedOf(listener, tap)).toMatchObject({
      replyId: 'approve',
      lateAnswerTo: ended.questionId,
    });

    await scene.restartGateway();
    expect((await scene.destinations()).map(({ url }) => url)).toEqual(before);
    await receivedOf(listener, await does({ text: 'And now?' }));
    await scene.editor.deactivate(listener);
    expect(await scene.destinations()).toEqual([expect.objectContaining({ id: other.id })]);
    await scene.removeDestination(other.id);
  });
});
