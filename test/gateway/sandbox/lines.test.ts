import { DEMO_LINE, type SandboxLine } from '../../../gateway/sandbox/platform/account';
import {
  CONTACT,
  inside,
  LINE,
  lineWith,
  startObserved,
  startTestSandbox,
  template,
  TOKEN,
  WABA,
} from './support';

const OTHER_TOKEN = 'EAAtokenOfAnother';
const OTHER_WABA = '200000000000001';

const demo = lineWith({ phoneNumberId: LINE });
const sister = lineWith({
  phoneNumberId: '1001',
  verifiedName: 'Sister',
  displayPhoneNumber: '+1 202-555-0101',
});
const other = lineWith({
  phoneNumberId: '2001',
  verifiedName: 'Other Shop',
  displayPhoneNumber: '+1 202-555-0102',
  wabaId: OTHER_WABA,
  accessToken: OTHER_TOKEN,
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const TOKEN_MISSING = { code: 401, json: { error: { code: 104, type: 'OAuthException' } } };
const TOKEN_INVALID = { code: 401, json: { error: { code: 190, type: 'OAuthException' } } };
const OBJECT_UNKNOWN = {
  code: 400,
  json: {
    error: {
      message: expect.stringMatching(/does not exist, cannot be loaded due to missing permissions/),
      type: 'GraphMethodException',
      code: 100,
      error_subcode: 33,
    },
  },
};

const hello = { messaging_product: 'whatsapp', to: CONTACT, ...template('hello_world') };

/** Every request that the platform knows, on that line and business account. */
const requestsOn = (line: Pick<SandboxLine, 'phoneNumberId' | 'wabaId'>) =>
  [
    ['POST', `/v22.0/${line.phoneNumberId}/messages`, hello],
    ['GET', `/v22.0/${line.phoneNumberId}`, undefined],
    ['GET', `/v22.0/${line.wabaId}/message_templates`, undefined],
    ['GET', `/v22.0/${line.wabaId}/phone_numbers`, undefined],
  ] as const;

describe('an access token', () => {
  it.each(requestsOn(demo))('is needed to %s %s', async (method, path, body) => {
    const sandbox = await startTestSandbox({ lines: () => [demo, other] });
    const without = await fetch(sandbox.url + path, { method, body: body && JSON.stringify(body) });
    expect({ code: without.status, json: await without.json() }).toMatchObject(TOKEN_MISSING);
    expect((await sandbox.call(method, path, body)).code).toBe(200);
  });

  it.each([
    ['of no line', bearer('EAAunknown')],
    ['cut short', bearer(TOKEN.slice(0, -1))],
    ['with something behind it', bearer(`${TOKEN}x`)],
    ['of another kind', { authorization: 'Basic abc' }],
  ])('%s is refused whatever it is for', async (_fault, headers) => {
    const sandbox = await startTestSandbox({ lines: () => [demo, other] });
    for (const [method, path, body] of [
      ...requestsOn(demo),
      ...requestsOn({ phoneNumberId: '7', wabaId: '8' }),
    ]) {
      expect(await sandbox.call(method, path, body, headers)).toMatchObject(TOKEN_INVALID);
    }
  });

  it('is of no use where there is no line', async () => {
    const sandbox = await startTestSandbox({ lines: () => [] });
    expect(await sandbox.call('GET', `/v22.0/${LINE}`)).toMatchObject(TOKEN_INVALID);
  });

  it.each(requestsOn(other))('of one line does not open another: %s %s', async (method, path, body) => {
    const { receiver, sandbox } = await startObserved({ lines: () => [demo, other] });
    expect(await sandbox.call(method, path, body)).toMatchObject(OBJECT_UNKNOWN);
    const shown = await sandbox.call(
      'GET',
      `/sandbox/contacts/${CONTACT}/messages?line=${other.phoneNumberId}`,
    );
    expect(shown.json.messages).toEqual([]);
    expect(receiver.received).toEqual([]);
    expect((await sandbox.call(method, path, body, bearer(OTHER_TOKEN))).code).toBe(200);
  });

  it.each(requestsOn({ phoneNumberId: '4711', wabaId: '4712' }))(
    'does not open what nobody has: %s %s',
    async (method, path, body) => {
      const sandbox = await startTestSandbox({ lines: () => [demo, other] });
      expect(await sandbox.call(method, path, body)).toMatchObject(OBJECT_UNKNOWN);
    },
  );

  it('of several lines opens each of them and their business accounts', async () => {
    const abroad = { ...sister, wabaId: OTHER_WABA };
    const sandbox = await startTestSandbox({ lines: () => [demo, abroad] });
    for (const [method, path, body] of [...requestsOn(demo), ...requestsOn(abroad)]) {
      expect((await sandbox.call(method, path, body)).code).toBe(200);
    }
  });

  it('lists of a business account the lines that it belongs to', async () => {
    const stranger = { ...other, wabaId: WABA };
    const sandbox = await startTestSandbox({ lines: () => [demo, stranger, sister] });
    const listed = async (token: string) => {
      const { json } = await sandbox.call('GET', `/v22.0/${WABA}/phone_numbers`, undefined, bearer(token));
      return json.data.map((each: { id: string }) => each.id);
    };
    expect(await listed(TOKEN)).toEqual([LINE, sister.phoneNumberId]);
    expect(await listed(OTHER_TOKEN)).toEqual([stranger.phoneNumberId]);
  });

  it('refuses to mark a message as read that a contact wrote to another line', async () => {
    const sandbox = await startTestSandbox({ lines: () => [demo, other] });
    const { id } = (await sandbox.contact({ text: 'Hi', line: other.phoneNumberId })).json;
    expect((await sandbox.send({ status: 'read', message_id: id })).json.error.code).toBe(131009);
    const path = `/sandbox/contacts/${CONTACT}/messages?line=${other.phoneNumberId}`;
    expect((await sandbox.call('GET', path)).json.messages).toMatchObject([{ id, statuses: [] }]);
  });
});

describe('the lines', () => {
  it('are those that there are at the time of the request', async () => {
    let lines = [demo];
    const sandbox = await startTestSandbox({ lines: () => lines });
    const send = (line: SandboxLine) =>
      sandbox.call('POST', `/v22.0/${line.phoneNumberId}/messages`, hello, bearer(line.accessToken));
    expect(await send(other)).toMatchObject(TOKEN_INVALID);

    lines = [demo, other];
    expect((await send(other)).code).toBe(200);
    expect((await sandbox.call('GET', '/sandbox')).json.lines).toHaveLength(2);

    lines = [demo, { ...other, accessToken: 'EAAnewToken' }];
    expect(await send(other)).toMatchObject(TOKEN_INVALID);
    expect((await send(lines[1])).code).toBe(200);

    lines = [other];
    expect(await send(demo)).toMatchObject(TOKEN_INVALID);
    expect((await send(other)).code).toBe(200);
  });

  it('are named in callbacks with their own number and business account', async () => {
    const { receiver, sandbox } = await startObserved({ lines: () => [demo, other] });
    await sandbox.contact({ text: 'Hi', line: other.phoneNumberId });
    await sandbox.call('POST', `/v22.0/${other.phoneNumberId}/messages`, hello, bearer(OTHER_TOKEN));
    const received = await receiver.accepted(4);
    expect(received.map((each) => inside(each).type ?? inside(each).status)).toEqual([
      'text',
      'sent',
      'delivered',
      'read',
    ]);
    for (const { json } of received) {
      expect(json.entry[0].id).toBe(OTHER_WABA);
      expect(json.entry[0].changes[0].value.metadata).toEqual({
        display_phone_number: '12025550102',
        phone_number_id: other.phoneNumberId,
      });
    }
  });
});

describe('the control routes', () => {
  const MESSAGES = `/sandbox/contacts/${CONTACT}/messages`;

  it('show the lines, but no access token', async () => {
    const sandbox = await startTestSandbox({ lines: () => [demo, other] });
    const { json } = await sandbox.call('GET', '/sandbox');
    expect(json.lines).toMatchObject([
      { line: LINE, phone_number: DEMO_LINE.displayPhoneNumber, name: 'Demo Shop' },
      { line: '2001', phone_number: '+1 202-555-0102', name: 'Other Shop' },
    ]);
    expect(JSON.stringify(json)).not.toMatch(/EAA/);
  });

  it('want to be told the line where there are several, and say which there are', async () => {
    const sandbox = await startTestSandbox({ lines: () => [demo, other] });
    const refused = {
      code: 400,
      json: {
        error: {
          message:
            `There are several lines; name one as "line": ${LINE} (Demo Shop, +1 202-555-0123), ` +
            '2001 (Other Shop, +1 202-555-0102).',
        },
      },
    };
    expect(await sandbox.contact({ text: 'a' })).toMatchObject(refused);
    expect(await sandbox.call('GET', MESSAGES)).toMatchObject(refused);
    expect((await sandbox.contact({ text: 'a', line: '2001' })).code).toBe(200);
    expect((await sandbox.call('GET', `${MESSAGES}?line=2001`)).json.messages).toHaveLength(1);
    expect((await sandbox.call('GET', `${MESSAGES}?line=${LINE}`)).json.messages).toHaveLength(0);
  });

  it('are named in a refusal where they are few, and the rest counted', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ ...other, phoneNumberId: `${3000 + index}` }));
    const sandbox = await startTestSandbox({ lines: () => many });
    const { message } = (await sandbox.contact({ text: 'a' })).json.error as { message: string };
    expect(message).toContain('3004 (Other Shop, +1 202-555-0102), and 995 more, which GET /sandbox lists.');
    expect(message).not.toContain('3005');
  });

  it('say that there is no line', async () => {
    const sandbox = await startTestSandbox({ lines: () => [] });
    const refused = {
      code: 400,
      json: { error: { message: 'There is no line yet that a contact could write to.' } },
    };
    expect(await sandbox.contact({ text: 'a' })).toMatchObject(refused);
    expect(await sandbox.contact({ text: 'a', line: LINE })).toMatchObject(refused);
    expect((await sandbox.call('GET', '/sandbox')).json.lines).toEqual([]);
  });

  describe('where other machines reach them', () => {
    const startReachable = async () => {
      const tokenless = lineWith({ phoneNumberId: '3001', accessToken: '' });
      const sandbox = await startTestSandbox({ host: '0.0.0.0', lines: () => [demo, other, tokenless] });
      return async (method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: object) => {
        const url = sandbox.url.replace('0.0.0.0', '127.0.0.1') + path;
        const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
        return { code: answer.status, json: (await answer.json()) as { lines: { line: string }[] } };
      };
    };

    it.each([
      ['no token', {}],
      ['an empty token', { authorization: 'Bearer ' }],
      ['an unknown token', bearer('EAAunknown')],
      ['a token from a web page', { ...bearer(TOKEN), origin: 'https://shop.example' }],
    ])('refuse %s', async (_what, headers) => {
      const call = await startReachable();
      for (const answer of [
        await call('GET', '/sandbox', headers),
        await call('GET', `${MESSAGES}?line=${LINE}`, headers),
        await call('POST', MESSAGES, headers, { text: 'Hi', line: LINE }),
      ]) {
        expect([401, 403]).toContain(answer.code);
        expect(JSON.stringify(answer.json)).not.toContain(LINE);
      }
    });

    it('take the access token of any line, for the lines that it belongs to', async () => {
      const call = await startReachable();
      for (const [own, foreign] of [
        [demo, other],
        [other, demo],
      ]) {
        const headers = bearer(own.accessToken);
        const { lines } = (await call('GET', '/sandbox', headers)).json;
        expect(lines.map(({ line }) => line)).toEqual([own.phoneNumberId]);
        expect((await call('POST', MESSAGES, headers, { text: 'Hi' })).code).toBe(200);
        const refused = await call('POST', MESSAGES, headers, { text: 'Hi', line: foreign.phoneNumberId });
        expect(refused.code).toBe(400);
        expect(JSON.stringify(refused.json)).not.toContain(foreign.displayPhoneNumber);
        expect((await call('GET', `${MESSAGES}?line=${foreign.phoneNumberId}`, headers)).code).toBe(400);
      }
    });
  });
});
