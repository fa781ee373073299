import { type Json } from '../../support/scene';
import { onEachDatabase, recordOf, synced, upstreamTemplate } from './support';

const body = (text: string) => ({ type: 'BODY', text });
const components = (...given: object[]) => ({ components: given });

onEachDatabase('Template record (element of data in the templates response)', (world) => {
  test.each<[string, object, Json]>([
    ['name | string', {}, { name: 'only_one' }],
    ['language | string | Language code.', { language: 'pt_BR' }, { language: 'pt_BR' }],
    ['category | string | Template category.', { category: 'MARKETING' }, { category: 'MARKETING' }],
    [
      'status | string | One of approved, pending, rejected, disabled. (approved)',
      {},
      { status: 'approved' },
    ],
    [
      'status | string | One of approved, pending, rejected, disabled. (pending)',
      { status: 'PENDING' },
      { status: 'pending' },
    ],
    [
      'status | string | One of approved, pending, rejected, disabled. (rejected)',
      { status: 'REJECTED' },
      { status: 'rejected' },
    ],
    [
      'status | string | One of approved, pending, rejected, disabled. (disabled)',
      { status: 'DISABLED' },
      { status: 'disabled' },
    ],
    [
      'platform_status | string or null | Approval status as reported by the upstream platform.',
      { status: 'PAUSED' },
      { platform_status: 'PAUSED' },
    ],
    [
      'quality_score | string | Quality rating word.',
      { quality_score: { score: 'YELLOW' } },
      { quality_score: 'MEDIUM' },
    ],
    [
      'header | object | type string and text string; the header kind shown is text.',
      components({ type: 'HEADER', format: 'TEXT', text: 'Your order' }, body('Hi')),
      { header: { type: 'text', text: 'Your order' } },
    ],
    [
      'body | string | Text with positional variables written {{1}}, {{2}}.',
      components(body('Hello {{1}}, order {{2}}')),
      { body: 'Hello {{1}}, order {{2}}' },
    ],
    [
      'footer | string or null (string)',
      components(body('Hi'), { type: 'FOOTER', text: 'Bye' }),
      { footer: 'Bye' },
    ],
    ['footer | string or null (null)', components(body('Hi')), { footer: null }],
    [
      'buttons | array | Structure of elements: not shown.',
      components(body('Hi'), { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Yes' }] }),
      { buttons: [expect.objectContaining({ text: 'Yes' })] },
    ],
    ['buttons | array (empty)', components(body('Hi')), { buttons: [] }],
    [
      'variables | integer | Number of body variables.',
      components({ type: 'HEADER', format: 'TEXT', text: 'For {{1}}' }, body('Hello {{1}}, order {{2}}')),
      { variables: 2 },
    ],
    ['is_starter | boolean', {}, { is_starter: false }],
  ])('%s', async (_row, upstream, expected) => {
    expect(await recordOf(world, upstream)).toMatchObject(expected);
  });

  test('platform_status | string or null: null for what upstream does not have; is_starter | boolean', async () => {
    const { data } = await synced(world);
    expect(data.length).toBeGreaterThan(0);
    for (const starter of data)
      expect(starter).toMatchObject({ is_starter: true, platform_status: null, status: 'pending' });
  });
});

onEachDatabase('Templates response envelope', (world) => {
  test('success | boolean', async () => {
    expect((await world.line.get('/templates')).body.success).toBe(true);
  });

  test('line | object | id (integer), phone_number (string), channel (string), requires_platform_approval (boolean).', async () => {
    expect((await world.line.get('/templates')).body.line).toEqual({
      id: world.line.id,
      phone_number: '15550783881',
      channel: 'cloud_api',
      requires_platform_approval: true,
    });
  });

  test('synced_at | string (date-time) or null | Time of the last sync with the upstream platform.', async () => {
    const bare = await world.scene.line({ accessToken: null });
    expect((await bare.get('/templates')).body.synced_at).toBeNull();
    await synced(world);
    const at = new Date(world.scene.clock.now).toISOString();
    world.scene.clock.now += 1000;
    expect((await world.line.get('/templates')).body.synced_at).toBe(at);
  });

  test('count | integer | Number of items in data.', async () => {
    const all = await synced(world, upstreamTemplate('one'), upstreamTemplate('two'));
    expect(all.count).toBe(all.data.length);
    const { body: approved } = await world.line.get('/templates?status=approved');
    expect([approved.count, approved.data.length]).toEqual([2, 2]);
    const { body: rejected } = await world.line.get('/templates?status=rejected');
    expect([rejected.count, rejected.data]).toEqual([0, []]);
  });

  test('data | array of template records', async () => {
    const { data } = await synced(world, upstreamTemplate('one'));
    for (const record of data) {
      expect(Object.keys(record)).toEqual(
        expect.arrayContaining(
          'name language category status platform_status quality_score header body footer buttons variables is_starter'.split(
            ' ',
          ),
        ),
      );
    }
  });
});
