import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type WorkflowDraft } from './editor-client';

const FOLDER = join(__dirname, 'workflows');

/** The credential type of both nodes. */
export const CREDENTIAL_TYPE = 'messagingGatewayApi';

/** The name of the one that a person tries first; no other one sorts before it. */
export const FIRST_EXAMPLE = '1 Start here: send a message';

/** The workflow in `workflows/<name>.json`, its nodes tied to that credential. */
export function exampleWorkflow(name: string, credential: { id: string; name: string }): WorkflowDraft {
  const draft = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as WorkflowDraft;
  const { id, name: credentialName } = credential;
  for (const node of draft.nodes) {
    if (node.credentials) node.credentials = { [CREDENTIAL_TYPE]: { id, name: credentialName } };
  }
  return draft;
}

/** The names of all examples. */
export const exampleNames = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
