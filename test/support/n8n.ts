import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import { SSHClientsManager } from 'n8n-core/dist/execution-engine/ssh-clients-manager';
import {
  ICredentialsHelper,
  NodeConnectionTypes,
  NodeHelpers,
  Workflow,
  type ICredentialDataDecryptedObject,
  type ICredentials,
  type IDataObject,
  type IHttpRequestOptions,
  type INode,
  type INodeExecutionData,
  type INodeParameters,
  type INodeProperties,
  type INodeType,
  type INodeTypes,
  type IRequestOptionsSimplified,
  type IRun,
  type IWorkflowExecuteAdditionalData,
  type NodeExecutionHint,
  type OnError,
} from 'n8n-workflow';

import { MessagingGatewayApi } from '../../credentials/MessagingGatewayApi.credentials';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { MessagingGatewayTrigger } from '../../nodes/MessagingGateway/MessagingGatewayTrigger.node';

/** The singleton container of the copy of n8n that n8n-core uses. */
const { Container } = createRequire(require.resolve('n8n-core'))('@n8n/di') as {
  Container: { get<T>(type: new (...dependencies: never[]) => T): T };
};

// n8n-core stores its settings here when the first context is created.
const userFolder = mkdtempSync(join(tmpdir(), 'n8n-user-'));
process.env.N8N_USER_FOLDER = userFolder;

afterAll(() => {
  // Every context starts this service, whose timer would keep the process alive.
  Container.get(SSHClientsManager).onShutdown();
  rmSync(userFolder, { recursive: true, force: true });
});

export const ACTION = 'n8n-nodes-messaging-gateway.messagingGateway';
/** n8n's name for the node when an agent uses it. */
export const TOOL = `${ACTION}Tool`;
export const TRIGGER = 'n8n-nodes-messaging-gateway.messagingGatewayTrigger';
const ITEMS = 'test.items';

