import { DEMO_WABA_ID } from '../../../gateway/sandbox/platform/account';
import { addLine } from '../../support/add-line';
import { does, received, TRIGGER } from '../demo-contact';
import { itemsOf, type Workflow, type WorkflowDraft, type WorkflowNode } from '../editor-client';
import { CREDENTIAL_TYPE, exampleWorkflow } from '../example-workflows';
import { conversationOf } from '../sandbox-phone';
import { builtIn, START } from '../scene';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';

interface Line {
  line: string;
  token: string;
}

/** Twenty lines, among them the demo line. */
let lines: Line[];

describe('Twenty lines', () => {
  beforeAll(async () => {
    const added = await scene.offline(async (deps) => {
      const made: Line[] = [];
      for (let index = 10; index < 29; index++) {
        const { row, token } = await addLine(deps, {
          name: `Client ${index}`,
          phoneNumberId: `1093514782099${index}`,
          phoneNumber: `+1 212-555-01${index}`,
          wabaId: DEMO_WABA_ID,
          accessToken: `access-token-of-client-${index}`,
          appSecret: `app-secret-of-client-${index}`,
          windowMode: 'text',
        });
        made.push({ line: row.phone_number_id, token });
      }
      await deps.registry.refresh();
      return made;
    });
    lines = [...added, { line: scene.line.tid, token: scene.line.token }];
  });

  describe('by a credential with expressions', withExpressions);
  describe('by one token', withOneToken);
});

function withExpressions() {
  let credential: { id: string; name: string };

  beforeAll(async () => {
    credential = await scene.editor.createCredential('Line of the row', CREDENTIAL_TYPE, {
      baseUrl: scene.gateway.url,
      line: '={{ $json.line }}',
      token: '={{ $json.token }}',
    });
  });

  /** The example as it was before the node had a field for the line. */
  function example() {
    const { nodes, ...rest } = exampleWorkflow('a-line-for-each-row', credential);
    const withoutLine = nodes.map(({ parameters: { line: _, ...parameters }, ...node }) => ({
      ...node,
      parameters,
    }));
    return { ...rest, nodes: withoutLine };
  }

  it('has no value for the list of templates, which says so', async () => {
    const node = example().nodes.find(({ credentials }) => credentials);
    if (!node) throw new Error('The example has no node with a credential.');
    const list = scene.editor.locatorResults({
      path: 'parameters.template',
      methodName: 'searchTemplates',
      node,
    });
    await expect(list).rejects.toThrow('An expression in the credential of this node has no value here');
  });

  it('sends each of 200 rows by its own line of 20, once, though one line is refused and n8n tries again', async () => {
    const refused = 'gwl_of-nobody';
    const rows = Array.from({ length: 200 }, (_, index) => ({
      // The first line's token is wrong: n8n tries the node again if the first item has failed.
      ...lines[index % lines.length],
      ...(index % lines.length === 0 && { token: refused }),
      phone: `1202555${String(9000 + index)}`,
      name: 'Ana',
      order: `A-${index}`,
    }));
    const { nodes, ...rest } = example();
    const workflow = await scene.editor.createWorkflow({
      ...rest,
      nodes: nodes.map((node) =>
        node.name === 'Send by its line' ? { ...node, retryOnFail: true, maxTries: 2 } : node,
      ),
      pinData: { 'The customers': rows.map((json) => ({ json })) },
    });
    const execution = await scene.editor.run(workflow, 'When clicking Execute');

    expect(execution.data.resultData.error).toBeUndefined();
    const own = rows.filter(({ token }) => token !== refused);
    const reached = itemsOf(execution, 'Reached');
    expect(reached.map(({ phone, line }) => [phone, line])).toEqual(
      own.map(({ phone, line }) => [phone, line]),
    );
    expect(itemsOf(execution, 'Not reached')).toEqual(
      rows
        .filter(({ token }) => token === refused)
        .map(({ phone, line }) => ({ phone, line, reason: expect.stringMatching(/token/i) })),
    );
    const { sandboxUrl } = scene.gateway;
    for (const [index, { phone, line, token }] of rows.entries()) {
      const next = lines[(index + 1) % lines.length].line;
      expect([phone, await conversationOf(sandboxUrl, phone, line)]).toEqual([
        phone,
        token === refused ? [] : [expect.anything()],
      ]);
      expect([phone, await conversationOf(sandboxUrl, phone, next)]).toEqual([phone, []]);
    }
  });
}

