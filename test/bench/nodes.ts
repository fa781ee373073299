import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  itemsOf,
  openEditor,
  type EditorClient,
  type Execution,
  type WorkflowNode,
} from '../n8n/editor-client';
import { CREDENTIAL_TYPE } from '../n8n/example-workflows';
import { freePort } from '../n8n/free-port';
import { type InstalledN8n } from '../n8n/install-n8n';
import { installNodes } from '../n8n/install-nodes';
import { REPOSITORY } from '../n8n/n8n-home';
import { startN8n } from '../n8n/n8n-process';
import { runCommand, startProcess } from '../support/gateway-process';
import { secretFile } from '../support/secret-file';
import { APP_SECRET, PHONE_NUMBER_ID, settings, WABA_ID } from '../support/test-gateway';
import { startProgram } from './processes';

const OWNER = { email: 'bench@example.com', password: 'Only-for-benches-1' };

/** Our Send through a gateway to upstream, or n8n's own WhatsApp node to the same upstream. */
interface Contender {
  name: string;
  node: Omit<WorkflowNode, 'id' | 'name' | 'position'>;
}

const recipient = (index: number): string => String(12_025_550_000 + index);

/** Texts in the lists whose time is taken. */
const COUNT = 1000;

/**
 * The same lists of texts through both nodes, in turns, in one n8n: how long the node takes, and what becomes of a list
 * with one refusal among it.
 */
