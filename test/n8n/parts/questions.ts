import { does, listening, phone, received, receivedOf } from '../demo-contact';
import { itemsOf, type Execution, type Workflow, type WorkflowNode } from '../editor-client';
import { conversationOf, type PhoneMessage } from '../sandbox-phone';
import { START } from '../scene';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';

describe('Send and Wait by questions of the gateway', () => {
  beforeAll(() => does({ text: 'Hello' }));

  /** Longer than the gateway tries to hand over an answer whose run is gone. */
  const LONG_ENOUGH = { withinMs: 120_000 };

  const WAIT = { resource: 'message', operation: 'sendAndWait' };
  const DEMO = '={{ $("Trigger").item.json.from }}';
  const ask = (parameters: Record<string, unknown>) =>
    scene.action('Ask', { ...WAIT, to: '12025550147', message: 'What is your name?', ...parameters });

  /** A workflow that our trigger starts, published. */
  async function onMessage(...nodes: WorkflowNode[]): Promise<Workflow> {
    const all = [scene.trigger('Trigger', { events: ['messages'] }), ...nodes];
    const connections = Object.fromEntries(
      nodes.map((node, index) => [
        all[index].name,
        { main: [[{ node: node.name, type: 'main', index: 0 }]] },
      ]),
    );
    const workflow = await scene.editor.createWorkflow({ name: 'On message', nodes: all, connections });
    await scene.editor.activate(workflow);
    return workflow;
  }

  /** Asks in a run that is started by hand, and returns when it waits. */
  async function asks(parameters: Record<string, unknown>): Promise<{ id: string; question: PhoneMessage }> {
    const id = await scene.editor.startRun(await scene.workflow('Ask', [ask(parameters)]), START);
    await scene.editor.whenWaiting(id);
    return { id, question: (await phone()).at(-1) as PhoneMessage };
  }
  const answerOf = (execution: Execution) => itemsOf(execution, 'Ask')[0];

  const texts = async (contact?: string) =>
    (await phone(contact)).map(({ text }) => (text as { body: string } | undefined)?.body);
  const shown = (body: string, times = 1, contact?: string) =>
    waitUntil(
      `"${body}" on the phone`,
      async () => ((await texts(contact)).filter((text) => text === body).length >= times ? true : undefined),
      LONG_ENOUGH,
    );

  it('the workflow that asks who writes for a name ends, and the name starts no other run', async () => {
    const question = `Your name, please (${crypto.randomUUID()})`;
    const thanks = scene.action('Thank', {
      resource: 'message',
      operation: 'send',
      to: DEMO,
      text: '=Thanks {{ $json.answer }}',
    });
    const workflow = await onMessage(ask({ to: DEMO, responseType: 'freeText', message: question }), thanks);
    await does({ text: 'Good morning' });
    await shown(question);
    await does({ text: 'Ana Souza' });
    await shown('Thanks Ana Souza');
    // Whatever the name had started would have come before this.
    await does({ text: 'Good evening' });
    await shown(question, 2);
    await does({ text: 'Ana again' });
    await shown('Thanks Ana again');
    const runs = await waitUntil('both runs to end', async () => {
      const ended = await scene.editor.executionsOf(workflow);
      return ended.length >= 2 ? ended : undefined;
    });
    expect(runs.map(answerOf).map(({ answer }) => answer)).toEqual(['Ana Souza', 'Ana again']);
    expect((await texts()).filter((text) => text === question)).toHaveLength(2);
    await scene.editor.deactivate(workflow);
    expect(await scene.destinations()).toEqual([]);
  });

  it('a second tap, and the answer to a run that was stopped, start the trigger as late answers', async () => {
    const listener = await listening({ events: ['messages'] });
    await scene.editor.activate(listener);

    const first = await asks({ message: 'May we deliver?' });
    await does({ button: 'Approve', message: first.question.id });
    const { questionId, approved } = answerOf(await scene.editor.whenEnded(first.id));
    expect(approved).toBe(true);
    const second = await does({ button: 'Decline', message: first.question.id });
    expect(await receivedOf(listener, second)).toMatchObject({
      replyId: 'decline',
      lateAnswerTo: questionId,
    });

    const stopped = await asks({ responseType: 'freeText' });
    await scene.editor.stop(stopped.id);
    const late = await does({ text: 'Ana' });
    expect(
      await waitUntil(
        'the late answer',
        async () => (await received(listener)).find(({ messageId }) => messageId === late),
        LONG_ENOUGH,
      ),
    ).toMatchObject({ text: 'Ana', lateAnswerTo: expect.stringMatching(/^qst_/) });

    const afterwards = await does({ text: 'Anything else' });
    expect(await receivedOf(listener, afterwards)).toMatchObject({ lateAnswerTo: null });
    expect(await received(listener)).toHaveLength(3);
    await scene.editor.deactivate(listener);
  });

  it('an answer that comes while n8n is down goes to the run that waits', async () => {
    const { id } = await asks({ responseType: 'freeText' });
    scene.door.set('refusing');
    await does({ text: 'Ana' });
    await waitUntil('an attempt', () =>
      scene.door.came.some(({ passedOn, headers }) => !passedOn && headers['x-gateway-answer-to'])
        ? true
        : undefined,
    );
    await scene.restartN8n();
    await scene.restartGateway();
    scene.door.set('open');
    expect(answerOf(await scene.editor.whenEnded(id, 120_000))).toMatchObject({
      answered: true,
      answer: 'Ana',
    });
  });

  it('asks several questions, and asks again for what does not fit', async () => {
    const { id } = await asks({
      responseType: 'questions',
      questions: {
        question: [
          { message: 'Name?', name: 'name', answerType: 'text' },
          { message: 'How many?', name: 'people', answerType: 'number', saying: 'Only the number, please.' },
          { message: 'Which size?', name: 'size', answerType: 'choice', answerChoices: 'Small, Large' },
          { message: 'A photo, please', name: 'photo', answerType: 'photo' },
        ],
      },
    });
    const after = async (body: string) => {
      await waitUntil(
        `"${body}"`,
        async () => ((await texts()).at(-1) === body ? true : undefined),
        LONG_ENOUGH,
      );
    };
    await does({ text: 'Ana' });
    await after('How many?');
    await does({ text: 'a few' });
    await after('Only the number, please.');
    await does({ text: '1.234,5' });
    const size = await waitUntil(
      'the buttons',
      async () => {
        const newest = (await phone()).at(-1);
        return newest?.type === 'interactive' ? newest : undefined;
      },
      LONG_ENOUGH,
    );
    await does({ button: 'Large', message: size.id });
    await after('A photo, please');
    await does({ image: {} });
    expect(answerOf(await scene.editor.whenEnded(id))).toMatchObject({
      answered: true,
      reason: null,
      answers: { name: 'Ana', people: 1234.5, size: 'Large', photo: { id: expect.any(String) } },
    });
  });

  it('goes on without an answer when none fits', async () => {
    const { id } = await asks({ responseType: 'freeText', answerType: 'email', askAgain: 0 });
    await does({ text: 'none' });
    const answer = answerOf(await scene.editor.whenEnded(id));
    expect(answer).toMatchObject({ answered: false, reason: 'notUnderstood', answer: 'none', value: null });
    expect(JSON.stringify(answer)).not.toContain('whsec_');
  });

  it('asks a second approval beside one that is open, and a run gets its own answer', async () => {
    const listener = await listening({ events: ['messages'] });
    await scene.editor.activate(listener);
    const first = await asks({ message: 'Approve the first?' });
    const second = await asks({ message: 'Approve the second?' });
    await does({ button: 'Decline', message: second.question.id });
    await does({ button: 'Approve', message: first.question.id });
    expect(answerOf(await scene.editor.whenEnded(second.id))).toMatchObject({ approved: false });
    expect(answerOf(await scene.editor.whenEnded(first.id))).toMatchObject({ approved: true });
    expect(await received(listener)).toEqual([]);
    await scene.editor.deactivate(listener);
  });

  it('fifty contacts are asked at the same time, and each run gets the answer of its own contact', async () => {
    const contacts = Array.from({ length: 50 }, (_, index) => `120255502${String(index).padStart(2, '0')}`);
    const question = 'And your name?';
    const workflow = await onMessage(ask({ to: DEMO, responseType: 'freeText', message: question }));
    await Promise.all(contacts.map((contact) => does({ text: 'Hello' }, contact)));
    for (const contact of contacts) await shown(question, 1, contact);
    await Promise.all(contacts.map((contact) => does({ text: `I am ${contact}` }, contact)));
    const runs = await waitUntil(
      'all runs to end',
      async () => {
        const ended = await scene.editor.executionsOf(workflow);
        return ended.length >= contacts.length ? ended : undefined;
      },
      { withinMs: 240_000, everyMs: 1000 },
    );
    const answers = runs.map(answerOf).map(({ to, answer }) => [to, answer]);
    expect(answers.sort()).toEqual(contacts.map((contact) => [contact, `I am ${contact}`]));
    for (const contact of contacts) {
      const asked = await conversationOf(scene.gateway.sandboxUrl, contact);
      expect(asked.filter(({ direction }) => direction === 'to_contact')).toHaveLength(1);
    }
    await scene.editor.deactivate(workflow);
  });
});
