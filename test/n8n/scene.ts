import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { offline, type Offline } from '../../gateway/cli/offline';
import { runCommand } from '../support/gateway-process';
import { demoLineIn, type DemoLine } from './demo-line';
import {
  type EditorClient,
  type Execution,
  openEditor,
  type Workflow,
  type WorkflowNode,
} from './editor-client';
import { CREDENTIAL_TYPE } from './example-workflows';
import { freePort } from '../support/postgres';
import { type RunningGateway, startGateway } from './gateway-process';
import { installN8n } from './install-n8n';
import { installNodes } from './install-nodes';
import { REPOSITORY } from './n8n-home';
import { type RunningN8n, startN8n } from './n8n-process';
import { openDoor, type WebhookDoor } from './webhook-door';

const PACKAGE = 'n8n-nodes-messaging-gateway';

/** Who owns the n8n of the tests. */
export const OWNER = { email: 'test@example.com', password: 'Only-for-tests-1' };

interface Destination {
  id: number;
  url: string;
  events: string[];
}

/** The trigger of a workflow that is started by hand. */
export const START = 'Start';

/** A node of n8n's own. */
export const builtIn = (
  name: string,
  type: string,
  parameters: Record<string, unknown>,
  typeVersion = 1,
): WorkflowNode => ({
  id: crypto.randomUUID(),
  name,
  type,
  typeVersion,
  position: [0, 0],
  parameters,
});

/** A real gateway with its sandbox, a real n8n with the packed nodes, and a door between them. */
export interface Scene {
  gateway: RunningGateway;
  n8n: RunningN8n;
  door: WebhookDoor;
  editor: EditorClient;
  line: DemoLine;
  credentialData: { baseUrl: string; line: string; token: string };
  credential: { id: string; name: string };
  /** Our action node with the credential. */
  action(name: string, parameters: Record<string, unknown>, settings?: object): WorkflowNode;
  /** Our trigger with the credential. */
  trigger(name: string, parameters: Record<string, unknown>, typeVersion?: number): WorkflowNode;
  /** A saved workflow that is started by hand and goes through the nodes one after the other. */
  workflow(name: string, nodes: WorkflowNode[]): Promise<Workflow>;
  /** Makes that workflow and runs it to its end. */
  run(name: string, nodes: WorkflowNode[]): Promise<Execution>;
  destinations(): Promise<Destination[]>;
  /** Runs a command of the gateway beside the one that runs; returns what it printed. */
  command(...words: string[]): Promise<string>;
  /** Changes the gateway's database as a command does, without a process of its own. */
  offline<T>(work: (deps: Offline) => Promise<T>): Promise<T>;
  /** A request for the line's own resources, such as `opt-outs`. */
  api(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** One more destination, as a person enters one in the gateway. */
  addDestination(body: object): Promise<Destination>;
  removeDestination(id: number): Promise<void>;
  /** Stops n8n and starts it again with what it kept. @param webhookUrl where its webhooks are then; as before without it */
  restartN8n(webhookUrl?: string): Promise<void>;
  restartGateway(): Promise<void>;
  /** kill -9 of the gateway. */
  killGateway(): Promise<void>;
  close(): Promise<void>;
}

export async function openScene(name: string): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const installed = await installN8n(process.env.N8N_VERSION || undefined);
  const startOurGateway = async (port: number) =>
    startGateway({
      folder,
      port,
      logFile: join(folder, 'gateway.log'),
      // So low that hundreds of messages exceed it, however slow the machine is.
      env: { GATEWAY_LINE_RATE: '30' },
    });
  const userFolder = join(folder, 'n8n');
  installNodes(REPOSITORY, userFolder);
  const door = await openDoor();
  const n8nPort = await freePort();
  const startOurN8n = (webhookUrl = door.url) =>
    startN8n({
      n8n: installed,
      userFolder,
      port: n8nPort,
      logFile: join(folder, 'n8n.log'),
      webhookUrl,
    });
  const starting = [freePort().then(startOurGateway), startOurN8n()] as const;
  const [gateway, n8n] = await Promise.all(starting).catch(async (error: unknown) => {
    const begun = await Promise.allSettled<{ stop(): Promise<void> }>(starting);
    for (const one of begun) if (one.status === 'fulfilled') await one.value.stop();
    throw error;
  });
  door.leadTo(n8n.url);
  const line = demoLineIn(folder);
  const credentialData = { baseUrl: gateway.url, line: line.tid, token: line.token };
  const editor = await openEditor(n8n.url, OWNER);
  const credential = await editor.createCredential('Demo line', CREDENTIAL_TYPE, credentialData);

  const ofCommands = {
    GATEWAY_DATABASE_URL: `sqlite:${join(folder, 'gateway.db')}`,
    GATEWAY_SECRET_KEY_FILE: join(folder, 'secret-key'),
  };

  const scene: Scene = {
    gateway,
    n8n,
    door,
    editor,
    line,
    credentialData,
    credential,
    action: (nodeName, parameters, settings = {}) => ({
      ...builtIn(nodeName, `${PACKAGE}.messagingGateway`, parameters),
      credentials: { [CREDENTIAL_TYPE]: credential },
      ...settings,
    }),
    trigger: (nodeName, parameters, typeVersion = 1.2) => ({
      ...builtIn(nodeName, `${PACKAGE}.messagingGatewayTrigger`, parameters, typeVersion),
      credentials: { [CREDENTIAL_TYPE]: credential },
      webhookId: crypto.randomUUID(),
    }),
    workflow(workflowName, nodes) {
      const chain = [builtIn(START, 'n8n-nodes-base.manualTrigger', {}), ...nodes];
      const connections = Object.fromEntries(
        nodes.map((node, index) => [
          chain[index].name,
          { main: [[{ node: node.name, type: 'main', index: 0 }]] },
        ]),
      );
      return editor.createWorkflow({ name: workflowName, nodes: chain, connections });
    },
    run: async (workflowName, nodes) => editor.run(await scene.workflow(workflowName, nodes), START),
    async command(...words) {
      const { code, stdout, stderr } = await runCommand(words, ofCommands);
      if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    },
    offline: (work) => offline(ofCommands, work),
    async api(method, path, body) {
      const answer = await fetch(`${scene.gateway.url}/v22.0/${line.tid}/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${line.token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
      });
      return (await answer.json()) as Record<string, unknown>;
    },
    destinations: async () => (await scene.api('GET', 'destinations')).data as Destination[],
    addDestination: async (body) =>
      (await scene.api('POST', 'destinations', body)) as Record<string, unknown> & Destination,
    removeDestination: async (id) => void (await scene.api('DELETE', `destinations/${id}`)),
    async restartN8n(webhookUrl) {
      await scene.n8n.stop();
      scene.n8n = await startOurN8n(webhookUrl);
      await editor.signIn(OWNER);
    },
    killGateway: () => scene.gateway.kill(),
    async restartGateway() {
      await scene.gateway.stop();
      scene.gateway = await startOurGateway(Number(new URL(gateway.url).port));
    },
    async close() {
      await scene.n8n.stop();
      await scene.gateway.stop();
      await door.close();
      if (!process.env.KEEP_TEST_FOLDER) rmSync(folder, { recursive: true, force: true });
    },
  };
  return scene;
}
