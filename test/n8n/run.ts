/**
 * `npm run n8n`: a real n8n with this checkout's nodes, beside the gateway, for a person to try.
 *
 * What it finds it uses: a gateway at the demo address, an n8n of an earlier run with its workflows. What is missing it
 * makes. `npm run n8n -- 2.8.4` runs another n8n than the newest. Ctrl-C ends what it started, and nothing else.
 */
import { join } from 'node:path';
import { type ChildProgram } from './child-program';
import { demoLineIn, type DemoLine } from './demo-line';
import { type EditorClient, openEditor, type Owner } from './editor-client';
import { CREDENTIAL_TYPE, exampleNames, exampleWorkflow, FIRST_EXAMPLE } from './example-workflows';
import { isPortFree } from './free-port';
import { isGatewayAt, startGateway } from './gateway-process';
import { installN8n } from './install-n8n';
import { installNodes } from './install-nodes';
import {
  DATA_FOLDER,
  GATEWAY_PORT,
  GATEWAY_URL,
  N8N_PORT,
  ownerIn,
  REPOSITORY,
  userFolderOf,
} from './n8n-home';
import { startN8n } from './n8n-process';
import { NEWEST_N8N } from './n8n-versions';

const CREDENTIAL_NAME = 'Messaging Gateway demo line';
const tell = (line: string): void => void process.stdout.write(`${line}\n`);

/** What this run has started, in the order in which it is stopped again. */
const started: ChildProgram[] = [];

async function main(version: string): Promise<void> {
  const userFolder = userFolderOf(version);
  if (!(await isPortFree(N8N_PORT))) {
    throw new Error(`Port ${N8N_PORT} is in use: perhaps n8n runs already. N8N_PORT sets another one.`);
  }
  const n8n = await installN8n(version);
  await gatewayBeside(join(userFolder, 'gateway.log'));
  const nodes = installNodes(REPOSITORY, userFolder);
  tell(`Starting n8n ${n8n.version} with ${nodes.name} ${nodes.version}…`);
  const running = await startN8n({
    n8n,
    userFolder,
    port: N8N_PORT,
    logFile: join(userFolder, 'n8n.log'),
  });
  started.unshift(running.program);

  const owner = ownerIn(userFolder);
  const editor = await openEditor(running.url, owner);
  const credential = await demoCredential(editor, demoLineIn(DATA_FOLDER));
  await addMissingExamples(editor, credential);
  const first = (await editor.workflows()).find(({ name }) => name === FIRST_EXAMPLE);
  introduce(running.url, owner, first && `${running.url}/workflow/${first.id}`);
  await firstToEnd();
}

/** The gateway at the demo address; started if none answers there. */
async function gatewayBeside(logFile: string): Promise<void> {
  if (await isGatewayAt(GATEWAY_URL)) {
    tell(`The gateway runs at ${GATEWAY_URL}.`);
    return;
  }
  const gateway = await startGateway({
    folder: DATA_FOLDER,
    port: GATEWAY_PORT,
    logFile,
  });
  started.push(gateway.program);
  tell(`Started the gateway at ${gateway.url}.`);
  if (gateway.setUpUrl) tell(`Set up its control panel, once and within a day: ${gateway.setUpUrl}`);
}

/** The credential for the demo line: made at the first run, and set right when the line's token is another. */
async function demoCredential(editor: EditorClient, line: DemoLine): Promise<{ id: string; name: string }> {
  const data = { baseUrl: GATEWAY_URL, line: line.tid, token: line.token };
  const known = (await editor.credentials()).find(({ name }) => name === CREDENTIAL_NAME);
  if (!known) return editor.createCredential(CREDENTIAL_NAME, CREDENTIAL_TYPE, data);
  await editor.updateCredential(known.id, CREDENTIAL_NAME, CREDENTIAL_TYPE, data);
  return known;
}

/**
 * Puts in the examples that are not there, and leaves those that are as the person has changed them. The one to start with
 * comes last: n8n lists first what was changed last.
 */
async function addMissingExamples(
  editor: EditorClient,
  credential: { id: string; name: string },
): Promise<void> {
  const there = (await editor.workflows()).map(({ name }) => name);
  const drafts = exampleNames().map((name) => exampleWorkflow(name, credential));
  for (const draft of drafts.toSorted((one, other) => Number(isFirst(one)) - Number(isFirst(other)))) {
    if (!there.includes(draft.name)) await editor.createWorkflow(draft);
  }
}

const isFirst = ({ name }: { name: string }): boolean => name === FIRST_EXAMPLE;

/** @param first the address of the workflow to start with; undefined where the person removed it */
function introduce(url: string, owner: Owner, first = url): void {
  tell(`
n8n is ready.

  Address    ${url}
  E-mail     ${owner.email}
  Password   ${owner.password}

Start with ${first} : log in, and click Execute workflow. The other
examples are named "Messaging Gateway: …"; publish "answer who writes" to have contacts answered. What contacts read you see on the Sandbox phone of the control panel, ${GATEWAY_URL}/panel, and there you
answer for them. Press Ctrl-C to end.
`);
}

/** Waits until one of the programs ends; that is only right when somebody has asked us to stop. */
async function firstToEnd(): Promise<void> {
  const ended = await Promise.race(started.map((program) => program.whenEnded.then(() => program)));
  if (stopping) return stopping;
  process.exitCode = 1;
  tell(`${ended.name} has ended by itself. What it said is in ${ended.logFile}.`);
  await stopAll();
}

let stopping: Promise<void> | undefined;

function stopAll(): Promise<void> {
  stopping ??= (async () => {
    for (const program of started) await program.stop();
  })();
  return stopping;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!stopping && started.length > 0) tell('Stopping…');
    void stopAll().then(() => process.exit(0));
  });
}

main(process.argv[2] || process.env.N8N_VERSION || NEWEST_N8N).catch(async (error: unknown) => {
  if (!stopping) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
  await stopAll();
});
