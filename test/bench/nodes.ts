import { execFileSync } from 'node:child_process';
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
import { freePort } from '../support/postgres';
import { type InstalledN8n } from '../n8n/install-n8n';
import { installNodes } from '../n8n/install-nodes';
import { REPOSITORY } from '../n8n/n8n-home';
import { startN8n } from '../n8n/n8n-process';
import { runCommand, startProcess } from '../support/gateway-process';
import { secretFile } from '../support/secret-file';
import { APP_SECRET, PHONE_NUMBER_ID, settings, WABA_ID } from '../support/test-gateway';
import { median } from './load';
import { contenders, type Contender } from './nodes-contenders';
import { partsOf, sizesOf, type Options } from './options';
import { startProgram } from './processes';

const OWNER = { email: 'bench@example.com', password: 'Only-for-benches-1' };

/**
 * The parts: a list with a refusal, and the time for lists by scheme and by the platform's delay in
 * milliseconds.
 */
const PARTS = ['refusals', 'http-0', 'http-100', 'tls-0', 'tls-100'] as const;

/** Texts per list, and measurements per contender. */
const SIZES = { items: 1000, rounds: 3 };

const recipient = (index: number): string => String(12_025_550_000 + index);

type Scheme = 'http' | 'tls';

/**
 * Sends the same lists of texts through our node and n8n's own nodes, in turn, in one n8n. With TLS, the
 * gateway and the platform are behind the same terminator. With HTTP, n8n's WhatsApp node avoids the TLS that
 * it always has in production.
 */
export async function benchNodes(n8n: InstalledN8n, options: Options): Promise<string[]> {
  const lines = [`In n8n ${n8n.version}:`];
  const sizes = sizesOf(options, SIZES);
  const parts = partsOf(options, PARTS);
  for (const scheme of ['http', 'tls'] as const) {
    const asked = parts.filter(
      (part) => part.startsWith(scheme) || (part === 'refusals' && scheme === 'http'),
    );
    if (asked.length === 0) continue;
    const stage = await setStage(n8n, scheme);
    try {
      for (const part of asked) {
        const [, delay] = part.split('-');
        lines.push(
          ...(delay === undefined
            ? await benchRefusals(stage, sizes.items)
            : await benchTimes(stage, scheme, Number(delay), sizes)),
        );
      }
    } finally {
      await stage.end();
    }
  }
  return lines;
}

interface Stage {
  editor: EditorClient;
  all: Awaited<ReturnType<typeof contenders>>;
  /** Posts a query to the platform's /set. */
  set(query: string): Promise<unknown>;
  /** Returns the number of accepted messages per recipient. */
  counts(): Promise<number[]>;
  end(): Promise<void>;
}

