import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEMO_CONTACT } from '../../../gateway/sandbox/platform/account';
import { does, phone } from '../demo-contact';
import type { Workflow, WorkflowNode } from '../editor-client';
import { exampleWorkflow } from '../example-workflows';
import { builtIn, START } from '../scene';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';

describe('An AI agent', () => {
  interface Properties {
    [name: string]: { properties?: Properties };
  }
  interface ModelRequest {
    messages: Array<{ role: string; content?: unknown }>;
    tools?: Array<{
      function: { name: string; description: string; parameters: { properties: Properties } };
    }>;
  }

  const TOOL = 'Send message';
  /** What the model fills in, by the name of the parameter. */
  const SENT = {
    to: DEMO_CONTACT,
    text: 'Your order is ready.',
    words: 'We are sorry.',
    latitude: -23.5,
    longitude: -46.6,
  };
  let filling = SENT;
  const filledIn = (properties: Properties): object =>
    Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        property.properties ? filledIn(property.properties) : filling[name as keyof typeof SENT],
      ]),
    );
  const COLLEAGUE = '12025550163';

  let model: Server;
  /** What the model was asked since the test began. */
  let asked: ModelRequest[] = [];
  let openAi: { id: string; name: string };

  /** A model that calls the first tool it is given, and then says that it is done. */
  beforeAll(async () => {
    model = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest;
      asked.push(body);
      const tool = body.messages.some(({ role }) => role === 'tool') ? undefined : body.tools?.[0]?.function;
      const call = tool && {
        name: tool.name,
        arguments: JSON.stringify(filledIn(tool.parameters.properties)),
      };
      const message = call
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: call }],
          }
        : { role: 'assistant', content: 'Done.' };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'stub',
          object: 'chat.completion',
          created: 0,
          model: 'stub',
          choices: [{ index: 0, message, finish_reason: message.content ? 'stop' : 'tool_calls' }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      );
    });
    await new Promise<void>((listening) => model.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
    openAi = await scene.editor.createCredential('Stub model', 'openAiApi', { apiKey: 'none', url });
    await does({ text: 'Hello' });
    await does({ text: 'Hello', name: 'Ben' }, COLLEAGUE);
  });
  beforeEach(() => {
    asked = [];
    filling = SENT;
  });
  afterAll(() => void model?.close());

  const toldByTools = () =>
    JSON.stringify(
      asked
        .at(-1)
        ?.messages.filter(({ role }) => role === 'tool')
        .map(({ content }) => content),
    );

  const TEXT = {
    resource: 'message',
    operation: 'send',
    messageType: 'text',
    text: "={{ $fromAI('text', 'What to tell') }}",
  };

  /** An agent that is to tell Ana something, with our node as its tool, and perhaps another node that is asked first. */
  async function agentWith(reviewer?: WorkflowNode, sent: object = TEXT): Promise<Workflow> {
    const agent = builtIn(
      'Agent',
      '@n8n/n8n-nodes-langchain.agent',
      { promptType: 'define', text: 'Tell Ana that her order is ready.', options: {} },
      3,
    );
    const chat = {
      ...builtIn(
        'Model',
        '@n8n/n8n-nodes-langchain.lmChatOpenAi',
        { model: { __rl: true, mode: 'id', value: 'stub' }, options: {} },
        1.2,
      ),
      credentials: { openAiApi: openAi },
    };
    const tool = {
      ...scene.action(TOOL, {
        to: "={{ $fromAI('to', 'The number with country code') }}",
        ...sent,
      }),
      type: 'n8n-nodes-messaging-gateway.messagingGatewayTool',
    };
    const toolFor = (node: string) => ({ ai_tool: [[{ node, type: 'ai_tool', index: 0 }]] });
    return scene.editor.createWorkflow({
      name: 'Agent',
      nodes: [
        builtIn(START, 'n8n-nodes-base.manualTrigger', {}),
        agent,
        chat,
        tool,
        ...(reviewer ? [reviewer] : []),
      ],
      connections: {
        [START]: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
        Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
        [TOOL]: toolFor(reviewer?.name ?? 'Agent'),
        ...(reviewer && { [reviewer.name]: toolFor('Agent') }),
      },
    });
  }

  it('sends a message with the node as its tool', async () => {
    const execution = await scene.editor.run(await agentWith(), START);

    expect(execution.data.resultData.error).toBeUndefined();
    expect(Object.keys(asked[0].tools?.[0].function.parameters.properties ?? {}).sort()).toEqual([
      'text',
      'to',
    ]);
    expect(asked[0].tools?.[0].function.description).toMatch(/WhatsApp.*country code.*24 hours.*template/);
    expect((await phone()).at(-1)).toMatchObject({ type: 'text', text: { body: SENT.text } });
    expect(toldByTools()).toContain('wamid.');
  });

  it('sends a place with an operation of its own, whose Message Type is hidden', async () => {
    const place = {
      resource: 'message',
      operation: 'sendLocation',
      latitude: "={{ $fromAI('latitude', 'Degrees north', 'number') }}",
      longitude: "={{ $fromAI('longitude', 'Degrees east', 'number') }}",
    };
    const execution = await scene.editor.run(await agentWith(undefined, place), START);

    expect(execution.data.resultData.error).toBeUndefined();
    expect(Object.keys(asked[0].tools?.[0].function.parameters.properties ?? {}).sort()).toEqual([
      'latitude',
      'longitude',
      'to',
    ]);
    expect((await phone()).at(-1)).toMatchObject({
      type: 'location',
      location: { latitude: SENT.latitude, longitude: SENT.longitude },
    });
    expect(toldByTools()).toContain('wamid.');
  });

  it('sends a long text with Markdown as several messages with the formatting of the chat', async () => {
    const [first, second] = ['a', 'b'].map((letter) => `${letter.repeat(9)} `.repeat(300).trim());
    filling = { ...SENT, text: `## Your order\n\n${first}\n\nIt is **ready**. ${second}` };
    const execution = await scene.editor.run(await agentWith(), START);

    expect(execution.data.resultData.error).toBeUndefined();
    expect((await phone()).slice(-2).map(({ text }) => (text as { body: string }).body)).toEqual([
      `*Your order*\n\n${first}`,
      `It is *ready*. ${second}`,
    ]);
    expect(toldByTools()).toContain('messageIds');
  });

  describe('with the node as the human who is asked first', () => {
    /** A question in the colleague's chat; returns the run that waits for the answer. */
    async function asksTheColleague() {
      const before = (await phone()).length;
      const review = {
        ...scene.action('Ask a colleague', {
          to: COLLEAGUE,
          message: '=May I? {{ $tool.name }}: {{ $tool.parameters.text }}',
        }),
        type: 'n8n-nodes-messaging-gateway.messagingGatewayHitlTool',
      };
      const id = await scene.editor.startRun(await agentWith(review), START);
      await scene.editor.whenWaiting(id);
      const question = (await phone(COLLEAGUE)).at(-1);
      expect(question).toMatchObject({
        type: 'interactive',
        interactive: { body: { text: `May I? Send_message: ${SENT.text}` } },
      });
      expect(await phone()).toHaveLength(before);
      return { id, before, message: question?.id };
    }

    it('sends what the colleague approves of with a tap', async () => {
      const { id, before, message } = await asksTheColleague();
      await does({ button: 'Approve', message }, COLLEAGUE);

      expect((await scene.editor.whenEnded(id)).data.resultData.error).toBeUndefined();
      const received = (await phone()).slice(before);
      expect(received).toMatchObject([{ type: 'text', text: { body: SENT.text } }]);
      expect(toldByTools()).toContain('wamid.');
    });

    it('sends nothing that the colleague declines, and tells the agent so', async () => {
      const { id, before, message } = await asksTheColleague();
      await does({ button: 'Decline', message }, COLLEAGUE);

      expect((await scene.editor.whenEnded(id)).data.resultData.error).toBeUndefined();
      expect((await phone()).slice(before)).toEqual([]);
      expect(toldByTools()).toContain('rejected');
    });
  });

  it('of the example asks a colleague before it gives a voucher', async () => {
    const colleague = '12025550148'; // as the example has it
    const example = exampleWorkflow('assistant-that-asks-a-colleague', scene.credential);
    for (const node of example.nodes.filter(({ name }) => name === 'Model')) {
      node.credentials = { openAiApi: openAi };
    }
    const workflow = await scene.editor.createWorkflow(example);
    await does({ text: 'Hello', name: 'Ben' }, colleague);
    await scene.editor.activate(workflow);

    await does({ text: 'My cake was cold.' });
    const question = await waitUntil('the question', async () => {
      const newest = (await phone(colleague)).at(-1);
      return newest?.direction === 'to_contact' ? newest : undefined;
    });
    expect(question).toMatchObject({
      interactive: { body: { text: expect.stringMatching(/give Ana a voucher.*My cake was cold\./) } },
    });
    expect((await phone()).at(-1)).toMatchObject({ text: { body: 'My cake was cold.' } });

    await does({ button: 'Approve', message: question.id }, colleague);
    await waitUntil('the answer', async () => {
      const newest = (await phone()).at(-1) as { text?: { body: string } };
      return newest.text?.body === 'Done.' ? true : undefined;
    });
    expect((await phone()).at(-2)).toMatchObject({
      text: { body: 'We are sorry. Your voucher: SORRY-10' },
    });
    await scene.editor.deactivate(workflow);
  });
});
