import { upstreamError, type Json } from '../../support/scene';
import { askedForTemplates, onEachDatabase, recordOf, SECOND, synced, upstreamTemplate } from './support';

const BODY = { type: 'BODY', text: 'Hello' };
const header = (format: string, text?: string) => ({ type: 'HEADER', format, text });
const buttonOf = (more: object) => ({ components: [BODY, { type: 'BUTTONS', buttons: [more] }] });
const own = ({ data }: Json): Json[] => data.filter(({ is_starter: isStarter }: Json) => !isStarter);
const named = (records: Json[]) => records.map(({ name, language }) => `${name} ${language}`);

onEachDatabase('6. Templates', (world) => {
  /** One list a page, as upstream answers them; `fail` at the page of that number. */
  const pages = (lists: object[][], fail?: number) => {
    world.scene.upstream.answers.templates = ({ url }) => {
      const page = Number(new URL(url, 'http://upstream').searchParams.get('after') ?? 0);
      if (page === fail) return upstreamError(500, 2);
      const next = page + 1 < lists.length && { next: 'https://graph.example/next' };
      return { body: { data: lists[page], paging: { cursors: { after: String(page + 1) }, ...next } } };
    };
  };

  test('Synced from GET /{waba}/message_templates, all pages', async () => {
    pages([[upstreamTemplate('one')], [], [upstreamTemplate('two')]]);
    const { body } = await world.line.get('/templates?refresh=1');
    expect(named(own(body))).toEqual(['one en_US', 'two en_US']);
    const asked = askedForTemplates(world);
    expect(asked).toHaveLength(3);
    for (const { method, url } of asked)
      expect([method, url.split('?')[0]]).toEqual(['GET', `/v22.0/${world.wabaId}/message_templates`]);
  });

  test('the cached set replaced only after the last one arrived', async () => {
    await synced(world, upstreamTemplate('one'), upstreamTemplate('two'));
    world.scene.clock.now += 60 * SECOND;
    pages([[upstreamTemplate('three')], [upstreamTemplate('four')]], 1);
    expect(named(own((await world.line.get('/templates?refresh=1')).body))).toEqual([
      'one en_US',
      'two en_US',
    ]);
    world.scene.clock.now += 60 * SECOND;
    pages([[upstreamTemplate('three')], [upstreamTemplate('four')]]);
    expect(named(own((await world.line.get('/templates?refresh=1')).body))).toEqual([
      'four en_US',
      'three en_US',
    ]);
  });

  test('Key (name, language)', async () => {
    const { data } = await synced(
      world,
      upstreamTemplate('same', { status: 'PENDING' }),
      upstreamTemplate('same', { language: 'pt_BR' }),
      upstreamTemplate('same'),
    );
    expect(named(own({ data }))).toEqual(['same en_US', 'same pt_BR']);
    expect(own({ data })[0].status).toBe('approved');
  });

  test.each([
    ['APPROVED', 'approved'],
    ['FLAGGED', 'approved'],
    ['REINSTATED', 'approved'],
    ['PENDING', 'pending'],
    ['IN_APPEAL', 'pending'],
    ['REJECTED', 'rejected'],
    ['PAUSED', 'disabled'],
    ['DISABLED', 'disabled'],
    ['ARCHIVED', 'disabled'],
    ['LIMIT_EXCEEDED', 'disabled'],
    ['PENDING_DELETION', 'disabled'],
    ['DELETED', 'disabled'],
    ['SOMETHING_NEW', 'pending'],
  ])('status: %s → %s. platform_status keeps the upstream’s word.', async (word, status) => {
    expect(await recordOf(world, { status: word })).toMatchObject({ status, platform_status: word });
  });

  test.each<[string | undefined, string]>([
    ['GREEN', 'HIGH'],
    ['YELLOW', 'MEDIUM'],
    ['RED', 'LOW'],
    ['UNKNOWN', 'UNKNOWN'],
    ['PURPLE', 'UNKNOWN'],
    [undefined, 'UNKNOWN'],
  ])('quality_score: GREEN/YELLOW/RED → HIGH/MEDIUM/LOW, else UNKNOWN. %s → %s', async (score, word) => {
    const upstream = score === undefined ? {} : { quality_score: { score, date: 1 } };
    expect((await recordOf(world, upstream)).quality_score).toBe(word);
  });

  test.each<[string, number, string[]]>([
    ['Hello {{1}}, order {{2}}, {{1}} again', 2, ['1', '2']],
    ['Hello {{name}}, order {{order_id}}', 2, ['name', 'order_id']],
    ['Hello', 0, []],
  ])(
    'variables = distinct placeholders of the body, {{1}} or {{name}}: "%s" %i',
    async (text, count, names) => {
      const record = await recordOf(world, { components: [{ type: 'BODY', text }] });
      expect([record.variables, record.variable_names]).toEqual([count, names]);
    },
  );

  test.each<[string, object[], object | null]>([
    ['null', [BODY], null],
    ['{type: "text", text}', [header('TEXT', 'Order {{1}}'), BODY], { type: 'text', text: 'Order {{1}}' }],
    ['{type: "image", text: null}', [header('IMAGE'), BODY], { type: 'image', text: null }],
    ['{type: "video", text: null}', [header('VIDEO'), BODY], { type: 'video', text: null }],
    ['{type: "document", text: null}', [header('DOCUMENT'), BODY], { type: 'document', text: null }],
    ['{type: "location", text: null}', [header('LOCATION'), BODY], { type: 'location', text: null }],
  ])('header: %s', async (_row, components, expected) => {
    expect((await recordOf(world, { components })).header).toEqual(expected);
  });

  test.each<[string, object, object]>([
    [
      'url',
      { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
      { index: 0, type: 'url', text: 'Track', url: 'https://example.com/{{1}}', variables: 1 },
    ],
    [
      'phone_number',
      { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550783881' },
      { index: 0, type: 'phone_number', text: 'Call', phone_number: '+15550783881', variables: 0 },
    ],
    [
      'quick_reply',
      { type: 'QUICK_REPLY', text: 'Yes' },
      { index: 0, type: 'quick_reply', text: 'Yes', variables: 0 },
    ],
    [
      'copy_code',
      { type: 'COPY_CODE', text: 'Copy', example: 'SAVE' },
      { index: 0, type: 'copy_code', text: 'Copy', variables: 1 },
    ],
  ])('buttons: [{index, type, text, url?, phone_number?, variables}]. %s', async (_row, given, expected) => {
    expect((await recordOf(world, buttonOf(given))).buttons).toEqual([expected]);
  });

  test('Added for clients that build forms: id, parameter_format, header_variables, variable_names, components.', async () => {
    const components = [header('TEXT', 'Order {{number}}'), { type: 'BODY', text: 'Hello {{name}}' }];
    expect(await recordOf(world, { components, parameter_format: 'NAMED' })).toMatchObject({
      id: 'id of only_one',
      parameter_format: 'NAMED',
      header_variables: ['number'],
      variable_names: ['name'],
      components,
    });
  });

  test('The filter is applied before limit; order by name, then language; count = items returned.', async () => {
    await synced(
      world,
      upstreamTemplate('b', { language: 'pt_BR' }),
      upstreamTemplate('a', { status: 'REJECTED' }),
      upstreamTemplate('c'),
      upstreamTemplate('b', { language: 'en_US' }),
    );
    const { body } = await world.line.get('/templates?status=approved&limit=2');
    expect([named(body.data), body.count]).toEqual([['b en_US', 'b pt_BR'], 2]);
    const { body: all } = await world.line.get('/templates?status=approved');
    expect([named(all.data), all.count]).toEqual([['b en_US', 'b pt_BR', 'c en_US'], 3]);
  });

  test('Templates are also kept without upstream: is_starter marks those that the gateway seeds for a new line.', async () => {
    const bare = await world.scene.line({ accessToken: null });
    const { body } = await bare.get('/templates');
    expect(body.count).toBeGreaterThan(0);
    for (const record of body.data)
      expect(record).toMatchObject({ is_starter: true, platform_status: null, id: null });
    const { data } = await synced(world, upstreamTemplate('own'));
    expect(named(own({ data }))).toEqual(['own en_US']);
  });
});