function withOneToken() {
  const byExpression = { __rl: true, mode: 'id', value: '={{ $json.line }}' };
  const replyingLine = { __rl: true, mode: 'id', value: '={{ $json.phoneNumberId }}' };
  const contactOf = (index: number) => `1202555${String(9500 + index)}`;
  let credential: { id: string; name: string };
  let live: Workflow[] = [];

  beforeAll(async () => {
    const reach = lines.flatMap(({ line }) => ['--line', line]);
    const permissions = ['--permissions', 'send,read,destinations'];
    const made = await scene.command(
      'admin-token',
      'create',
      '--name',
      'n8n',
      ...permissions,
      ...reach,
      '--json',
    );
    const { token } = JSON.parse(made) as { token: string };
    const data = { baseUrl: scene.gateway.url, line: '', token };
    credential = await scene.editor.createCredential('All lines', CREDENTIAL_TYPE, data);
    expect(await scene.editor.testCredential(credential, CREDENTIAL_TYPE, data)).toMatchObject({
      status: 'OK',
    });
  });
  afterEach(async () => {
    for (const workflow of live) await scene.editor.deactivate(workflow);
    live = [];
  });

  const ofAll = <Node extends WorkflowNode>(node: Node): Node => ({
    ...node,
    credentials: { [CREDENTIAL_TYPE]: credential },
  });

  async function published(draft: WorkflowDraft): Promise<Workflow> {
    const workflow = await scene.editor.createWorkflow(draft);
    await scene.editor.activate(workflow);
    live.push(workflow);
    return workflow;
  }

  /** How many destinations of n8n each line has. */
  const destinations = async () =>
    await Promise.all(
      lines.map(async ({ line, token }) => {
        const headers = { authorization: `Bearer ${token}` };
        const answer = await fetch(`${scene.gateway.url}/v22.0/${line}/destinations`, { headers });
        const { data } = (await answer.json()) as { data: Array<{ url: string }> };
        return data.filter(({ url }) => url.startsWith(scene.door.url)).length;
      }),
    );

  const written = async (index: number) => {
    const messages = await conversationOf(scene.gateway.sandboxUrl, contactOf(index), lines[index].line);
    return messages.map(({ direction, text }) => [direction, (text as { body: string }).body]);
  };

  it('offers the lines in the panel, and the templates of the chosen line', async () => {
    const node = ofAll(
      scene.action('Send', { resource: 'message', operation: 'send', messageType: 'template' }),
    );
    const list = async (field: string, methodName: string, parameters: object, filter?: string) => {
      const of = { ...node, parameters: { ...node.parameters, ...parameters } };
      return (
        await scene.editor.locatorResults({ path: `parameters.${field}`, methodName, node: of, filter })
      ).results;
    };
    expect(await list('line', 'searchLines', {})).toHaveLength(20);
    const found = await list('line', 'searchLines', {}, 'client 17');
    expect(found).toEqual([{ name: expect.stringContaining('Client 17'), value: lines[7].line }]);
    const line = { __rl: true, mode: 'list', value: lines[7].line };
    expect(await list('template', 'searchTemplates', { line })).not.toEqual([]);
  });

  it('sends each item by its line, starts one run for each answer, and replies by its line', async () => {
    const all = await published({
      name: 'Every line',
      nodes: [
        ofAll(scene.trigger(TRIGGER, { events: ['messages'] })),
        ofAll(
          scene.action('Reply', {
            resource: 'message',
            operation: 'send',
            line: replyingLine,
            to: '={{ $json.from }}',
            text: '={{ $json.lineName }} has it.',
          }),
        ),
      ],
      connections: { [TRIGGER]: { main: [[{ node: 'Reply', type: 'main', index: 0 }]] } },
    });
    const ofOne = await published({
      name: 'One line by its own token',
      nodes: [scene.trigger(TRIGGER, { events: ['messages'] })],
      connections: {},
    });
    expect(await destinations()).toEqual([...Array<number>(19).fill(1), 2]);

    const items = lines.map(({ line }, index) => ({ line, to: contactOf(index) }));
    for (const [index, { line, to }] of items.entries()) await does({ text: `Hello ${index}`, line }, to);
    const came = await waitUntil(
      'a run for each of 20 contacts',
      async () => {
        const runs = await scene.editor.executionsOf(all);
        return runs.filter((run) => itemsOf(run, 'Reply').length > 0).length === 20 ? runs : undefined;
      },
      { withinMs: 120_000 },
    );
    const runs = came.map((run) =>
      itemsOf(run, TRIGGER).map(({ from, text, phoneNumberId }) => [from, text, phoneNumberId]),
    );
    expect(runs.toSorted()).toEqual(
      items.map(({ line, to }, index) => [[to, `Hello ${index}`, line]]).toSorted(),
    );

    const execution = await scene.run('To everybody', [
      builtIn(
        'Items',
        'n8n-nodes-base.code',
        { jsCode: `return ${JSON.stringify(items.map((json) => ({ json })))}` },
        2,
      ),
      ofAll(
        scene.action('Send', {
          resource: 'message',
          operation: 'send',
          line: byExpression,
          to: '={{ $json.to }}',
          text: '={{ "From " + $json.line }}',
        }),
      ),
    ]);
    expect(itemsOf(execution, 'Send').map(({ phoneNumberId, to }) => ({ line: phoneNumberId, to }))).toEqual(
      items,
    );
    for (const [index, { line }] of items.entries()) {
      const [hello, replied, sent, ...more] = await written(index);
      expect([hello, sent, more]).toEqual([
        ['from_contact', `Hello ${index}`],
        ['to_contact', `From ${line}`],
        [],
      ]);
      expect(replied).toEqual([
        'to_contact',
        expect.stringMatching(index === 19 ? / has it\.$/ : `Client ${index + 10} has it.`),
      ]);
    }
    expect(await received(ofOne)).toMatchObject([{ text: 'Hello 19', phoneNumberId: lines[19].line }]);

    await scene.editor.deactivate(all);
    live = [ofOne];
    expect(await destinations()).toEqual([...Array<number>(19).fill(0), 1]);
  });

  it('asks again by the line of the item', async () => {
    const [{ line }] = lines;
    await does({ text: 'Hi', line }, contactOf(30));
    const workflow = await scene.workflow('Ask', [
      builtIn('Items', 'n8n-nodes-base.code', { jsCode: `return [{ json: { line: '${line}' } }]` }, 2),
      ofAll(
        scene.action('Ask', {
          resource: 'message',
          operation: 'sendAndWait',
          line: byExpression,
          to: contactOf(30),
          message: 'How many?',
          responseType: 'freeText',
          answerType: 'number',
          askAgain: 1,
        }),
      ),
    ]);
    const id = await scene.editor.startRun(workflow, START);
    await scene.editor.whenWaiting(id);
    await does({ text: 'some', line }, contactOf(30));
    const conversation = () => conversationOf(scene.gateway.sandboxUrl, contactOf(30), line);
    await waitUntil('the question again', async () =>
      (await conversation()).length === 4 ? true : undefined,
    );
    await does({ text: '7', line }, contactOf(30));
    const execution = await scene.editor.whenEnded(id);
    expect(itemsOf(execution, 'Ask')).toMatchObject([{ answered: true, value: 7, phoneNumberId: line }]);
  });

  it('says which line is outside of the token', async () => {
    const execution = await scene.run('Outside', [
      ofAll(
        scene.action('Send', {
          resource: 'message',
          operation: 'send',
          line: { __rl: true, mode: 'id', value: '4711' },
          to: contactOf(0),
          text: 'Hello',
        }),
      ),
    ]);
    expect(execution.data.resultData.error?.message).toBe(
      'The gateway does not accept this token for the line 4711',
    );
  });
}
