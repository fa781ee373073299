import { traceOf, traceOfEvent, traceparent } from '../../../gateway/http/trace-context';
import { SECOND } from '../../../gateway/time';
import { startPeer, until } from '../../support/http-peer';
import { call, CONTACT, imageTo, sceneOf } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

describe('a trace context', () => {
  test.each([
    ['of this version', `00-${ID}-${SPAN}-01`, '01'],
    ['that nobody recorded', `00-${ID}-${SPAN}-00`, '00'],
    ['of a later version, with more behind it', `cc-${ID}-${SPAN}-01-what-comes`, '01'],
  ])('is followed: %s', (_which, header, flags) => {
    expect(traceOf(header)).toEqual({ id: ID, flags });
  });

  test.each([
    ['none', undefined],
    ['two', [`00-${ID}-${SPAN}-01`, `00-${ID}-${SPAN}-01`]],
    ['two in one', `00-${ID}-${SPAN}-01, 00-${ID}-${SPAN}-01`],
    ['an id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a parent of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
    ['capital letters', `00-${ID.toUpperCase()}-${SPAN}-01`],
    ['a version that is none', `ff-${ID}-${SPAN}-01`],
    ['more than this version has', `00-${ID}-${SPAN}-01-more`],
    ['too little', `00-${ID}-${SPAN}`],
    ['a line that ends in itself', `00-${ID}-${SPAN}-01\n`],
  ])('begins anew where there is none that is valid: %s', (_which, header) => {
    const one = traceOf(header);
    expect(one.id).not.toBe(ID);
    expect(traceparent(one)).toMatch(VALID);
    expect(traceOf(header).id).not.toBe(one.id);
  });

  test('is passed on with an id of its own for each call', () => {
    const calls = [1, 2].map(() => traceparent({ id: ID, flags: '00' }));
    for (const one of calls) expect(one).toMatch(new RegExp(`^00-${ID}-[0-9a-f]{16}-00$`));
    expect(new Set(calls).size).toBe(2);
  });

  test('of an event is the same whoever asks, and another for another event', () => {
    expect(traceOfEvent('evt_1')).toEqual(traceOfEvent('evt_1'));
    expect(traceOfEvent('evt_2').id).not.toBe(traceOfEvent('evt_1').id);
  });
});

describe('the gateway', () => {
  const scene = sceneOf();

  test('carries the trace of a send the platform and into its log', async () => {
    const line = await scene.line();
    scene.upstream.answers.messages = () => ({ status: 500, body: 'no JSON' });
    const send = (header: string) =>
      call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${line.token}`,
          'content-type': 'application/json',
          traceparent: header,
        },
        body: JSON.stringify(imageTo(CONTACT)),
      });
    await send(`00-${ID}-${SPAN}-01`);
    await send('00-nonsense');
    const [first, second] = scene.upstream
      .asked('messages', line.phoneNumberId)
      .map(({ headers }) => String(headers.traceparent));
    expect(first).toMatch(new RegExp(`^00-${ID}-(?!${SPAN})[0-9a-f]{16}-01$`));
    expect(second).toMatch(VALID);
    expect(second).not.toContain(ID);
    expect(scene.gateway.logged()).toContain(`"traceId":"${ID}"`);
  });

  test('sends every attempt at an event under the same trace', async () => {
    let answers = 503;
    const receiver = await startPeer(() => ({ status: answers }));
    const line = await scene.line();
    await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url }),
    });
    await notify(scene.gateway, notification(textFrom(CONTACT, 'Hello', 'wamid.1'), line.phoneNumberId));
    const posted = () => receiver.received.filter(({ method }) => method === 'POST');
    await until(() => posted().length === 1);
    answers = 200;
    scene.clock.now += 5 * SECOND;
    await until(() => posted().length === 2);
    const [first, second] = posted().map(({ headers }) => String(headers.traceparent));
    expect(first).toMatch(VALID);
    expect(second?.slice(0, 35)).toBe(first?.slice(0, 35));
    expect(second).not.toBe(first);
    await receiver.close();
  });
});
