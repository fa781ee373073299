import { until } from '../../support/http-peer';
import { type Json } from '../../support/scene';
import { notify } from '../../support/test-gateway';
import {
  askedForTemplates,
  onEachDatabase,
  recordOf,
  refuses,
  synced,
  template,
  upstreamTemplate,
  type World,
} from './support';

/** What upstream tells of a template of the business account. */
async function told({ scene, wabaId }: World, field: string, value: object, account = wabaId): Promise<void> {
  const about = {
    message_template_id: 1689556908129835,
    message_template_name: 'greeting',
    message_template_language: 'en_US',
  };
  // Upstream's time is later than that of the list that was read before.
  scene.clock.now += 2000;
  const body = {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: account,
        time: Math.floor(scene.clock.now / 1000),
        changes: [{ field, value: { ...about, ...value } }],
      },
    ],
  };
  expect(await notify(scene.gateway, body)).toBe(200);
}

onEachDatabase('6. Templates: also updated by the upstream’s template events', (world) => {
  const greeting = async (language = 'en_US'): Promise<Json> =>
    (await world.line.get('/templates')).body.data.find(
      (one: Json) => one.name === 'greeting' && one.language === language,
    );

  beforeEach(async () => {
    await synced(world, upstreamTemplate('greeting'), upstreamTemplate('greeting', { language: 'pt_BR' }));
  });
  afterEach(() => {
    expect(askedForTemplates(world)).toHaveLength(1);
  });

  test.each([
    ['PENDING', 'pending'],
    ['REJECTED', 'rejected'],
    ['PAUSED', 'disabled'],
    ['DISABLED', 'disabled'],
    ['PENDING_DELETION', 'disabled'],
    ['FLAGGED', 'approved'],
    ['REINSTATED', 'approved'],
    ['SOMETHING_NEW', 'pending'],
  ])('message_template_status_update: %s → %s', async (event, status) => {
    await told(world, 'message_template_status_update', { event, reason: null });
    await until(async () => (await greeting()).platform_status === event);
    expect(await greeting()).toMatchObject({ status, platform_status: event });
    expect(await greeting('pt_BR')).toMatchObject({ status: 'approved', platform_status: 'APPROVED' });
  });

  test('message_template_status_update decides of the next send', async () => {
    await told(world, 'message_template_status_update', { event: 'PAUSED' });
    await until(async () => (await greeting()).platform_status === 'PAUSED');
    refuses(world, await world.line.send(template('greeting')), 400, 'template_not_approved', 132015);
  });

  test('message_template_quality_update', async () => {
    await told(world, 'message_template_quality_update', {
      previous_quality_score: 'GREEN',
      new_quality_score: 'YELLOW',
    });
    await until(async () => (await greeting()).quality_score === 'MEDIUM');
  });

  test('template_category_update', async () => {
    await told(world, 'template_category_update', {
      previous_category: 'UTILITY',
      new_category: 'MARKETING',
    });
    await until(async () => (await greeting()).category === 'MARKETING');
  });

  test('of this business account alone', async () => {
    await told(world, 'message_template_status_update', { event: 'REJECTED' }, '404404404');
    expect((await greeting()).status).toBe('approved');
  });

  test('of a template that is not known changes nothing', async () => {
    const before = (await world.line.get('/templates')).body.data;
    const value = { event: 'REJECTED', message_template_name: 'nowhere' };
    await told(world, 'message_template_status_update', value);
    expect((await world.line.get('/templates')).body.data).toEqual(before);
  });
});

onEachDatabase('6. Templates: status', (world) => {
  test('anything else → pending, logged.', async () => {
    expect((await recordOf(world, { status: 'SOMETHING_NEW' })).status).toBe('pending');
    expect(world.scene.gateway.logged()).toContain('SOMETHING_NEW');
  });
});
