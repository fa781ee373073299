import { startGateway, STATUS, type StandInGateway } from './support/gateway';
import { runAction } from '../support/n8n';

const GET = { resource: 'line', operation: 'getStatus' };
const ANSWER = {
  success: true,
  connected: true,
  state: 'connected',
  checked_at: '2026-11-20T10:00:00.000Z',
  line: {
    id: 12,
    name: 'Shop',
    phone_number: '+15550783881',
    channel: 'cloud_api',
    is_active: true,
    api_enabled: true,
  },
  platform: { platform_status: 'CONNECTED', quality_rating: 'HIGH', refresh: { requested: false } },
};

let gateway: StandInGateway;
beforeEach(async () => {
  gateway = await startGateway();
  gateway.on('GET', STATUS, () => ({ body: ANSWER }));
});
afterEach(() => gateway.close());

test('returns the status of the line as the gateway gives it', async () => {
  const { items } = await runAction(gateway.credentials, GET);
  expect(items).toHaveLength(1);
  expect(items[0].pairedItem).toEqual({ item: 0 });
  expect({ success: true, ...items[0].json }).toEqual(ANSWER);
  expect(items[0].json).not.toHaveProperty('success');
  expect(gateway.received[0].query).toEqual({});
});

test('asks for a refresh, and says why it was not performed', async () => {
  gateway.on('GET', STATUS, () => ({
    body: {
      ...ANSWER,
      platform: {
        ...ANSWER.platform,
        refresh: { requested: true, performed: false, reason: 'upstream_error' },
      },
    },
  }));
  const { items, hints } = await runAction(gateway.credentials, { ...GET, options: { refresh: true } });
  expect(gateway.received[0].query).toEqual({ refresh: '1' });
  expect(items[0].json.state).toBe('connected');
  expect(hints[0].message).toContain('the messaging platform could not be asked');
});

test('says nothing about a refresh that was performed or not asked for', async () => {
  const { hints } = await runAction(gateway.credentials, GET);
  expect(hints).toEqual([]);
});