export async function benchNodes(n8n: InstalledN8n): Promise<string[]> {
  const lines = [`In n8n ${n8n.version}:`];
  const folder = mkdtempSync(join(tmpdir(), 'nodes-bench-'));
  const upstream = await startProgram('counting-upstream');
  const env = settings(`sqlite:${join(folder, 'gateway.db')}`, {
    GATEWAY_UPSTREAM_URL: upstream.url,
    GATEWAY_APP_SECRET: APP_SECRET,
    GATEWAY_LINE_RATE: 'off',
    GATEWAY_TOKEN_RATE: 'off',
    GATEWAY_PAIR_LIMIT: 'off',
  });
  const added = await runCommand(
    [
      ...['line', 'add', '--name', 'Bench', '--phone-number', '15550783881', '--waba-id', WABA_ID],
      ...['--phone-number-id', PHONE_NUMBER_ID, '--access-token-file', secretFile('upstream-access-token')],
      ...['--app-secret-file', secretFile('app-secret-of-this-line'), '--window', 'upstream', '--json'],
    ],
    env,
  );
  if (added.code !== 0) throw new Error(added.stderr);
  const { token } = JSON.parse(added.stdout) as { token: string };
  const gateway = await startProcess(env);
  const userFolder = join(folder, 'n8n');
  installNodes(REPOSITORY, userFolder);
  const running = await startN8n({
    n8n,
    userFolder,
    port: await freePort(),
    logFile: join(folder, 'n8n.log'),
    environment: {
      NODE_OPTIONS: `--require ${join(__dirname, 'programs', 'platform-on-loopback.cjs')}`,
      BENCH_UPSTREAM: upstream.url,
    },
  });
  try {
    const editor = await openEditor(running.url, OWNER);
    const [ours, theirs] = await contenders(editor, gateway.url, token);
    const set = (query: string) => fetch(`${upstream.url}/set?${query}`, { method: 'POST' });

    const table = [];
    for (const contender of [ours, theirs]) {
      for (const [setting, more] of Object.entries(SETTINGS)) {
        await set(`delay=0&refuse=${recipient(100)}`);
        const { items, errors } = await runList(editor, contender, 200, more);
        const counts = Object.values(
          (await (await fetch(`${upstream.url}/counts`)).json()) as object,
        ) as number[];
        const twice = counts.filter((count) => count > 1).length;
        table.push(
          `  ${contender.name.padEnd(19)} ${setting.padEnd(44)} ${String(items).padStart(3)} items out, ${errors} as error, ${counts.length} sent, ${twice} of them more than once`,
        );
      }
    }
    lines.push('200 texts, of which upstream refuses one:', ...table);

    for (const delay of [0, 100]) {
      const times = new Map<string, number[]>([ours, theirs].map(({ name }) => [name, []]));
      for (const contender of [ours, theirs, theirs, ours]) {
        await set(`delay=${delay}`);
        const { node, items } = await runList(editor, contender, COUNT);
        if (items !== COUNT) throw new Error(`${contender.name} gave out ${items} of ${COUNT} items`);
        times.get(contender.name)?.push(node);
      }
      const [our, their] = [ours, theirs].map(({ name }) => Math.min(...(times.get(name) ?? [])));
      lines.push(
        `${COUNT} texts, upstream ${delay} ms away (the better of 2, in turns):`,
        `  Messaging Gateway   ${seconds(our)}`,
        `  n8n's WhatsApp      ${seconds(their)}      ours ÷ theirs ${(our / their).toFixed(2)}`,
      );
    }
    return lines;
  } finally {
    await running.stop();
    await gateway.end();
    await upstream.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

const SETTINGS: Record<string, Partial<WorkflowNode> & Record<string, unknown>> = {
  'as it comes': {},
  'Retry On Fail': { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
  'Retry On Fail, Continue (using error output)': {
    retryOnFail: true,
    maxTries: 2,
    waitBetweenTries: 0,
    onError: 'continueErrorOutput',
  },
};

async function contenders(
  editor: EditorClient,
  gatewayUrl: string,
  token: string,
): Promise<[Contender, Contender]> {
  const our = await editor.createCredential('Ours', CREDENTIAL_TYPE, {
    baseUrl: gatewayUrl,
    line: PHONE_NUMBER_ID,
    token,
  });
  const their = await editor.createCredential('Theirs', 'whatsAppApi', {
    accessToken: 'upstream-access-token',
    businessAccountId: WABA_ID,
  });
  return [
    {
      name: 'Messaging Gateway',
      node: {
        type: 'n8n-nodes-messaging-gateway.messagingGateway',
        typeVersion: 1,
        parameters: {
          resource: 'message',
          operation: 'send',
          to: '={{ $json.to }}',
          messageType: 'text',
          text: '={{ $json.text }}',
        },
        credentials: { [CREDENTIAL_TYPE]: our },
      },
    },
    {
      name: "n8n's WhatsApp",
      node: {
        type: 'n8n-nodes-base.whatsApp',
        typeVersion: 1,
        parameters: {
          resource: 'message',
          operation: 'send',
          phoneNumberId: PHONE_NUMBER_ID,
          recipientPhoneNumber: '=+{{ $json.to }}',
          messageType: 'text',
          textBody: '={{ $json.text }}',
        },
        credentials: { whatsAppApi: their },
      },
    },
  ];
}

/** @returns milliseconds that the node itself took, and how many items came out of it */
async function runList(
  editor: EditorClient,
  { node }: Contender,
  count: number,
  more: Record<string, unknown> = {},
): Promise<{ node: number; items: number; errors: number }> {
  const start: WorkflowNode = {
    id: crypto.randomUUID(),
    name: 'Start',
    type: 'n8n-nodes-base.manualTrigger',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  };
  const send = {
    ...node,
    ...more,
    id: crypto.randomUUID(),
    name: 'Send',
    position: [240, 0],
  } as WorkflowNode;
  const workflow = await editor.createWorkflow({
    name: `List of ${count}`,
    nodes: [start, send],
    connections: { Start: { main: [[{ node: 'Send', type: 'main', index: 0 }]] } },
    pinData: {
      Start: Array.from({ length: count }, (_, index) => ({
        json: { to: recipient(index), text: `Your order ${index} is on its way.` },
      })),
    },
  });
  // Each look at an execution makes n8n read all of its items.
  const execution = await editor.whenEnded(await editor.startRun(workflow, 'Start'), 300_000, 1500);
  return {
    node: timeOf(execution),
    items: itemsOf(execution, 'Send').length,
    errors: itemsOf(execution, 'Send', 1).length,
  };
}

const timeOf = (execution: Execution): number => execution.data.resultData.runData.Send[0].executionTime;

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2).padStart(6)} s`;
