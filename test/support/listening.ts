import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HookContext, WebhookContext } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  INodeParameters,
  INodeExecutionData,
  IHookFunctions,
  IWebhookData,
  IWebhookFunctions,
  IWebhookResponseData,
  IWorkflowExecuteAdditionalData,
  Workflow,
} from 'n8n-workflow';

import { MessagingGatewayTrigger } from '../../nodes/MessagingGateway/MessagingGatewayTrigger.node';
import { additionalData, node, TRIGGER, workflow } from './n8n';

const trigger = new MessagingGatewayTrigger();

/** A workflow with the trigger, and n8n's operations on it: activate, test, deactivate, call. */
export interface Listening {
  workflow: Workflow;
  credentials: ICredentialDataDecryptedObject;
  /** The registrations in the workflow's static data. */
  registrations(): Array<{ id: string; url: string; secret: string; test: boolean }>;
  productionUrl: string;
  testUrl: string;
  /** Activates like n8n, also at its own start: checks the registration and creates it if missing. */
  activate(): Promise<'existed' | 'created'>;
  listenForTest(): Promise<'existed' | 'created'>;
  deactivate(): Promise<void>;
  /** n8n ends a test in mode "internal"; only the webhook shows that it was a test. */
  endTest(): Promise<void>;
}

/** @param n8nUrl URL where the gateway reaches this n8n; an inbox's URL to receive events */
export function listening(
  { credentials }: { credentials: ICredentialDataDecryptedObject },
  parameters: INodeParameters = {},
  staticData: IDataObject = {},
  n8nUrl?: string,
  typeVersion = 1.1,
): Listening {
  const triggerNode = node(TRIGGER, parameters, { webhookId: 'a-webhook-id', typeVersion });
  const graph = workflow([triggerNode], { staticData });
  const context = (mode: 'trigger' | 'manual' | 'internal', isTest: boolean) =>
    new HookContext(graph, triggerNode, additionalData(credentials, n8nUrl), mode, 'activate', {
      isTest,
      webhookDescription: trigger.description.webhooks![1],
    } as IWebhookData) as unknown as IHookFunctions;
  const methods = trigger.webhookMethods.default;
  const create = async (functions: IHookFunctions) => {
    if (await methods.checkExists.call(functions)) return 'existed';
    await methods.create.call(functions);
    return 'created';
  };

  return {
    workflow: graph,
    credentials,
    registrations: () => (graph.getStaticData('node', triggerNode).registrations ?? []) as never[],
    productionUrl: context('trigger', false).getNodeWebhookUrl('default')!,
    testUrl: context('manual', true).getNodeWebhookUrl('default')!,
    activate: () => create(context('trigger', false)),
    listenForTest: () => create(context('manual', true)),
    deactivate: async () => void (await methods.delete.call(context('internal', false))),
    endTest: async () => void (await methods.delete.call(context('internal', true))),
  };
}

export interface Inbox {
  /** The URL of n8n itself. Every path under it reaches the trigger. */
  n8nUrl: string;
  url: string;
  /** Started runs: for each POST, the items of the outputs Message and Status. */
  runs: INodeExecutionData[][][];
  /**
   * Requests to waiting runs: path with query, and body. n8n's answers come from `resumeAnswers`; default
   * 200.
   */
  resumed: Array<{ path: string; method: string; body: unknown }>;
  resumeAnswers: Array<{ status: number; body: string }>;
  close(): Promise<void>;
}

/** Inboxes of this test file. An open one would keep the test process alive. */
const inboxes: Inbox[] = [];
afterAll(async () => void (await Promise.all(inboxes.map((inbox) => inbox.close()))));

/**
 * A real HTTP server instead of n8n: passes GET and POST to the trigger, with n8n's own context.
 * @param prefix of all paths, as behind a proxy
 * @param listenerNow called for each request, so that the workflow can be created with the inbox's URL
 */
export async function openInbox(
  listenerNow: () => Listening,
  mode: 'webhook' | 'manual' = 'webhook',
  prefix = '',
): Promise<Inbox> {
  const runs: INodeExecutionData[][][] = [];
  const resumed: Inbox['resumed'] = [];
  const resumeAnswers: Inbox['resumeAnswers'] = [];

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const rawBody = Buffer.concat(chunks);
    const url = new URL(request.url ?? '/', 'http://n8n.test');
    if (!/\/webhook(-test)?(\/|$)/.test(url.pathname)) {
      const body: unknown = rawBody.length > 0 ? JSON.parse(rawBody.toString('utf8')) : null;
      resumed.push({ path: request.url ?? '', method: request.method ?? '', body });
      const answer = resumeAnswers.shift() ?? { status: 200, body: '<html>' };
      response.writeHead(answer.status, { 'content-type': 'text/html' }).end(answer.body);
      return;
    }
    const listener = listenerNow();
    const isJson = request.headers['content-type']?.includes('application/json');
    const data: IWorkflowExecuteAdditionalData = {
      ...additionalData(listener.credentials, n8nUrl),
      httpRequest: {
        headers: request.headers,
        query: Object.fromEntries(url.searchParams),
        rawBody,
        body: isJson ? JSON.parse(rawBody.toString('utf8')) : {},
      },
      httpResponse: response,
    } as never;
    const webhookDescription = trigger.description.webhooks!.find(
      ({ httpMethod }) => httpMethod === request.method,
    );
    const context = new WebhookContext(
      listener.workflow,
      listener.workflow.getNode(TRIGGER)!,
      data,
      mode,
      { webhookDescription } as IWebhookData,
      [],
      null,
    ) as unknown as IWebhookFunctions;

    let result: IWebhookResponseData;
    try {
      result = await trigger.webhook.call(context);
    } catch (error) {
      response
        .writeHead(500, { 'content-type': 'application/json' })
        .end(JSON.stringify({ message: String(error) }));
      return;
    }
    if (result.workflowData) runs.push(result.workflowData);
    if (result.noWebhookResponse) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(result.webhookResponse));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));

  const n8nUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  const inbox: Inbox = {
    n8nUrl,
    url: `${n8nUrl}/webhook`,
    runs,
    resumed,
    resumeAnswers,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  inboxes.push(inbox);
  return inbox;
}
