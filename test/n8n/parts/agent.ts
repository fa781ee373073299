import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEMO_CONTACT } from '../../../gateway/sandbox/account';
import { contactDoes, conversationOf } from '../sandbox-phone';
import { builtIn, START } from '../scene';
import { scene } from '../shared-scene';

describe('An AI agent', () => {
  interface ModelRequest {
    messages: Array<{ role: string; content?: unknown }>;
    tools?: Array<{ function: { name: string; description: string; parameters: { properties: object } } }>;
  }

  let model: Server;
  const asked: ModelRequest[] = [];

  /** A model that calls the first tool it is given with these arguments, and then says that it is done. */
  const ARGUMENTS = { to: DEMO_CONTACT, text: 'Your order is ready.' };

  beforeAll(async () => {
    model = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest;
      asked.push(body);
      const isAnswered = body.messages.some(({ role }) => role === 'tool');
      const tool = body.tools?.[0]?.function.name;
      const message =
        isAnswered || !tool
          ? { role: 'assistant', content: 'Done.' }
          : {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  id: 'call_1',
                  type: 'function',
                  function: { name: tool, arguments: JSON.stringify(ARGUMENTS) },
                },
              ],
            };
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
    await contactDoes(scene.gateway.sandboxUrl, DEMO_CONTACT, { text: 'Hello', name: 'Ana' });
  });
  afterAll(() => void model?.close());

  it('an agent sends a message with the node as its tool', async () => {
    const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
    const openAi = await scene.editor.createCredential('Stub model', 'openAiApi', { apiKey: 'none', url });
    const start = builtIn(START, 'n8n-nodes-base.manualTrigger', {});
    const agent = builtIn(
      'Agent',
      '@n8n/n8n-nodes-langchain.agent',
      { promptType: 'define', text: 'Tell Ana that her order is ready.', options: {} },
      2.2,
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
      ...scene.action('Send message', {
        resource: 'message',
        operation: 'send',
        to: "={{ $fromAI('to', 'The number with country code') }}",
        messageType: 'text',
        text: "={{ $fromAI('text', 'What to tell') }}",
      }),
      type: 'n8n-nodes-messaging-gateway.messagingGatewayTool',
    };
    const workflow = await scene.editor.createWorkflow({
      name: 'Agent',
      nodes: [start, agent, chat, tool],
      connections: {
        [START]: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
        Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
        'Send message': { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
      },
    });

    const execution = await scene.editor.run(workflow, START);

    expect(execution.data.resultData.error).toBeUndefined();
    expect(Object.keys(asked[0].tools?.[0].function.parameters.properties ?? {}).sort()).toEqual([
      'text',
      'to',
    ]);
    const phone = await conversationOf(scene.gateway.sandboxUrl, DEMO_CONTACT);
    expect(phone.at(-1)).toMatchObject({ type: 'text', text: { body: 'Your order is ready.' } });
    const told = JSON.stringify(asked.at(-1)?.messages.filter(({ role }) => role === 'tool'));
    expect(told).toContain('wamid.');
  });

  it('n8n offers the node as a tool, and as a human who is asked', async () => {
    const names = (await scene.editor.nodeTypes()).map(({ name }) => name);
    expect(names).toContain('n8n-nodes-messaging-gateway.messagingGatewayTool');
    if (!process.env.N8N_VERSION?.startsWith('2.8')) {
      expect(names).toContain('n8n-nodes-messaging-gateway.messagingGatewayHitlTool');
    }
  });
});
