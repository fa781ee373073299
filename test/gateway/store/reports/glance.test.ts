import { addLine } from '../../../support/add-line';
import { insertDestination } from '../../../../gateway/forwarding/destinations/destination-rows';
import { destinationRules } from '../../../../gateway/http/destination-address';
import { openStore, type Store } from '../../../../gateway/store/store';
import { createVault } from '../../../../gateway/store/vault';
import { DATABASES } from '../../../support/databases';

const NOW = '2026-03-10T12:00:00.000Z';

describe.each(DATABASES)('a glance at the lines, on $name', ({ createUrl }) => {
  let store: Store;
  const world = () => ({
    store,
    vault: createVault('a key for tests'),
    rules: destinationRules([]),
    registry: { refresh: async () => {} },
    clock: () => Date.parse(NOW),
  });
  const line = async (phoneNumberId: string) => {
    const { row } = await addLine(world(), {
      name: phoneNumberId,
      phoneNumberId,
      phoneNumber: '15550783881',
      wabaId: '1',
      accessToken: null,
      appSecret: null,
      windowMode: 'text',
    });
    return row.id;
  };
  const destination = async (lineId: number) =>
    (await insertDestination(world(), lineId, { url: 'https://example.com/', origin: 'operator' })).id;

  beforeEach(async () => {
    store = await openStore(await createUrl());
  });
  afterEach(() => store.close());

  /** @param destinations to which it is owed */
  const event = (id: string, lineId: number | null, receivedAt: string, destinations: number[]) =>
    store.write({
      kind: 'notification',
      events: [
        {
          id,
          line_id: lineId,
          subject: 'message',
          kind: 'text',
          identity: id,
          contact: null,
          wamid: null,
          phone_number_id: null,
          waba_id: null,
          body: '{}',
          received_at: receivedAt,
          automation: null,
          deliveries: destinations.map((to) => ({
            destination_id: to,
            lane: id,
            due_at: NOW,
          })),
        },
      ],
      messages: [],
      windows: [],
    });

  test('tells the last event of each line', async () => {
    const [one, other, silent] = [await line('1'), await line('2'), await line('3')];
    const [first, second] = [await destination(one), await destination(one)];
    await event('evt_1', one, '2026-03-10T10:00:00.000Z', [first, second]);
    await event('evt_2', one, '2026-03-10T11:00:00.000Z', [first]);
    await event('evt_3', other, '2026-03-10T11:30:00.000Z', []);
    await event('evt_4', null, NOW, []);
    const last = await store.glance.lastEvents([one, other, silent]);
    expect([last.get(one), last.get(other), last.get(silent)]).toEqual([
      '2026-03-10T11:00:00.000Z',
      '2026-03-10T11:30:00.000Z',
      undefined,
    ]);
  });

  test('a handshake is kept for one line, or for all, also those that are added later', async () => {
    const [one, other] = [await line('1'), await line('2')];
    const kept = async () => (await store.lines.all()).map(({ handshake_at: at }) => at);
    await store.lines.noteHandshake(other, NOW);
    expect(await kept()).toEqual([null, NOW]);
    await store.lines.noteHandshake(null, NOW);
    expect(await kept()).toEqual([NOW, NOW]);
    const later = await line('3');
    expect([(await kept())[2], await store.glance.notCalled(later)]).toEqual([NOW, []]);
    expect((await store.lines.find(one))?.name).toBe('1');
    expect(await store.lines.find(99)).toBeNull();
  });
});
