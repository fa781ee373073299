import { DOCUMENTED_ERRORS } from '../../../../gateway/sandbox/platform/documented-errors';
import {
  CONTACT,
  inside,
  LINE,
  lineWith,
  startObserved,
  startTestSandbox,
  template,
  TOKEN,
  valueOf,
  WABA,
} from '../support';

const hello = template('hello_world');
const numberOf = (how: 0 | 1 | 2, rest: number): string => `1555${how}${String(rest).padStart(6, '0')}`;

describe('a number that fails', () => {
  it('is there for every documented error, at once and later', async () => {
    const { receiver, sandbox } = await startObserved();
    for (const { code, httpStatus, title, answer } of DOCUMENTED_ERRORS) {
      const refused = await sandbox.send({ ...hello, to: numberOf(0, code) });
      expect([code, refused.code, refused.json.error.code]).toEqual([code, httpStatus, code]);
      expect(refused.json.error.message).toBe(answer?.message ?? `(#${code}) ${title}`);
      expect(refused.json).not.toHaveProperty('messages');

      const accepted = await sandbox.send({ ...hello, to: numberOf(1, code) });
      expect([code, accepted.code]).toEqual([code, 200]);
    }
    const reported = (await receiver.accepted(2 * DOCUMENTED_ERRORS.length)).map(inside);
    const failed = reported.filter(({ status }) => status === 'failed');
    expect(failed.map(({ errors }) => errors[0].code).sort()).toEqual(
      DOCUMENTED_ERRORS.map(({ code }) => code).sort(),
    );
  });

  it('answers as the platform does where that is known', async () => {
    const sandbox = await startTestSandbox();
    const answered = async (code: number) => {
      const { code: status, json, headers } = await sandbox.send({ ...hello, to: numberOf(0, code) });
      return { status, error: json.error, isChallenged: headers.has('www-authenticate') };
    };
    const fbtrace_id = expect.any(String);
    expect(await answered(131026)).toEqual({
      status: 400,
      error: {
        message: '(#131026) Message undeliverable',
        type: 'OAuthException',
        code: 131026,
        error_data: { messaging_product: 'whatsapp', details: 'Message Undeliverable.' },
        fbtrace_id,
      },
      isChallenged: false,
    });
    expect(await answered(190)).toEqual({
      status: 401,
      error: {
        message: 'Error validating access token: Session has expired',
        type: 'OAuthException',
        code: 190,
        error_subcode: 463,
        fbtrace_id,
      },
      isChallenged: true,
    });
    expect(await answered(80007)).toEqual({
      status: 429,
      error: {
        message: 'Business request limit reached for WhatsApp Business Account',
        type: 'OAuthException',
        code: 80007,
        error_subcode: 2446079,
        is_transient: true,
        fbtrace_id,
      },
      isChallenged: false,
    });
    expect((await answered(2)).error).toMatchObject({ type: 'GraphMethodException', is_transient: true });
  });

  it('may be written with a plus and spaces', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.send({ ...hello, to: '+1 555 013-0429' })).json.error.code).toBe(130429);
  });

  it.each([502, 503, 504, 500])('has a proxy answer %i with a web page', async (status) => {
    const sandbox = await startTestSandbox();
    const answer = await fetch(`${sandbox.url}/v22.0/${LINE}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ messaging_product: 'whatsapp', to: numberOf(2, status), ...hello }),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await answer.text()).toContain(`<h1>${status} `);
  });

  it('cuts the connection, and nothing is sent', async () => {
    const { receiver, sandbox } = await startObserved();
    await expect(sandbox.send({ ...hello, to: '15552000000' })).rejects.toThrow('fetch failed');
    await sandbox.send(hello);
    const statuses = (await receiver.accepted(3)).map(inside);
    expect(new Set(statuses.map((each) => each.recipient_id))).toEqual(new Set([CONTACT]));
  });

  it('leaves the send without an answer, and the message is sent all the same', async () => {
    const { receiver, sandbox } = await startObserved();
    const body = JSON.stringify({ messaging_product: 'whatsapp', to: '15552000001', ...hello });
    const unanswered = new AbortController();
    const sending = fetch(`${sandbox.url}/v22.0/${LINE}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body,
      signal: unanswered.signal,
    });
    expect(inside((await receiver.accepted(3))[2])).toMatchObject({
      status: 'read',
      recipient_id: '15552000001',
    });
    unanswered.abort();
    await expect(sending).rejects.toThrow('aborted');
  });

  it('is no other number than these', async () => {
    const sandbox = await startTestSandbox();
    for (const to of ['15550783881', '15550999999', '15552000404', '15553131026', '115550131026']) {
      expect([to, (await sandbox.send({ ...hello, to })).code]).toEqual([to, 200]);
    }
  });

  it('is listed with its error', async () => {
    const sandbox = await startTestSandbox();
    const { json } = await sandbox.call('GET', '/sandbox/errors');
    expect(json.errors).toHaveLength(DOCUMENTED_ERRORS.length);
    expect(json.errors).toContainEqual({
      code: 131047,
      http_status: 400,
      title: 'Re-engagement message',
      details: expect.any(String),
      refused: '15550131047',
      fails_later: '15551131047',
    });
    expect(json.faults).toContainEqual({ fault: 502, number: '15552000502' });
  });
});

