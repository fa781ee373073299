import { DEMO_WABA_ID } from '../../../gateway/sandbox/platform/account';
import { secretFile } from '../../support/secret-file';
import { itemsOf } from '../editor-client';
import { CREDENTIAL_TYPE } from '../example-workflows';
import { builtIn } from '../scene';
import { scene } from '../shared-scene';

describe('A credential with expressions', () => {
  interface Line {
    line: string;
    token: string;
  }
  let lines: Line[];
  let credential: { id: string; name: string };

  beforeAll(async () => {
    const added: Line[] = [];
    for (const index of [1, 2]) {
      const phoneNumberId = `10935147820360${index}`;
      const said = await scene.command(
        ...['line', 'add', '--name', `Client ${index}`, '--phone-number-id', phoneNumberId, '--json'],
        ...['--phone-number', `+1 202-555-012${index + 3}`, '--waba-id', DEMO_WABA_ID],
        ...['--access-token-file', secretFile(`access-token-of-client-${index}`)],
        ...['--app-secret-file', secretFile(`app-secret-of-client-${index}`)],
      );
      added.push({ line: phoneNumberId, token: (JSON.parse(said) as { token: string }).token });
    }
    lines = [{ line: scene.line.tid, token: scene.line.token }, ...added];
    credential = await scene.editor.createCredential('Line of the row', CREDENTIAL_TYPE, {
      baseUrl: scene.gateway.url,
      line: '={{ $json.line }}',
      token: '={{ $json.token }}',
    });
  });

  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...lines[index % lines.length],
      to: `1202555${String(9000 + index)}`,
    }));

  const emit = (rows: object[]) => [
    builtIn(
      'Sheet',
      'n8n-nodes-base.set',
      { mode: 'raw', jsonOutput: JSON.stringify({ rows }), options: {} },
      3.4,
    ),
    builtIn('Rows', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'rows', options: {} }),
  ];

  const send = () =>
    scene.action(
      'Send',
      {
        resource: 'message',
        operation: 'send',
        to: '={{ $json.to }}',
        messageType: 'template',
        template: { __rl: true, mode: 'list', value: 'order_update|en_US' },
        templateVariables: {
          mappingMode: 'defineBelow',
          value: { 'body-1': 'Ana', 'body-2': 'A-1042' },
          schema: [],
        },
      },
      { credentials: { [CREDENTIAL_TYPE]: credential } },
    );

  /** Only the line that sent a message knows it. */
  async function isKnownTo({ line, token }: Line, messageId: unknown): Promise<boolean> {
    const answer = await fetch(`${scene.gateway.url}/v22.0/${line}/messages/${String(messageId)}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return answer.status === 200;
  }

  it('has no value for the list of templates, which says so', async () => {
    const { type, typeVersion, parameters, credentials } = send();
    const list = scene.editor.locatorResults({
      path: 'parameters.template',
      methodName: 'searchTemplates',
      node: { type, typeVersion, parameters, credentials },
    });
    await expect(list).rejects.toThrow('An expression in the credential of this node has no value here');
  });

  it.each([3, 60])('sends each of %i rows by its own line, and says so', async (count) => {
    const rows = rowsOf(count);
    const execution = await scene.run(`${count} rows of ${lines.length} lines`, [...emit(rows), send()]);

    expect(execution.data.resultData.error).toBeUndefined();
    const sent = itemsOf(execution, 'Send');
    expect(sent.map(({ phoneNumberId, to }) => [phoneNumberId, to])).toEqual(
      rows.map(({ line, to }) => [line, to]),
    );
    for (const [index, { messageId }] of sent.entries()) {
      const known = await Promise.all(lines.map((line) => isKnownTo(line, messageId)));
      expect(known).toEqual(lines.map((_, line) => line === index % lines.length));
    }
  });
});
