import { insertDestination } from '../../../gateway/forwarding/destinations/destination-rows';
import { destinationRules } from '../../../gateway/http/destination-address';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { call, CONTACT, expectRefusal, lineOf, sceneOf } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

describe.each(DATABASES)('where the allow list holds for operators alone ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, {
    GATEWAY_ALLOW_DESTINATIONS: '127.0.0.1',
    GATEWAY_ALLOW_FOR_TOKENS: 'off',
  });
  const line = lineOf(scene);
  let receiver: HttpPeer;

  beforeAll(async () => {
    receiver = await startPeer();
  });
  afterAll(() => receiver.close());

  const add = (url: string) =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });

  test('a customer is refused what it names, and told whom to ask', async () => {
    const details = expectRefusal(await add(`${receiver.url}/hook`), 400, 'invalid_payload', 131009);
    expect(details).toContain('Ask the operator of the gateway');
    expect(details).not.toContain('GATEWAY_ALLOW_DESTINATIONS');
    expect(receiver.received).toEqual([]);
  });

  test('events go to what operators have named, and not to what customers named before', async () => {
    for (const origin of ['operator', 'token'] as const)
      await scene.change((world) =>
        insertDestination({ ...world, rules: destinationRules(['127.0.0.1']) }, line.id, {
          url: `${receiver.url}/${origin}`,
          origin,
        }),
      );
    expect(
      await notify(
        scene.gateway,
        notification(textFrom(CONTACT, 'hello', 'wamid.hello'), line.phoneNumberId),
      ),
    ).toBe(200);
    const outcomes = () =>
      rows(
        scene.databaseUrl,
        'select outcome, origin from attempts join destinations on id = destination_id',
      );
    await until(async () => (await outcomes()).length === 2);
    expect(new Set(await outcomes())).toEqual(
      new Set([
        { origin: 'operator', outcome: 'delivered' },
        { origin: 'token', outcome: 'address_refused' },
      ]),
    );
    expect(receiver.received.map(({ url }) => url)).toEqual(['/operator']);
  });
});