describe('a script', () => {
  it('lets the next sends be refused, and no more', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('failures', { code: 130429, times: 2 });
    const codes = [];
    for (let time = 0; time < 3; time++) codes.push((await sandbox.send(hello)).json.error?.code);
    expect(codes).toEqual([130429, 130429, undefined]);
  });

  it('lets the next sends fail later', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.play('failures', { code: 131049, as: 'status' });
    const { id } = (await sandbox.send(hello)).json.messages[0];
    const [, failed] = await receiver.accepted(2);
    expect(valueOf(failed).statuses).toMatchObject([{ id, status: 'failed', errors: [{ code: 131049 }] }]);
  });

  it('concerns one contact, or one line', async () => {
    const sandbox = await startTestSandbox({
      lines: () => [lineWith({ phoneNumberId: LINE }), lineWith({ phoneNumberId: '1001' })],
    });
    await sandbox.play('failures', { code: 131056, contact: '+1 202-555-0199', line: LINE });
    await sandbox.play('failures', { code: 133010, line: '1001' });
    const sent = async (line: string, to: string) =>
      (await sandbox.call('POST', `/v22.0/${line}/messages`, { messaging_product: 'whatsapp', to, ...hello }))
        .json.error?.code;
    expect(await sent(LINE, CONTACT)).toBeUndefined();
    expect(await sent(LINE, '12025550199')).toBe(131056);
    expect(await sent(LINE, '12025550199')).toBeUndefined();
    expect(await sent('1001', CONTACT)).toBe(133010);
  });

  it('lets everything that is asked of a line fail, as where its credentials have expired', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('failures', { code: 190, on: 'everything', times: 3 });
    const requests = [
      ['GET', `/v22.0/${LINE}`],
      ['GET', `/v22.0/${WABA}/message_templates`],
      ['GET', `/v22.0/${WABA}/phone_numbers`],
    ] as const;
    for (const [method, path] of requests) {
      expect(await sandbox.call(method, path)).toMatchObject({ code: 401, json: { error: { code: 190 } } });
    }
    expect((await sandbox.call('GET', `/v22.0/${LINE}`)).code).toBe(200);
  });

  it('spares other lines with the same access token', async () => {
    const other = lineWith({ phoneNumberId: '109351478203616', wabaId: '102748391650275' });
    const sandbox = await startTestSandbox({ lines: () => [lineWith({ phoneNumberId: LINE }), other] });
    await sandbox.play('failures', { code: 190, on: 'everything', times: 2, line: LINE });
    const codes = async (...ids: string[]) => {
      const answers = [];
      for (const id of ids) answers.push((await sandbox.call('GET', `/v22.0/${id}`)).code);
      return answers;
    };
    expect(await codes(other.phoneNumberId, `${other.wabaId}/message_templates`)).toEqual([200, 200]);
    expect(await codes(LINE, `${WABA}/message_templates`, LINE)).toEqual([401, 401, 200]);
  });

  it('lets the answer be a proxy’s', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('failures', { fault: 502, on: 'everything' });
    const answer = await fetch(`${sandbox.url}/v22.0/${LINE}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('Bad Gateway')]);
  });

  it('is shown, and can be taken back', async () => {
    const sandbox = await startTestSandbox();
    const script = {
      code: 131031,
      title: 'Account has been locked',
      as: 'answer',
      times: 5,
      on: 'sends',
      line: LINE,
    };
    expect(await sandbox.play('failures', { code: 131031, times: 5 })).toEqual(script);
    expect((await sandbox.call('GET', '/sandbox/failures')).json).toEqual({ failures: [script] });
    expect((await sandbox.call('GET', '/sandbox')).json.failures).toEqual([script]);
    expect((await sandbox.call('DELETE', '/sandbox/failures')).json).toEqual({ failures: [] });
    expect((await sandbox.send(hello)).code).toBe(200);
  });

  it.each([
    [{}, 'Say what happens with "code"'],
    [{ code: 131026, fault: 502 }, 'Say what happens with "code"'],
    [{ fault: 502, as: 'status' }, 'Say what happens with "code"'],
    [{ code: 7 }, 'GET /sandbox/errors lists them'],
    [{ code: '131026' }, 'is the number of an error'],
    [{ fault: 418 }, '"fault" is one of "cut", "silent", 500'],
    [{ code: 131026, as: 'later' }, '"as" is one of "answer", "status"'],
    [{ code: 131026, times: 0 }, '"times" is a whole number from 1'],
    [{ code: 131026, on: 'all' }, '"on" is one of "sends", "everything"'],
    [{ code: 131026, as: 'status', on: 'everything' }, 'goes with an answer or a fault'],
    [{ code: 131026, line: '7' }, 'There is no line "7"'],
    [{ code: 131026, contact: 'ana' }, 'A contact is a telephone number'],
  ])('is not %j', async (body, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', '/sandbox/failures', body);
    expect([answer.code, answer.json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});
