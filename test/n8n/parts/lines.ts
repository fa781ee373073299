import { DEMO_WABA_ID } from '../../../gateway/sandbox/platform/account';
import { addLine } from '../../support/add-line';
import { itemsOf } from '../editor-client';
import { CREDENTIAL_TYPE, exampleWorkflow } from '../example-workflows';
import { conversationOf } from '../sandbox-phone';
import { scene } from '../shared-scene';

describe('A credential with expressions', () => {
  interface Line {
    line: string;
    token: string;
  }
  let lines: Line[];
  let credential: { id: string; name: string };

  beforeAll(async () => {
    const added = await scene.offline(async (deps) => {
      const made: Line[] = [];
      for (let index = 10; index < 29; index++) {
        const { row, token } = await addLine(deps, {
          name: `Client ${index}`,
          phoneNumberId: `1093514782099${index}`,
          phoneNumber: `+1 212-555-01${index}`,
          wabaId: DEMO_WABA_ID,
          accessToken: `access-token-of-client-${index}`,
          appSecret: `app-secret-of-client-${index}`,
          windowMode: 'text',
        });
        made.push({ line: row.phone_number_id, token });
      }
      await deps.registry.refresh();
      return made;
    });
    lines = [...added, { line: scene.line.tid, token: scene.line.token }];
    credential = await scene.editor.createCredential('Line of the row', CREDENTIAL_TYPE, {
      baseUrl: scene.gateway.url,
      line: '={{ $json.line }}',
      token: '={{ $json.token }}',
    });
  });

  const example = () => exampleWorkflow('a-line-for-each-row', credential);

  it('has no value for the list of templates, which says so', async () => {
    const node = example().nodes.find(({ credentials }) => credentials);
    if (!node) throw new Error('The example has no node with a credential.');
    const list = scene.editor.locatorResults({
      path: 'parameters.template',
      methodName: 'searchTemplates',
      node,
    });
    await expect(list).rejects.toThrow('An expression in the credential of this node has no value here');
  });

  it('sends each of 200 rows by its own line of 20, once, though one line is refused and n8n tries again', async () => {
    const refused = 'gwl_of-nobody';
    const rows = Array.from({ length: 200 }, (_, index) => ({
      // The first line's token is wrong: n8n tries the node again if the first item has failed.
      ...lines[index % lines.length],
      ...(index % lines.length === 0 && { token: refused }),
      phone: `1202555${String(9000 + index)}`,
      name: 'Ana',
      order: `A-${index}`,
    }));
    const { nodes, ...rest } = example();
    const workflow = await scene.editor.createWorkflow({
      ...rest,
      nodes: nodes.map((node) =>
        node.name === 'Send by its line' ? { ...node, retryOnFail: true, maxTries: 2 } : node,
      ),
      pinData: { 'The customers': rows.map((json) => ({ json })) },
    });
    const execution = await scene.editor.run(workflow, 'When clicking Execute');

    expect(execution.data.resultData.error).toBeUndefined();
    const own = rows.filter(({ token }) => token !== refused);
    const reached = itemsOf(execution, 'Reached');
    expect(reached.map(({ phone, line }) => [phone, line])).toEqual(
      own.map(({ phone, line }) => [phone, line]),
    );
    expect(itemsOf(execution, 'Not reached')).toEqual(
      rows
        .filter(({ token }) => token === refused)
        .map(({ phone, line }) => ({ phone, line, reason: expect.stringMatching(/token/i) })),
    );
    const { sandboxUrl } = scene.gateway;
    for (const [index, { phone, line, token }] of rows.entries()) {
      const next = lines[(index + 1) % lines.length].line;
      expect([phone, await conversationOf(sandboxUrl, phone, line)]).toEqual([
        phone,
        token === refused ? [] : [expect.anything()],
      ]);
      expect([phone, await conversationOf(sandboxUrl, phone, next)]).toEqual([phone, []]);
    }
  });
});
