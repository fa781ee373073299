import { offline } from '../../../gateway/cli/offline';
import { openStore, type Store } from '../../../gateway/store/store';
import { KnownTemplates } from '../../../gateway/templates/known-templates';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { startScene, type Scene, type TestLine } from '../../support/scene';
import { addTestLine, notify, settings } from '../../support/test-gateway';
import { keepOrderUpdate, ORDER_UPDATE } from '../../bench/order-template';

const WABA_ID = '2022901293477';

describe.each(DATABASES)('a template that was sent ($name)', ({ createUrl }) => {
  let scene: Scene;
  let line: TestLine;

  beforeEach(async () => {
    scene = await startScene(await createUrl());
    line = await scene.line({ wabaId: WABA_ID });
    await inStore((store) => keepOrderUpdate(store, { id: 1, wabaId: WABA_ID }, '2026-01-01T00:00:00.000Z'));
    expect(await send()).toBe('sent');
  });
  afterEach(() => scene.stop());

  /** As another process would change it. */
  async function inStore(work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<unknown>) {
    const store = await openStore(scene.databaseUrl);
    await work(store).finally(() => store.close());
  }
  const send = async (): Promise<string> => {
    const { body } = await line.send({ to: '5511999990001', type: 'template', template: ORDER_UPDATE });
    return body.success ? 'sent' : body.error_code;
  };
  const listed = (status: string) => {
    scene.upstream.answers.templates = () => ({ body: { data: [{ ...LISTED, status }] } });
  };
  const isRefused = () => until(async () => (await send()) === 'template_not_approved');

  test('is refused once an event tells that the platform has paused it', async () => {
    const value = {
      event: 'PAUSED',
      message_template_id: 1,
      message_template_name: ORDER_UPDATE.name,
      message_template_language: 'en_US',
    };
    // Asked for the rest, which the event does not tell.
    listed('PAUSED');
    const changes = [{ field: 'message_template_status_update', value }];
    const entry = [{ id: WABA_ID, time: Math.floor(scene.clock.now / 1000), changes }];
    expect(await notify(scene.gateway, { object: 'whatsapp_business_account', entry })).toBe(200);
    await isRefused();
  });

  test('is refused once another process knows of the pause', async () => {
    const paused = {
      upstream_id: null,
      name: ORDER_UPDATE.name,
      language: 'en_US',
      at: '2026-12-01T00:00:00.000Z',
    };
    await inStore((store) => store.templates.applyChanges(1, [{ ...paused, upstream_status: 'PAUSED' }]));
    await isRefused();
  });

  test('is judged by the list that was read last', async () => {
    listed('REJECTED');
    scene.clock.now += 120_000;
    await line.get('/templates?refresh=1');
    expect(await send()).toBe('template_not_approved');
  });
});

const LISTED = {
  id: '1',
  name: ORDER_UPDATE.name,
  language: 'en_US',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}}' }],
};

describe.each(DATABASES)('lists of templates that are known ($name)', ({ createUrl }) => {
  let store: Store;
  let line: number;

  beforeEach(async () => {
    const env = settings(await createUrl());
    await offline(env, async () => undefined);
    line = (await addTestLine(env)).id;
    store = await openStore(env.GATEWAY_DATABASE_URL ?? '');
  });
  afterEach(() => store.close());

  /** How often the database was asked for a list. */
  function counting() {
    let asked = 0;
    const known = new KnownTemplates({
      templates: {
        ...store.templates,
        ofLine: (id) => {
          asked++;
          return store.templates.ofLine(id);
        },
      },
    });
    return { known, asked: () => asked };
  }

  test('are read once, however many ask at the same time, until something changes', async () => {
    const { known, asked } = counting();
    const lists = await Promise.all(Array.from({ length: 100 }, () => known.list(line)));
    await known.list(line);
    expect(asked()).toBe(1);
    expect(lists[0]?.templates.length).toBeGreaterThan(0);
    known.forget();
    await known.list(line);
    expect(asked()).toBe(2);
  });

  test('are read in several turns of the event loop where they are long', async () => {
    const template = (index: number) => ({
      ...{ name: `long_${index}`, language: 'en_US', upstream_id: null, category: 'UTILITY' },
      ...{ upstream_status: 'APPROVED', quality_score: null, rejected_reason: null, quality_node: null },
      parameter_format: 'POSITIONAL',
      components: JSON.stringify([{ type: 'BODY', text: 'x'.repeat(16 * 1024) }]),
    });
    const at = new Date().toISOString();
    const { waba_id: wabaId = '' } = (await store.lines.find(line)) ?? {};
    const templates = Array.from({ length: 80 }, (_nothing, index) => template(index));
    await store.templates.replaceSynced(line, templates, { wabaId, readAt: at, syncedAt: at });
    const [rows, syncedAt] = await Promise.all([
      store.templates.ofLine(line),
      store.templates.syncedAt(line),
    ]);
    expect(syncedAt).toBe(at);
    // Turns in which the database is waited for do not count.
    const read = { ofLine: async () => rows, syncedAt: async () => syncedAt };
    const known = new KnownTemplates({ templates: { ...store.templates, ...read } });
    let [turned, isOver] = [0, false];
    const turn = () => void (!isOver && (turned++, setImmediate(turn)));
    known
      .list(line)
      .finally(() => (isOver = true))
      .catch(() => undefined);
    turn();
    expect((await known.list(line)).templates.length).toBeGreaterThanOrEqual(80);
    expect(turned).toBeGreaterThanOrEqual(20);
  });

  test('are read anew where they changed while they were read', async () => {
    const { known, asked } = counting();
    const before = known.list(line);
    known.forget();
    await Promise.all([before, known.list(line)]);
    await known.list(line);
    expect(asked()).toBe(2);
  });
});
