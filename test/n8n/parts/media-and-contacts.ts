import { DEMO_CONTACT, DEMO_LINE } from '../../../gateway/sandbox/platform/account';
import { secretFile } from '../../support/secret-file';
import { does, listening, phone, received, TRIGGER } from '../demo-contact';
import { itemsOf, type Workflow } from '../editor-client';
import { exampleWorkflow } from '../example-workflows';
import { builtIn } from '../scene';
import { scene } from '../shared-scene';
import { waitUntil } from '../wait-until';

describe('Media, contacts and special templates', () => {
  /** What is wrong is told within half a minute: the other tests run meanwhile. */
  let alerts: Workflow;
  let paused: number;

  beforeAll(async () => {
    await does({ text: 'Hello' });
    const { nodes, ...rest } = exampleWorkflow('tell-me-when-something-breaks', scene.credential);
    // Nobody has given the e-mail a credential here, and without one n8n publishes nothing.
    const without = nodes.map((node) => ({ ...node, disabled: node.name === 'Send an e-mail' }));
    alerts = await scene.editor.createWorkflow({ ...rest, nodes: without });
    await scene.editor.activate(alerts);
    paused = (await scene.addDestination({ url: scene.door.url, events: ['account'] })).id;
    await scene.command('destination', 'pause', String(paused));
  });

  const SEND = { resource: 'message', operation: 'send', to: DEMO_CONTACT };
  const STRANGER = '12025550167';
  /** Who has written nothing before. */
  const QUIET = '12025550168';
  const set = (name: string, json: object) =>
    builtIn(name, 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: JSON.stringify(json), options: {} }, 3.4);

  it('uploads a file, downloads it, and deletes it', async () => {
    const content = '%PDF-1.4 of the invoice';
    const media = (name: string, operation: string, more: object = {}) =>
      scene.action(
        name,
        { resource: 'media', operation, mediaId: "={{ $('Upload').item.json.mediaId }}", ...more },
        { onError: 'continueRegularOutput' },
      );
    const file = { fileName: 'invoice.pdf', mimeType: 'application/pdf' };
    const execution = await scene.run('Media', [
      set('Invoice', { content: Buffer.from(content).toString('base64') }),
      builtIn(
        'To file',
        'n8n-nodes-base.convertToFile',
        { operation: 'toBinary', sourceProperty: 'content', options: file },
        1.1,
      ),
      media('Upload', 'upload', { binaryPropertyName: 'data' }),
      media('Download', 'download', { outputField: 'data' }),
      builtIn('Read', 'n8n-nodes-base.extractFromFile', { operation: 'text', options: {} }),
      media('Delete', 'delete'),
      media('Gone', 'download', { outputField: 'data' }),
    ]);
    const [{ mediaId } = {}] = itemsOf(execution, 'Upload');
    expect(itemsOf(execution, 'Upload')).toEqual([
      { mediaId: expect.stringMatching(/^\d+$/), messageType: 'document', ...file },
    ]);
    const [downloaded] = execution.data.resultData.runData.Download[0].data?.main[0] ?? [];
    expect(downloaded).toMatchObject({
      json: { mediaId, mimeType: 'application/pdf', fileSize: 23 },
      binary: { data: { mimeType: 'application/pdf', fileName: `${mediaId}.pdf` } },
    });
    expect(itemsOf(execution, 'Read')).toEqual([expect.objectContaining({ data: content })]);
    expect(itemsOf(execution, 'Delete')).toEqual([{ mediaId, deleted: true }]);
    expect(itemsOf(execution, 'Gone')).toEqual([
      expect.objectContaining({ message: 'The messaging platform has no file with this ID' }),
    ]);
  });

  it('tells who may be written to, and who wants no messages, who then gets none', async () => {
    const text = { ...SEND, messageType: 'text', text: 'News' };
    const contact = (name: string, operation: string, to?: string) =>
      scene.action(name, { resource: 'contact', operation, ...(to && { to }) });
    /** Changes the opt-out list by that operation, and looks at what follows. */
    const look = async (operation: string) => {
      const execution = await scene.run(operation, [
        contact('Change', operation, DEMO_CONTACT),
        contact('Ana', 'getWindow', DEMO_CONTACT),
        contact('Stranger', 'getWindow', STRANGER),
        scene.action('Send', text, { onError: 'continueRegularOutput' }),
        contact('List', 'getOptedOut'),
      ]);
      return ['Ana', 'Stranger', 'Send', 'Change', 'List'].map((node) => itemsOf(execution, node)[0]);
    };
    const [ana, stranger, refused, out, listed] = await look('optOut');
    expect(out).toEqual({ contact: DEMO_CONTACT, hasOptedOut: true });
    expect(listed).toMatchObject({ contact: DEMO_CONTACT, word: null });
    expect(ana).toMatchObject({ contact: DEMO_CONTACT, isOpen: true, hasOptedOut: true });
    expect(stranger).toMatchObject({ contact: STRANGER, isOpen: false, closesAt: null, hasOptedOut: false });
    expect(refused).toMatchObject({
      message: 'This contact wants no more messages from this line',
      error: { code: 'contact_opted_out', description: expect.stringContaining('Get Window') },
    });
    const [again, , sent, back] = await look('optIn');
    expect(back).toEqual({ contact: DEMO_CONTACT, hasOptedOut: false });
    expect(again).toMatchObject({ isOpen: true, hasOptedOut: false });
    expect(sent).toMatchObject({ messageId: expect.stringMatching(/^wamid\./) });
  });

  it('starts one run with all that a contact wrote until it paused', async () => {
    const workflow = await listening({ events: ['messages'], options: { waitForPause: 2 } });
    await scene.editor.activate(workflow);
    for (const text of ['Hello', 'I have a question', 'about my order']) await does({ text }, QUIET);
    await waitUntil('the run', async () => (await received(workflow))[0]);
    await scene.editor.deactivate(workflow);
    const [execution] = await scene.editor.executionsOf(workflow);
    expect(itemsOf(execution, TRIGGER)).toEqual([
      expect.objectContaining({
        text: 'Hello\nI have a question\nabout my order',
        from: QUIET,
        messages: [
          expect.objectContaining({ text: 'Hello' }),
          expect.objectContaining({ text: 'I have a question' }),
          expect.objectContaining({ text: 'about my order' }),
        ],
      }),
    ]);
    expect(await received(workflow)).toHaveLength(1);
  });

  it('sends a code to log in, and an offer with its end', async () => {
    const accessToken = 'access-token-of-the-demo-line';
    await scene.command(
      'line',
      'edit',
      DEMO_LINE.phoneNumberId,
      '--access-token-file',
      secretFile(accessToken),
    );
    const create = async (name: string, category: string, components: object[]) => {
      const ask = async (path: string, body: object) => {
        const answer = await fetch(scene.gateway.sandboxUrl + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
      };
      const template = { name, category, language: 'en_US', components };
      await ask(`/v22.0/${DEMO_LINE.wabaId}/message_templates`, template);
      await ask(`/sandbox/templates/${name}`, { event: 'APPROVED' });
    };
    // The platform writes the text, and lists the button as a link.
    await create('log_in_code', 'AUTHENTICATION', [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ]);
    await create('spring_offer', 'MARKETING', [
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Spring offer', has_expiration: true } },
      {
        type: 'BODY',
        text: 'Hello {{1}}, all cakes at half the price.',
        example: { body_text: [['Ana']] },
      },
      { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: 'SPRING' }] },
    ]);
    const send = (name: string, value: object) =>
      scene.action(name, {
        ...SEND,
        messageType: 'template',
        template: { __rl: true, mode: 'name', value: name },
        templateLanguage: 'en_US',
        templateVariables: { mappingMode: 'defineBelow', value, schema: [] },
      });
    const ends = '2027-03-20T18:00:00Z';
    const execution = await scene.run('Special templates', [
      send('log_in_code', { 'body-1': '482913', 'button-0-url': '482913' }),
      send('spring_offer', { 'body-1': 'Ana', 'offer-expiration': ends, 'button-0-code': 'SPRING' }),
    ]);
    expect(execution.data.resultData.error).toBeUndefined();
    const sent = (await phone()).slice(-2);
    expect(sent.map(({ template }) => template)).toEqual([
      expect.objectContaining({
        name: 'log_in_code',
        components: [
          expect.objectContaining({ type: 'body' }),
          expect.objectContaining({ sub_type: 'url', parameters: [{ type: 'text', text: '482913' }] }),
        ],
      }),
      expect.objectContaining({
        name: 'spring_offer',
        components: expect.arrayContaining([
          {
            type: 'limited_time_offer',
            parameters: [
              { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: Date.parse(ends) } },
            ],
          },
        ]),
      }),
    ]);
  });

  it('starts a workflow when something is wrong with the line', async () => {
    const told = await waitUntil(
      'the alert',
      async () =>
        (await scene.editor.executionsOf(alerts))
          .flatMap((run) => itemsOf(run, 'When something breaks', 2))
          .find(({ condition }) => condition === 'destination_paused'),
      { withinMs: 60_000 },
    );
    expect(told).toMatchObject({
      happened: 'began',
      isOver: false,
      urgency: 'Soon',
      message: expect.stringMatching(/^Soon: \S.*\nWhat to do: \S.*\.$/s),
      lineName: DEMO_LINE.verifiedName,
      line: 1,
      phoneNumberId: DEMO_LINE.phoneNumberId,
    });
    await scene.editor.deactivate(alerts);
    expect(await scene.api('GET', 'alert-webhooks')).toMatchObject({ data: [] });
    await scene.removeDestination(paused);
  });
});
