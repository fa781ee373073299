import { DATABASES } from '../../support/databases';
import { call, CONTACT, expectRefusal, freshLineOf, imageTo, sceneOf, textTo } from '../../support/scene';
import { notification, notify } from '../../support/test-gateway';

const SECOND = 1000;

describe.each(DATABASES)('GET message ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);
  let wamid: string;
  let sent = 0;

  beforeAll(() => {
    scene.upstream.answers.messages = ({ body }) => {
      const { to } = JSON.parse(body) as { to: string };
      return { body: { contacts: [{ input: to, wa_id: to }], messages: [{ id: wamid }] } };
    };
  });
  beforeEach(() => {
    wamid = `wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI4${++sent}+a/b==`;
  });

  const iso = (ahead = 0) => new Date(scene.clock.now + ahead * SECOND).toISOString();
  const tell = async (state: string, ahead: number, more: object = {}) => {
    const timestamp = String(scene.clock.now / SECOND + ahead);
    const status = { id: wamid, status: state, timestamp, recipient_id: CONTACT, ...more };
    expect(await notify(scene.gateway, notification({ statuses: [status] }, line.phoneNumberId))).toBe(200);
  };
  const message = (id = wamid) => line.get(`/messages/${encodeURIComponent(id)}`);
  const failed = (code: number, ahead = 9) =>
    tell('failed', ahead, { errors: [{ code, title: 'As upstream says it', error_data: { details: 'x' } }] });

  test('GET /v22.0/{tid}/messages/{id} → state, timestamps, contact, type and the own reference', async () => {
    await line.send({ ...imageTo(`+${CONTACT}`), biz_opaque_callback_data: 'order 7' });
    const accepted = {
      success: true,
      id: wamid,
      state: 'accepted',
      contact: CONTACT,
      type: 'image',
      text: null,
      client_ref: 'order 7',
      accepted_at: iso(),
      sent_at: null,
      delivered_at: null,
      read_at: null,
      played_at: null,
      failed_at: null,
      failure: null,
    };
    const { status, body } = await message();
    expect([status, body]).toEqual([200, accepted]);
    await tell('sent', 1);
    expect((await message()).body).toEqual({ ...accepted, state: 'sent', sent_at: iso(1) });
    await tell('read', 3);
    const read = { ...accepted, state: 'read', sent_at: iso(1), read_at: iso(3) };
    expect((await message()).body).toEqual(read);
    await tell('delivered', 2);
    expect((await message()).body).toEqual({ ...read, delivered_at: iso(2) });
    await tell('played', 4);
    expect((await message()).body).toEqual({
      ...read,
      delivered_at: iso(2),
      state: 'played',
      played_at: iso(4),
    });
  });

  test('decoded failure: what happened and what to do, beside the errors of upstream', async () => {
    await line.send(imageTo(CONTACT));
    await tell('sent', 1);
    await failed(131047);
    const { body } = await message();
    expect(body).toMatchObject({ state: 'failed', sent_at: iso(1), failed_at: iso(9) });
    expect(body.failure).toEqual({
      error_code: 'outside_24h_window',
      code: 131047,
      reason: 'More than 24 hours have passed since the contact last wrote to this line.',
      action: 'Send an approved template instead.',
      errors: [{ code: 131047, title: 'As upstream says it', error_data: { details: 'x' } }],
    });
  });

  test.each([
    ['no errors', {}],
    ['an empty list', { errors: [] }],
    ['no list', { errors: 'x' }],
    ['errors that are none', { errors: [null, 7, 'x', {}, { code: '' }, { code: {} }] }],
    ['a code that nobody knows', { errors: [{ code: 7000001 }] }],
  ])('tells of a failure with %s that there is no reason', async (_name, more) => {
    await tell('failed', 1, more);
    const { body } = await message();
    expect(body).toMatchObject({ state: 'failed', accepted_at: null, type: null, contact: CONTACT });
    expect(body.failure).toMatchObject({ error_code: 'upstream_error', action: expect.any(String) });
    expect(body.failure.errors).toEqual('errors' in more && Array.isArray(more.errors) ? more.errors : []);
  });

  test.each([
    ['as text', { code: '131026' }, 131026],
    ['in the second', null, 131026],
  ])('finds the code where it stands %s', async (_name, first, code) => {
    await tell('failed', 1, { errors: [first, { code: 131026 }] });
    expect((await message()).body.failure).toMatchObject({ error_code: 'undeliverable', code });
  });

  test('tells of a message that was delivered all the same that it was, with the failure beside it', async () => {
    await tell('delivered', 2);
    await failed(131026, 3);
    const later = (await message()).body;
    expect(later).toMatchObject({ state: 'delivered', failed_at: iso(3) });
    expect(later.failure).toMatchObject({ error_code: 'undeliverable' });
    wamid += 'other';
    await failed(131026, 3);
    expect((await message()).body.state).toBe('failed');
    await tell('delivered', 2);
    expect((await message()).body).toEqual({ ...later, id: wamid });
  });

  test.each([
    'wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI4QzBFRkYwRDlDRTg3NzEyNjMA',
    'wamid.gBGGSFcCNEOPAgkO_KJ55r4w_ww',
    'wamid.a+b/c==',
    'wamid.100% sure?&#x',
    `wamid.${'HBgL/+'.repeat(84)}==`,
    'ABEGVSBDIAASAhAa',
  ])('takes an id in its URL-encoded form: %s', async (id) => {
    wamid = id;
    await line.send(imageTo(CONTACT));
    expect((await message()).body).toMatchObject({ id, state: 'accepted' });
  });

  test.each(['wamid.unknown', 'a\0b', '\u0001', '%', '😀', 'x'.repeat(1000)])(
    'knows nothing of an id that is not there: %j',
    async (id) => {
      expect(expectRefusal(await message(id), 404, 'not_found', 100)).toContain('has sent no message');
    },
  );

  test('answers an id longer than any with 404 too', async () => {
    expectRefusal(await message('x'.repeat(2000)), 404, 'not_found', 2500);
  });

  test('reveals nothing of another line, and is the same under /api', async () => {
    await line.send(imageTo(CONTACT));
    const other = await scene.line();
    const path = `/messages/${encodeURIComponent(wamid)}`;
    expectRefusal(await other.get(path), 404, 'not_found', 100);
    const address = `${scene.gateway.url}/api/v22.0/${line.phoneNumberId}${path}`;
    const api = await call(address, { headers: { authorization: `Bearer ${line.token}` } });
    expect(api.body).toEqual((await message()).body);
    expectRefusal(
      await call(address, { headers: { authorization: `Bearer ${other.token}` } }),
      401,
      'invalid_token',
      190,
    );
    expectRefusal(await call(address), 401, 'missing_token', 190);
    expectRefusal(await call(address, { method: 'DELETE' }), 405, 'method_not_allowed', 2500);
    const head = await fetch(address, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${line.token}` },
    });
    expect(head.status).toBe(200);
  });

  test('never finds a message that was refused', async () => {
    expectRefusal(await line.send(textTo('16505559999')), 400, 'outside_24h_window', 131047);
    expectRefusal(await message(), 404, 'not_found', 100);
  });
});