async function setStage(n8n: InstalledN8n, scheme: Scheme): Promise<Stage> {
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
  const { inFront, certificate } = scheme === 'tls' ? terminators(folder) : PLAIN;
  const [before, platform] = [await inFront(gateway.url), await inFront(upstream.url)];
  const userFolder = join(folder, 'n8n');
  installNodes(REPOSITORY, userFolder);
  const running = await startN8n({
    n8n,
    userFolder,
    port: await freePort(),
    logFile: join(folder, 'n8n.log'),
    environment: {
      NODE_OPTIONS: `--require ${join(__dirname, 'programs', 'platform-on-loopback.cjs')}`,
      BENCH_UPSTREAM: platform.url,
      ...(certificate && { NODE_EXTRA_CA_CERTS: certificate }),
    },
  });
  const editor = await openEditor(running.url, OWNER);
  return {
    editor,
    all: await contenders(editor, { gatewayUrl: before.url, upstreamUrl: platform.url, token }),
    set: (query) => fetch(`${upstream.url}/set?${query}`, { method: 'POST' }),
    counts: async () => Object.values((await (await fetch(`${upstream.url}/counts`)).json()) as object),
    async end() {
      await running.stop();
      await gateway.end();
      for (const program of [before, platform, upstream]) await program.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Front {
  inFront(url: string): Promise<{ url: string; end(): Promise<void> }>;
  certificate?: string;
}

const PLAIN: Front = { inFront: async (url) => ({ url, end: async () => {} }) };

/** Starts TLS terminators with their own certificate, which n8n must trust. */
function terminators(folder: string): Front {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '1',
      ],
      ...['-subj', '/CN=bench', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:graph.facebook.com'],
      ...['-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
  return {
    certificate,
    async inFront(url) {
      const program = await startProgram('tls-terminator.cjs', url, key, certificate);
      return { ...program, url: program.url.replace('http:', 'https:') };
    },
  };
}

const SETTINGS: Record<string, Record<string, unknown>> = {
  'as it comes': {},
  'Retry On Fail': { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
  'Retry On Fail, Continue (using error output)': {
    retryOnFail: true,
    maxTries: 2,
    waitBetweenTries: 0,
    onError: 'continueErrorOutput',
  },
};

async function benchRefusals({ editor, all, set, counts }: Stage, count: number): Promise<string[]> {
  const table = [];
  for (const contender of [all.ours, all.whatsApp]) {
    for (const [setting, more] of Object.entries(SETTINGS)) {
      await set(`delay=0&refuse=${recipient(100)}`);
      const { items, errors, isInOrder } = await runList(editor, contender, count, more);
      const sent = await counts();
      const twice = sent.filter((one) => one > 1).length;
      table.push(
        `  ${contender.name.padEnd(19)} ${setting.padEnd(44)} ${String(items).padStart(4)} items out${isInOrder ? '' : ' in another order'}, ${errors} as error, ${sent.length} sent, ${twice} of them more than once`,
      );
    }
  }
  return [`${count} texts, of which upstream refuses one:`, ...table];
}

async function benchTimes(
  { editor, all, set }: Stage,
  scheme: Scheme,
  delay: number,
  { items: count, rounds }: typeof SIZES,
): Promise<string[]> {
  const inTurn = Object.values(all);
  const times = new Map<Contender, number[]>(inTurn.map((contender) => [contender, []]));
  await set(`delay=${delay}`);
  for (const contender of inTurn) await runList(editor, contender, count / 10); // warms up
  for (let round = 0; round < rounds; round++) {
    for (const contender of round % 2 ? inTurn.toReversed() : inTurn) {
      const { node, items } = await runList(editor, contender, count);
      if (items !== count) throw new Error(`${contender.name} gave out ${items} of ${count} items`);
      times.get(contender)?.push(node);
    }
  }
  const our = median(times.get(all.ours) ?? []);
  return [
    `${count} texts by ${scheme === 'tls' ? 'TLS' : 'HTTP'}, upstream ${delay} ms away (median of ${rounds}, in turns):`,
    ...inTurn.map((contender) => {
      const took = median(times.get(contender) ?? []);
      const ratio = contender === all.ours ? '' : `   ${(took / our).toFixed(2)} × ours`;
      return `  ${contender.name.padEnd(19)} ${(took / 1000).toFixed(2).padStart(6)} s${ratio}`;
    }),
  ];
}

/** The result of a list, and the node's own milliseconds. */
interface Ran {
  node: number;
  items: number;
  errors: number;
  isInOrder: boolean;
}

async function runList(
  editor: EditorClient,
  { node }: Contender,
  count: number,
  more: Record<string, unknown> = {},
): Promise<Ran> {
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
  // Checks rarely, because n8n reads all items of an execution each time.
  const execution = await editor.whenEnded(await editor.startRun(workflow, 'Start'), 300_000, 1500);
  const out = itemsOf(execution, 'Send');
  const contacts = out.map(
    (item) => (item.contacts as { input?: string }[] | undefined)?.[0]?.input ?? item.to,
  );
  return {
    node: timeOf(execution),
    items: out.length,
    errors: itemsOf(execution, 'Send', 1).length,
    isInOrder: contacts.every((to, index) => index === 0 || Number(to) > Number(contacts[index - 1])),
  };
}

const timeOf = (execution: Execution): number => execution.data.resultData.runData.Send[0].executionTime;