/** A node that starts a workflow with given items, like Manual Trigger with Edit Fields. */
const emitting = (items: INodeExecutionData[]): INodeType => ({
  description: {
    displayName: 'Items',
    name: 'items',
    group: ['input'],
    version: 1,
    description: 'Emits given items',
    defaults: { name: 'Items' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    properties: [],
  },
  execute: async () => [items],
});

class Types implements INodeTypes {
  private readonly types: Record<string, INodeType>;

  constructor(items: INodeExecutionData[], more: Record<string, INodeType>) {
    this.types = {
      ...more,
      [ACTION]: new MessagingGateway(),
      [TOOL]: new MessagingGateway(),
      [TRIGGER]: new MessagingGatewayTrigger(),
      [ITEMS]: emitting(items),
    };
  }

  getByName(name: string) {
    return this.types[name];
  }

  getByNameAndVersion(name: string) {
    return this.types[name];
  }

  getKnownTypes() {
    return {};
  }
}

/** n8n's handling of credentials, with a single credential: applies its own `authenticate`. */
class Credentials extends ICredentialsHelper {
  constructor(private readonly data: ICredentialDataDecryptedObject) {
    super();
  }

  getParentTypes() {
    return [];
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    _type: string,
    request: IHttpRequestOptions | IRequestOptionsSimplified,
  ): Promise<IHttpRequestOptions> {
    return new MessagingGatewayApi().authenticate(credentials, request as IHttpRequestOptions);
  }

  async preAuthentication() {
    return undefined;
  }

  /** Missing fields get their defaults. Expressions are resolved for the item; for no item in a webhook. */
  async getDecrypted(
    ...[, , , mode, executeData, , values]: Parameters<ICredentialsHelper['getDecrypted']>
  ): Promise<ICredentialDataDecryptedObject> {
    const entered = NodeHelpers.getNodeParameters(
      this.getCredentialsProperties(),
      this.data as INodeParameters,
      true,
      false,
      null,
      null,
    ) as INodeParameters;
    const resolved = values
      ? values.workflow.expression.getParameterValue(
          entered,
          values.runExecutionData,
          values.runIndex,
          values.itemIndex,
          values.node.name,
          values.connectionInputData,
          mode,
          {},
          executeData,
          false,
          entered,
        )
      : workflow([node(ITEMS, {})]).expression.getComplexParameterValue(
          node(ITEMS, {}),
          entered,
          mode,
          {},
          undefined,
          undefined,
          entered,
        );
    return resolved as ICredentialDataDecryptedObject;
  }

  async getCredentials(): Promise<ICredentials> {
    throw new Error('No test stores credentials');
  }

  async updateCredentials() {}

  async updateCredentialsOauthTokenData() {}

  getCredentialsProperties(): INodeProperties[] {
    return new MessagingGatewayApi().properties;
  }
}

let executions = 0;

/**
 * Builds n8n's data for every execution, with its real request helper.
 * @param n8nUrl n8n's own URL, as set by WEBHOOK_URL
 */
export function additionalData(
  credentials: ICredentialDataDecryptedObject,
  n8nUrl = 'http://n8n.test',
): IWorkflowExecuteAdditionalData {
  const executionId = String(++executions);
  return {
    credentialsHelper: new Credentials(credentials),
    executionId,
    currentNodeExecutionIndex: 0,
    restApiUrl: `${n8nUrl}/rest`,
    instanceBaseUrl: `${n8nUrl}/`,
    formWaitingBaseUrl: `${n8nUrl}/form-waiting`,
    webhookBaseUrl: `${n8nUrl}/webhook`,
    webhookTestBaseUrl: `${n8nUrl}/webhook-test`,
    webhookWaitingBaseUrl: `${n8nUrl}/webhook-waiting`,
    variables: {},
    logAiEvent: () => {},
    hooks: new ExecutionLifecycleHooks('manual', executionId, {
      id: 'w1',
      name: 'Workflow',
      active: false,
      isArchived: false,
      createdAt: new Date(),
      updatedAt: new Date(),
      nodes: [],
      connections: {},
      activeVersionId: null,
    }),
  } as unknown as IWorkflowExecuteAdditionalData;
}

export function node(type: string, parameters: INodeParameters, settings: Partial<INode> = {}): INode {
  return {
    id: `id of ${type}`,
    name: type,
    type,
    typeVersion: 1,
    position: [0, 0],
    parameters,
    credentials: { messagingGatewayApi: { id: '1', name: 'Line' } },
    ...settings,
  };
}

/** A workflow of one node, or of two connected nodes: with `rounds`, the second runs that often. */
export function workflow(
  nodes: INode[],
  { items = [], staticData = {}, rounds = 1, types = {} }: WorkflowParts = {},
): Workflow {
  const [first, second] = nodes;
  return new Workflow({
    id: 'w1',
    name: 'Workflow',
    nodes,
    connections: second
      ? {
          [first.name]: {
            main: [
              Array.from({ length: rounds }, () => ({
                node: second.name,
                type: NodeConnectionTypes.Main,
                index: 0,
              })),
            ],
          },
        }
      : {},
    active: false,
    nodeTypes: new Types(items, types),
    settings: { executionOrder: 'v1' },
    staticData,
  });
}

interface WorkflowParts {
  items?: INodeExecutionData[];
  staticData?: IDataObject;
  rounds?: number;
  /** Node types in addition to the package's. */
  types?: Record<string, INodeType>;
}

export interface Outcome {
  run: IRun;
  /** Items of the node's regular output, and of its error output. */
  items: INodeExecutionData[];
  errorItems: INodeExecutionData[];
  error?: Error & { description?: string; httpCode?: string; context?: { itemIndex?: number } };
  hints: NodeExecutionHint[];
  /**
   * Retries a failed run like Retry in n8n's list of executions: another execution continues with the stored
   * data.
   */
  retry(): Promise<Outcome>;
}

export interface RunSettings {
  /** Replaces the action node. */
  type?: typeof TOOL;
  /** The name of the node. */
  name?: string;
  onError?: OnError;
  retryOnFail?: boolean;
  maxTries?: number;
  /** How often the node runs in the execution, as in a loop. */
  rounds?: number;
  /** Files of the items, one object per item. */
  binary?: Array<INodeExecutionData['binary']>;
}

/**
 * Runs a workflow with n8n's own engine: the given items, then the action node. n8n's real HTTP helper sends
 * the requests.
 * @param json one object per item
 */
export async function runAction(
  credentials: ICredentialDataDecryptedObject,
  parameters: INodeParameters,
  json: Array<INodeExecutionData['json']> = [{}],
  { rounds, binary = [], ...settings }: RunSettings = {},
): Promise<Outcome> {
  const action = node(ACTION, parameters, { waitBetweenTries: 0, ...settings });
  const graph = workflow([node(ITEMS, {}, { credentials: undefined }), action], {
    items: json.map((item, index) => ({ json: item, ...(binary[index] && { binary: binary[index] }) })),
    rounds,
  });
  const engine = new WorkflowExecute(additionalData(credentials), 'manual');
  const run = await engine.run({ workflow: graph, startNode: graph.getNode(ITEMS) ?? undefined });
  return outcomeOf(run, { credentials, graph, action });
}

function outcomeOf(run: IRun, of: Ran): Outcome {
  const task = run.data.resultData.runData[of.action.name]?.[0];
  const outputs = task?.data?.main ?? [];
  return {
    run,
    items: outputs[0] ?? [],
    errorItems: outputs[1] ?? [],
    error: task?.error as Outcome['error'],
    hints: task?.hints ?? [],
    retry: async () => await retried(run, of),
  };
}

interface Ran {
  credentials: ICredentialDataDecryptedObject;
  graph: Workflow;
  action: INode;
}

/** Retries like n8n's `ExecutionService.retry`, from the saved data of the run. */
async function retried(run: IRun, of: Ran): Promise<Outcome> {
  const kept = structuredClone(run.data);
  delete kept.resultData.error;
  kept.resultData.runData[of.action.name]?.pop();
  const engine = new WorkflowExecute(additionalData(of.credentials), 'retry', kept);
  return outcomeOf(await engine.processRunExecutionData(of.graph), of);
}
