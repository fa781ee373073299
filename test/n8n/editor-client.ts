import { parseFlatted } from './flatted';
import { waitUntil } from './wait-until';

/** The person who owns the n8n. The password needs 8 characters, a capital letter and a digit. */
export interface Owner {
  email: string;
  password: string;
}

/** A node as it stands in a workflow's JSON. */
export interface WorkflowNode {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: Record<string, unknown>;
  credentials?: Record<string, { id: string; name: string }>;
  webhookId?: string;
}

/** A workflow as the editor exports it. */
export interface WorkflowDraft {
  name: string;
  nodes: WorkflowNode[];
  connections: Record<string, unknown>;
  settings?: Record<string, unknown>;
  /** Items that stand in for what a node would give out, by its name. */
  pinData?: Record<string, { json: object }[]>;
}

export interface Workflow extends WorkflowDraft {
  id: string;
  versionId: string;
  active: boolean;
}

/** One item that a node gave out. */
export interface Item {
  json: Record<string, unknown>;
  binary?: Record<string, { mimeType?: string; fileName?: string }>;
  pairedItem?: unknown;
  error?: unknown;
}

/** What one run of a workflow did. */
export interface Execution {
  id: string;
  workflowId: string;
  mode: string;
  status: string;
  data: {
    resultData: {
      error?: { message: string; description?: string };
      runData: Record<string, NodeRun[]>;
    };
  };
}

interface NodeRun {
  /** Milliseconds. */
  executionTime: number;
  error?: { message: string; description?: string };
  /** What the editor shows above the output. */
  hints?: { message: string }[];
  data?: { main: (Item[] | null)[] };
}

/** Where in a node's panel a choice is offered, and what is filled in by then. */
export interface PanelQuestion {
  /** The parameter that asks, e.g. `parameters.template`. */
  path: string;
  methodName: string;
  node: Pick<WorkflowNode, 'type' | 'typeVersion' | 'parameters' | 'credentials'>;
  /** What the person typed into the search box. */
  filter?: string;
  paginationToken?: string;
}

/** n8n said no. The message holds the request, the HTTP status and n8n's own words. */
export class EditorRefusal extends Error {
  constructor(
    request: string,
    readonly status: number,
    answer: string,
  ) {
    super(`${request} → ${status}: ${answer.slice(0, 500)}`);
    this.name = 'EditorRefusal';
  }
}

/** Signs in at that n8n, making the owner's account first where there is none yet. */
export async function openEditor(url: string, owner: Owner): Promise<EditorClient> {
  const editor = new EditorClient(url);
  await editor.signIn(owner);
  return editor;
}

/** The calls that n8n's own editor makes, at the addresses it uses. Each throws an EditorRefusal when n8n refuses. */
export class EditorClient {
  #cookie = '';

  /** Executions that have ended: they do not change any more, so each is read once. */
  readonly #ended = new Map<string, Execution>();

  constructor(readonly url: string) {}

