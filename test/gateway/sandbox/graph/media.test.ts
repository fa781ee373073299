import { MediaFiles } from '../../../../gateway/sandbox/platform/media-files';
import { HOUR, type Json, LINE, lineWith, startTestSandbox, type TestSandbox, TOKEN } from '../support';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
const bearer = { authorization: `Bearer ${TOKEN}` };

async function upload(sandbox: TestSandbox, parts: Record<string, string | Blob>, line = LINE) {
  const body = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, value, 'a.bin');
  }
  const answer = await fetch(`${sandbox.url}/v22.0/${line}/media`, { method: 'POST', headers: bearer, body });
  const json: Json = await answer.json();
  return { code: answer.status, json };
}

const png = (bytes: Uint8Array<ArrayBuffer> = PNG) => new Blob([bytes], { type: 'image/png' });
const whole = () => ({ messaging_product: 'whatsapp', type: 'image/png', file: png() });

describe('a media file in the sandbox', () => {
  test('is uploaded, described, downloaded with the token, sent and deleted', async () => {
    const sandbox = await startTestSandbox();
    const { code, json } = await upload(sandbox, whole());
    expect([code, json]).toEqual([200, { id: expect.stringMatching(/^\d{16}$/) }]);

    const node = (await sandbox.call('GET', `/v22.0/${json.id}`)).json;
    expect(node).toEqual({
      url: expect.stringContaining(`${sandbox.url}/whatsapp_business/attachments/?mid=${json.id}&ext=`),
      mime_type: 'image/png',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      file_size: PNG.length,
      id: json.id,
      messaging_product: 'whatsapp',
    });
    const file = await fetch(node.url, { headers: bearer });
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PNG);
    expect((await fetch(node.url)).status).toBe(401);

    expect(await sandbox.send({ type: 'image', image: { id: json.id } })).toMatchObject({ code: 200 });
    const path = `/v22.0/${json.id}`;
    const removed = await fetch(sandbox.url + path, { method: 'DELETE', headers: bearer });
    expect(await removed.json()).toEqual({ success: true });
    expect(await sandbox.call('GET', path)).toMatchObject({
      code: 400,
      json: { error: { error_subcode: 33 } },
    });
    expect((await fetch(node.url, { headers: bearer })).status).toBe(404);
    expect((await fetch(sandbox.url + path, { method: 'DELETE', headers: bearer })).status).toBe(400);
  });

  test('has an address for five minutes', async () => {
    const sandbox = await startTestSandbox();
    const { json } = await upload(sandbox, whole());
    const { url } = (await sandbox.call('GET', `/v22.0/${json.id}`)).json;
    const forged = url.replace(/ext=\d+/, `ext=${Date.now() * 2}`);
    expect((await fetch(forged, { headers: bearer })).status).toBe(404);
    sandbox.later(HOUR / 12);
    const late = await fetch(url, { headers: bearer });
    expect([late.status, await late.json()]).toMatchObject([
      404,
      { error: { message: 'URL signature expired' } },
    ]);
  });

  test('is seen by those who have the token of its line, and for its own number', async () => {
    const other = lineWith({ phoneNumberId: '109351478203699', accessToken: 'EAAother' });
    const sandbox = await startTestSandbox({ lines: () => [lineWith({ phoneNumberId: LINE }), other] });
    const { json } = await upload(sandbox, whole());
    const path = `/v22.0/${json.id}`;
    expect((await sandbox.call('GET', `${path}?phone_number_id=${LINE}`)).code).toBe(200);
    expect((await sandbox.call('GET', `${path}?phone_number_id=109351478203699`)).code).toBe(400);
    const foreign = { authorization: 'Bearer EAAother' };
    expect((await sandbox.call('GET', path, undefined, foreign)).code).toBe(400);
  });

  test.each([
    ['messaging_product', { file: png() }, '(#100) The parameter messaging_product is required.'],
    ['a file', { messaging_product: 'whatsapp' }, '(#100) The parameter file is required.'],
    [
      'a file that is none',
      { messaging_product: 'whatsapp', file: 'text' },
      '(#100) The parameter file is required.',
    ],
    [
      'a type that the platform takes',
      { messaging_product: 'whatsapp', file: new Blob(['x'], { type: 'image/gif' }) },
      "Received file of type 'image/gif'.",
    ],
  ])('is refused without %s', async (_name, parts, message) => {
    const sandbox = await startTestSandbox();
    const { code, json } = await upload(sandbox, parts as Record<string, string | Blob>);
    expect([code, json.error.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('that is none cannot be sent by its id', async () => {
    const sandbox = await startTestSandbox();
    const { code, json } = await sandbox.send({ type: 'audio', audio: { id: '123' } });
    expect([code, json.error.message]).toEqual([
      400,
      "(#100) Param audio['id'] is not a valid whatsapp business account media attachment ID",
    ]);
  });

  test('makes room for newer ones once there are too many', () => {
    const line = lineWith({ phoneNumberId: LINE });
    const files = new MediaFiles(() => new Date());
    const large = Buffer.allocUnsafe(90 * 1024 * 1024);
    const kept = [1, 2, 3].map(() => files.keep(line, 'application/pdf', large));
    expect(kept.map(({ id }) => files.find(id, [line]))).toEqual([undefined, kept[1], kept[2]]);
  });

  test('larger than any may be is refused, and so is a form that breaks off', async () => {
    const sandbox = await startTestSandbox();
    const { code, json } = await upload(sandbox, {
      messaging_product: 'whatsapp',
      file: png(new Uint8Array(100 * 1024 * 1024 + 1)),
    });
    expect([code, json.error.error_data.details]).toEqual([400, 'The file is larger than 100 MB']);
    const broken = await sandbox.call(
      'POST',
      `/v22.0/${LINE}/media`,
      '--x\r\nContent-Disposition: form-data; ',
      {
        'content-type': 'multipart/form-data; boundary=x',
      },
    );
    expect([broken.code, broken.json.error.code]).toEqual([400, 100]);
  });
});
