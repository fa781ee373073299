import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoLineIn, type DemoLine } from './demo-line';
import {
  openEditor,
  type EditorClient,
  type Execution,
  type Workflow,
  type WorkflowNode,
} from './editor-client';
import { CREDENTIAL_TYPE } from './example-workflows';
import { freePort } from './free-port';
import { startGateway, type RunningGateway } from './gateway-process';
import { installN8n } from './install-n8n';
import { installNodes } from './install-nodes';
import { REPOSITORY } from './n8n-home';
import { startN8n, type RunningN8n } from './n8n-process';

const OWNER = { email: 'test@example.com', password: 'Only-for-tests-1' };

/** A gateway with the demo line, and an n8n with this checkout's nodes and a credential for that line. */
export interface N8nWorld {
  gateway: RunningGateway;
  line: DemoLine;
  n8n: RunningN8n;
  editor: EditorClient;
  credential: { id: string; name: string };
  /** Stops n8n as an update does, and starts it again with the same data. */
  restartN8n(): Promise<void>;
  /** A node of ours. */
  node(name: string, parameters: Record<string, unknown>, settings?: object): WorkflowNode;
  /** A workflow that is started by hand and goes through the nodes one after the other. */
  workflow(name: string, nodes: WorkflowNode[]): Promise<Workflow>;
  /** Makes that workflow and runs it. */
  run(name: string, nodes: WorkflowNode[]): Promise<Execution>;
  close(): Promise<void>;
}

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

export async function openN8nWorld(): Promise<N8nWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-world-'));
  const installed = await installN8n(process.env.N8N_VERSION || undefined);
  const userFolder = join(folder, 'n8n');
  installNodes(REPOSITORY, userFolder);
  const gateway = await startGateway({
    folder,
    port: await freePort(),
    logFile: join(folder, 'gateway.log'),
  });
  const line = demoLineIn(folder);
  const port = await freePort();
  const start = () => startN8n({ n8n: installed, userFolder, port, logFile: join(folder, 'n8n.log') });
  const n8n = await start();
  const editor = await openEditor(n8n.url, OWNER);
  const credential = await editor.createCredential('Demo line', CREDENTIAL_TYPE, {
    baseUrl: gateway.url,
    line: line.tid,
    token: line.token,
  });

  const world: N8nWorld = {
    gateway,
    line,
    n8n,
    editor,
    credential,
    async restartN8n() {
      await world.n8n.stop();
      world.n8n = await start();
      await editor.signIn(OWNER);
    },
    node: (name, parameters, settings = {}) => ({
      ...builtIn(name, 'n8n-nodes-messaging-gateway.messagingGateway', parameters),
      credentials: { [CREDENTIAL_TYPE]: credential },
      ...settings,
    }),
    workflow(name, nodes) {
      const chain = [builtIn(START, 'n8n-nodes-base.manualTrigger', {}), ...nodes];
      const connections = Object.fromEntries(
        nodes.map((node, index) => [
          chain[index].name,
          { main: [[{ node: node.name, type: 'main', index: 0 }]] },
        ]),
      );
      return editor.createWorkflow({ name, nodes: chain, connections });
    },
    run: async (name, nodes) => editor.run(await world.workflow(name, nodes), START),
    async close() {
      await world.n8n.stop();
      await gateway.stop();
      if (!process.env.KEEP_TEST_FOLDER) rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}