  async signIn({ email, password }: Owner): Promise<void> {
    const { userManagement } = await this.#call<{ userManagement: { showSetupOnFirstLoad: boolean } }>(
      'GET',
      '/rest/settings',
    );
    if (userManagement.showSetupOnFirstLoad) {
      await this.#call('POST', '/rest/owner/setup', {
        email,
        password,
        firstName: 'Demo',
        lastName: 'Owner',
      });
    } else {
      await this.#call('POST', '/rest/login', { emailOrLdapLoginId: email, password });
    }
  }

  /** Every node type that n8n has loaded, with its whole description. */
  async nodeTypes(): Promise<{ name: string; displayName: string }[]> {
    return this.#call('GET', '/types/nodes.json');
  }

  async credentials(): Promise<{ id: string; name: string; type: string }[]> {
    return this.#call('GET', '/rest/credentials');
  }

  async createCredential(name: string, type: string, data: object): Promise<{ id: string; name: string }> {
    return this.#call('POST', '/rest/credentials', { name, type, data });
  }

  async updateCredential(id: string, name: string, type: string, data: object): Promise<void> {
    await this.#call('PATCH', `/rest/credentials/${id}`, { name, type, data });
  }

  /** What the Test button of the credential's dialog says: `status` is OK or Error. */
  async testCredential(
    credential: { id: string; name: string },
    type: string,
    data: object,
  ): Promise<{ status: string; message: string }> {
    return this.#call('POST', '/rest/credentials/test', { credentials: { ...credential, type, data } });
  }

  async workflows(): Promise<{ id: string; name: string; active: boolean }[]> {
    return this.#call('GET', '/rest/workflows');
  }

  /** With the settings that the editor gives a new workflow. */
  async createWorkflow(draft: WorkflowDraft): Promise<Workflow> {
    return this.#call('POST', '/rest/workflows', { settings: { executionOrder: 'v1' }, ...draft });
  }

  async workflow(id: string): Promise<Workflow> {
    return this.#call('GET', `/rest/workflows/${id}`);
  }

  /**
   * Publishes the workflow and returns when its triggers are registered, which newer releases do after they have
   * answered. Throws with the trigger's error when one could not be registered.
   */
  async activate(workflow: Pick<Workflow, 'id' | 'versionId'>): Promise<void> {
    await this.#call('POST', `/rest/workflows/${workflow.id}/activate`, { versionId: workflow.versionId });
    await waitUntil(`workflow ${workflow.id} to be published`, () => this.#isPublished(workflow.id));
  }

  /** Unpublishes the workflow and returns when its triggers have taken leave. */
  async deactivate(workflow: Pick<Workflow, 'id'>): Promise<void> {
    await this.#call('POST', `/rest/workflows/${workflow.id}/deactivate`, {});
    await waitUntil(`workflow ${workflow.id} to be taken back`, async () => {
      const status = await this.#publicationStatus(workflow.id);
      return !status || status.status === 'not_published' ? true : undefined;
    });
  }

  /** Runs the workflow by hand from the trigger of that name; returns when the run has ended, well or badly. */
  async run(workflow: Workflow, trigger: string): Promise<Execution> {
    return await this.whenEnded(await this.startRun(workflow, trigger));
  }

  /** The same without waiting for the end; returns the execution's id. */
  async startRun(workflow: Workflow, trigger: string): Promise<string> {
    const { executionId } = await this.#call<{ executionId: string }>(
      'POST',
      `/rest/workflows/${workflow.id}/run`,
      { workflowData: workflow, triggerToStartFrom: { name: trigger } },
    );
    return executionId;
  }

  /** *Stop* in the list of executions. */
  async stop(executionId: string): Promise<void> {
    await this.#call('POST', `/rest/executions/${executionId}/stop`);
  }

  /** *Retry* in the list of executions, with the workflow as it was; returns when the new run has ended. */
  async retry(failed: Pick<Execution, 'id'>): Promise<Execution> {
    const path = `/rest/executions/${failed.id}/retry`;
    const { id } = await this.#call<{ id: string }>('POST', path, { loadWorkflow: false });
    return await this.whenEnded(id);
  }

  async whenEnded(executionId: string, withinMs = 90_000, everyMs?: number): Promise<Execution> {
    return waitUntil(
      `execution ${executionId} to end`,
      async () => {
        const execution = await this.execution(executionId);
        return ['new', 'running', 'waiting'].includes(execution.status) ? undefined : execution;
      },
      { withinMs, everyMs },
    );
  }

  /** Returns when the run waits. Throws its error when it ends before. */
  async whenWaiting(executionId: string): Promise<void> {
    await waitUntil(`execution ${executionId} to wait`, async () => {
      const status = await this.status(executionId);
      if (['new', 'running'].includes(status)) return undefined;
      if (status === 'waiting') return true;
      const { resultData } = (await this.execution(executionId)).data;
      throw new Error(`The run ended (${status}) and did not wait: ${JSON.stringify(resultData.error)}`);
    });
  }

  /** Listens for one test event, as the editor's Execute does with a workflow that begins with a webhook's trigger. */
  async listenForTest(workflow: Workflow, trigger: string): Promise<void> {
    const body = { workflowData: workflow, triggerToStartFrom: { name: trigger } };
    const { waitingForWebhook } = await this.#call<{ waitingForWebhook?: boolean }>(
      'POST',
      `/rest/workflows/${workflow.id}/run`,
      body,
    );
    if (!waitingForWebhook) throw new Error(`n8n did not listen for a test event of ${trigger}.`);
  }

  /** How far an execution is: new, running, waiting, success, error, … */
  async status(id: string): Promise<string> {
    return (await this.#call<{ status: string }>('GET', `/rest/executions/${id}`)).status;
  }

  async execution(id: string): Promise<Execution> {
    const stored = await this.#call<Omit<Execution, 'data'> & { data: string }>(
      'GET',
      `/rest/executions/${id}`,
    );
    return { ...stored, data: parseFlatted(stored.data) as Execution['data'] };
  }

  /** The ended runs of that workflow, oldest first. */
  async executionsOf(workflow: Pick<Workflow, 'id'>): Promise<Execution[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.id }));
    const { results } = await this.#call<{ results: { id: string; status: string }[] }>(
      'GET',
      `/rest/executions?limit=100&filter=${filter}`,
    );
    const ended = results.filter(({ status }) => !['new', 'running', 'waiting'].includes(status));
    return Promise.all(ended.reverse().map(({ id }) => this.#endedExecution(id)));
  }

  async #endedExecution(id: string): Promise<Execution> {
    const execution = this.#ended.get(id) ?? (await this.execution(id));
    this.#ended.set(id, execution);
    return execution;
  }

  /** The choices of a drop-down. */
  async options(question: PanelQuestion): Promise<{ name: string; value: unknown; description?: string }[]> {
    return this.#ask('options', question);
  }

  /** The list of a resource locator ("From List"). */
  async locatorResults(
    question: PanelQuestion,
  ): Promise<{ results: { name: string; value: unknown; url?: string }[]; paginationToken?: unknown }> {
    return this.#ask('resource-locator-results', question);
  }

  /** The form of a resource mapper: one field per column or variable. */
  async mapperFields(question: PanelQuestion): Promise<{ fields: { id: string; displayName: string }[] }> {
    return this.#ask('resource-mapper-fields', question);
  }

  #ask<T>(kind: string, { path, methodName, node, filter, paginationToken }: PanelQuestion): Promise<T> {
    return this.#call('POST', `/rest/dynamic-node-parameters/${kind}`, {
      path,
      methodName,
      filter,
      paginationToken,
      nodeTypeAndVersion: { name: node.type, version: node.typeVersion },
      currentNodeParameters: node.parameters,
      credentials: node.credentials,
    });
  }

  async #isPublished(id: string): Promise<true | undefined> {
    const status = await this.#publicationStatus(id);
    if (!status) return (await this.workflow(id)).active ? true : undefined; // older releases answer when it is done
    if (status.status === 'published') return true;
    if (status.status === 'in_progress' || status.status === 'not_published') return undefined;
    const reasons = status.triggers.flatMap(({ errorMessage }) => errorMessage ?? []).join('; ');
    throw new Error(`Workflow ${id} could not be published: ${reasons}`);
  }

  async #publicationStatus(id: string): Promise<PublicationStatus | undefined> {
    try {
      return await this.#call('GET', `/rest/workflows/${id}/publication-status`);
    } catch (error) {
      if (error instanceof EditorRefusal && error.status === 404) return undefined;
      throw error;
    }
  }

  /** One request. Most answers are wrapped in `data`; the type list is not. */
  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(this.url + path, {
      method,
      // n8n closes a connection that was idle for five seconds, perhaps just as the next request goes out on it.
      headers: {
        connection: 'close',
        cookie: this.#cookie,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new EditorRefusal(`${method} ${path}`, answer.status, text);
    const session = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
    if (session) this.#cookie = session.split(';')[0];
    const parsed = JSON.parse(text) as T | { data: T };
    return parsed !== null && typeof parsed === 'object' && 'data' in parsed
      ? (parsed.data as T)
      : (parsed as T);
  }
}

interface PublicationStatus {
  status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
  triggers: { errorMessage: string | null }[];
}

/** The items that a node of that execution gave out on one of its outputs, over all its runs. */
export function itemsOf(execution: Execution, nodeName: string, output = 0): Record<string, unknown>[] {
  const runs = execution.data.resultData.runData[nodeName] ?? [];
  return runs.flatMap((run) => run.data?.main[output] ?? []).map((item) => item.json);
}
