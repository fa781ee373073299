import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '../../support/http-peer';
import {
  call,
  expectRefusal,
  sqliteUrl,
  startScene,
  type Json,
  type Reply,
  type Scene,
  type TestLine,
} from '../../support/scene';
import {
  answer,
  END,
  fieldPart,
  filePart,
  FORM,
  HEADS,
  partsOf,
  sendRaw,
  startMediaUpstream,
  type MediaUpstream,
  type RawReply,
} from '../media/support';

const MB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of objects, and of buffers beside them, in this process. What a finalizer lets go of is garbage for the next time. */
function held(): number {
  collectGarbage();
  const { external, heapUsed } = process.memoryUsage();
  return external + heapUsed;
}

/** A file of exactly this size that begins as such a file does. */
function file(head: Buffer, size = head.length + 1000): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size).fill(0x20);
  whole.set(head.subarray(0, size));
  return whole;
}

/** What a form holds, in this order; in pairs where a name comes twice. */
type Part = string | [Uint8Array<ArrayBuffer>, type?: string, filename?: string];
type Parts = Record<string, Part> | [string, Part][];

// On one database: none has a part in what becomes of a file.
describe('uploading media', () => {
  let upstream: MediaUpstream;
  let scene: Scene;
  let line: TestLine;

  beforeAll(async () => {
    upstream = await startMediaUpstream();
    scene = await startScene(await sqliteUrl(), { GATEWAY_UPSTREAM_URL: upstream.url });
    line = await scene.line();
  });
  afterAll(async () => {
    await scene.stop();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.uploads.length = 0;
    upstream.onUpload = null;
  });

  const address = (prefix = '') => `${scene.gateway.url}${prefix}/v22.0/${line.phoneNumberId}/media`;
  const bearer = () => ({ authorization: `Bearer ${line.token}` });

  /** @param parts in the order in which they are sent */
  async function upload(parts: Parts, prefix = ''): Promise<Reply> {
    const form = new FormData();
    for (const [name, value] of Array.isArray(parts) ? parts : Object.entries(parts)) {
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, new Blob([value[0]], { type: value[1] ?? '' }), value[2] ?? 'a.bin');
    }
    return call(address(prefix), { method: 'POST', headers: bearer(), body: form });
  }
  const raw = (
    write: Parameters<typeof sendRaw>[2],
    headers: Record<string, string> = {},
  ): Promise<RawReply> => sendRaw(address(), { ...bearer(), ...FORM, ...headers }, write);

  const told = ({ body }: { body: Json }) => body.error.error_data.details as string;

  test.each(['', '/api'])('hands the file to upstream in its own form, under "%s"', async (prefix) => {
    const reply = await upload(
      {
        messaging_product: 'whatsapp',
        type: 'image/jpeg',
        file: [file(HEADS.jpeg), 'image/jpeg', 'photo.jpg'],
      },
      prefix,
    );
    expect([reply.status, reply.body]).toEqual([200, { success: true, id: '985569392615996' }]);
    expect(reply.headers.get('x-gateway-version')).toBe('v22.0');

    const [upload1] = upstream.uploads;
    expect(upload1).toMatchObject({ url: `/v22.0/${line.phoneNumberId}/media`, isWhole: true });
    expect(upload1?.headers).toMatchObject({ authorization: 'Bearer upstream-access-token' });
    expect(JSON.stringify(upload1?.headers)).not.toContain(line.token);
    const parts = await partsOf(upload1!);
    expect(parts.map(([name]) => name)).toEqual(['messaging_product', 'type', 'file']);
    expect(parts.slice(0, 2)).toEqual([
      ['messaging_product', 'whatsapp'],
      ['type', 'image/jpeg'],
    ]);
    const sent = parts[2]?.[1] as File;
    expect([sent.name, sent.type]).toEqual(['photo.jpg', 'image/jpeg']);
    expect(new Uint8Array(await sent.arrayBuffer())).toEqual(file(HEADS.jpeg));
  });

  test('takes the parts in any order, and fills in what upstream needs', async () => {
    const pdf: [Uint8Array<ArrayBuffer>, string, string] = [file(HEADS.pdf), 'application/pdf', 'a.pdf'];
    for (const parts of [
      { file: pdf, type: 'application/pdf', messaging_product: 'chat' },
      { type: 'application/pdf', file: pdf, messaging_product: 'whatsapp' },
      { file: pdf },
      { type: 'document', file: pdf, access_token: 'not for upstream', note: 'x' },
      { file: pdf, type: 'document' },
    ] as Parts[]) {
      expect((await upload(parts)).body).toEqual({ success: true, id: '985569392615996' });
    }
    for (const one of upstream.uploads) {
      expect((await partsOf(one)).map(([name, value]) => (typeof value === 'string' ? value : name))).toEqual(
        ['whatsapp', 'application/pdf', 'file'],
      );
    }
    expect(upstream.uploads).toHaveLength(5);
  });

  const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const accepted: [string, Buffer, string, string, string, string][] = [
    ['an MP4 that is sound alone', HEADS.mp4, 'audio/mp4', 'video/mp4', 'a.mp4', 'audio/mp4'],
    ['a voice message', HEADS.ogg, 'audio/ogg; codecs=opus', 'audio/ogg', 'v.ogg', 'audio/ogg; codecs=opus'],
    ['another word for MP3', HEADS.mp3, 'audio/mp3', '', 'a.mp3', 'audio/mpeg'],
    ['a Word document by its part alone', HEADS.zip, '', WORD, 'a.docx', WORD],
    ['a Word document by its name alone', HEADS.zip, '', 'application/octet-stream', 'a.docx', WORD],
    ['an archive', HEADS.zip, 'application/zip', '', 'a.zip', 'application/zip'],
    ['text', HEADS.text, 'text/plain', 'text/plain', 'a.csv', 'text/plain'],
    ['a sticker', HEADS.webp, 'sticker', '', 'a.webp', 'image/webp'],
    ['a kind and an MP4', HEADS.mp4, 'audio', 'video/mp4', 'a.mp4', 'audio/mp4'],
    [
      'a voice message by its part',
      HEADS.ogg,
      '',
      'audio/ogg; codecs=opus',
      'v.ogg',
      'audio/ogg; codecs=opus',
    ],
    [
      'the same with a quoted codec',
      HEADS.ogg,
      'audio',
      'audio/ogg;codecs="opus"',
      'v',
      'audio/ogg;codecs="opus"',
    ],
    ['a voice message as audio/opus', HEADS.ogg, '', 'audio/opus', 'v.opus', 'audio/ogg'],
    ['the same by its field', HEADS.ogg, 'audio/opus', '', 'v.opus', 'audio/ogg'],
    ['Ogg under another name', HEADS.ogg, 'application/ogg', '', 'v.ogg', 'audio/ogg'],
    ['a type that is none, beside one that is', HEADS.jpeg, 'image', 'jpg', 'a', 'image/jpeg'],
  ];
  test.each(accepted)('takes %s', async (_name, head, type, ofPart, filename, toUpstream) => {
    const reply = await upload({ ...(type && { type }), file: [file(head), ofPart, filename] });
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    expect((await partsOf(upstream.uploads[0]!))[1]).toEqual(['type', toUpstream]);
  });

  const refused: [string, Parts, number, string][] = [
    [
      'another product',
      { messaging_product: 'telegram', file: [file(HEADS.png)] },
      131009,
      '"chat" or "whatsapp"',
    ],
    ['no file', { messaging_product: 'whatsapp', type: 'image/png' }, 100, 'The form has no file'],
    [
      'a file that is a mere text field',
      { type: 'image/png', file: '/tmp/photo.png' },
      100,
      'The form has no file',
    ],
    ['a file under another name', { photo: [file(HEADS.png)] }, 131009, 'must be called "file"'],
    ['an empty file', { type: 'image/png', file: [new Uint8Array()] }, 131009, 'The file is empty'],
    [
      'a type that is not supported',
      { type: 'image/gif', file: [file(HEADS.gif)] },
      131009,
      '"image/gif" cannot be uploaded',
    ],
    [
      'a type that is none',
      { type: 'x"\r\ny', file: [file(HEADS.png)] },
      131009,
      'cannot be uploaded. Possible: image/jpeg',
    ],
    [
      'a type that ends its line',
      { type: 'image/png;\r\n\r\nevil=1', file: [file(HEADS.png)] },
      131009,
      'cannot be uploaded. Possible: image/jpeg',
    ],
    [
      "a program under a picture's name",
      { type: 'image/jpeg', file: [file(HEADS.program), 'image/jpeg', 'a.jpg'] },
      131009,
      'declared as "image/jpeg", but it is in a format that cannot be uploaded',
    ],
    [
      'a PNG as JPEG',
      { type: 'image/jpeg', file: [file(HEADS.png), 'image/jpeg'] },
      131009,
      'it is a PNG image',
    ],
    [
      'a picture as a document',
      { type: 'document', file: [file(HEADS.png)] },
      131009,
      'declared as "document", but it is a PNG image',
    ],
    [
      'a program without a type',
      { file: [file(HEADS.program)] },
      131009,
      'The file is in a format that cannot be uploaded',
    ],
    [
      'a QuickTime video',
      { type: 'video', file: [file(HEADS.quickTime)] },
      131009,
      'a QuickTime video, which cannot be uploaded',
    ],
  ];
  test.each(refused)('refuses %s, and does not ask upstream at all', async (_name, parts, code, sentence) => {
    expect(expectRefusal(await upload(parts), 400, 'invalid_payload', code)).toContain(sentence);
    expect(upstream.uploads).toEqual([]);
  });

  const late: [string, Parts, string][] = [
    [
      'a type that contradicts the file',
      { file: [file(HEADS.png), 'image/png'], type: 'image/jpeg' },
      'put "type" before "file"',
    ],
    [
      'another product',
      { file: [file(HEADS.png), 'image/png'], messaging_product: 'telegram' },
      '"chat" or "whatsapp"',
    ],
    [
      'a second file',
      [
        ['file', [file(HEADS.png)]],
        ['file', [file(HEADS.png)]],
      ],
      'more than one file',
    ],
  ];
  test.each(late)(
    'refuses %s after the file, of which upstream keeps nothing',
    async (_name, parts, sentence) => {
      expect(expectRefusal(await upload(parts), 400, 'invalid_payload', 131009)).toContain(sentence);
      expect(upstream.uploads.filter(({ isWhole }) => isWhole)).toEqual([]);
    },
  );

  const limits: [string, Buffer, string, number, string][] = [
    ['JPEG', HEADS.jpeg, 'image/jpeg', 5 * MB, '5 MB, the limit for images'],
    ['MP4 video', HEADS.mp4, 'video/mp4', 16 * MB, '16 MB, the limit for videos'],
    ['MP3', HEADS.mp3, 'audio/mpeg', 16 * MB, '16 MB, the limit for audio'],
    ['sticker', HEADS.webp, 'image/webp', 100 * 1024, '100 KB, the limit for stickers that do not move'],
    [
      'animated sticker',
      HEADS.animatedWebp,
      'image/webp',
      500 * 1024,
      '500 KB, the limit for animated stickers',
    ],
  ];
  test.each(limits)(
    'POST /v22.0/{tid}/media (multipart, limits of the specification enforced by type and size): takes a %s to its limit, and refuses one byte more',
    async (_name, head, type, most, sentence) => {
      expect((await upload({ type, file: [file(head, most), type] })).status).toBe(200);
      const reply = await upload({ type, file: [file(head, most + 1), type] });
      expect(expectRefusal(reply, 413, 'payload_too_large', 100)).toContain(sentence);
      expect(upstream.uploads.filter(({ isWhole }) => isWhole)).toHaveLength(1);
    },
  );

  test('does not begin a file that is announced as too large, nor one whose length it cannot have', async () => {
    const reply = await raw(
      (to) =>
        void to.write(
          fieldPart('type', 'image/jpeg') +
            filePart('image/jpeg') +
            HEADS.jpeg.toString('latin1') +
            ' '.repeat(5000),
          'latin1',
        ),
      { 'content-length': String(2 * 1024 * MB) },
    );
    expect([reply.status, told(reply)]).toEqual([413, expect.stringContaining('5 MB')]);
    expect(upstream.uploads).toEqual([]);
  });

  test('refuses what is no form', async () => {
    const json = await call(address(), {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: '{}',
    });
    expect(expectRefusal(json, 415, 'unsupported_media_type', 100)).toContain('multipart/form-data');
    expectRefusal(
      await call(address(), { method: 'POST', headers: bearer() }),
      415,
      'unsupported_media_type',
      100,
    );
    const noBoundary = { ...bearer(), 'content-type': 'multipart/form-data' };
    const reply = await call(address(), { method: 'POST', headers: noBoundary, body: 'x' });
    expect(expectRefusal(reply, 415, 'unsupported_media_type', 100)).toContain('boundary');
    expect(upstream.uploads).toEqual([]);
  });

  test.each([
    ['before its first part ends', fieldPart('type', 'image/png').slice(0, -20)],
    ['in a file', filePart('image/png') + HEADS.png.toString('latin1') + ' '.repeat(100_000)],
    ['with another boundary', 'nothing that is a form'],
    ['after a file', filePart('image/png') + HEADS.png.toString('latin1') + '\r\n'],
  ])('refuses a form that breaks off %s', async (_name, text) => {
    const reply = await raw((to) => void to.end(text, 'latin1'));
    expect([reply.status, reply.body.error_code, told(reply)]).toEqual([
      400,
      'malformed_request',
      expect.stringContaining('broke off'),
    ]);
    expect(upstream.uploads.filter(({ isWhole }) => isWhole)).toEqual([]);
  });

  test('ends the upload when the customer goes away in the middle of it', async () => {
    const sent = sendRaw(address(), { ...bearer(), ...FORM }, async (to) => {
      to.write(filePart('application/pdf') + HEADS.pdf.toString('latin1') + ' '.repeat(300_000), 'latin1');
      await until(() => (upstream.uploads[0]?.bytes ?? 0) > 100_000);
      to.destroy();
    });
    await expect(sent).rejects.toThrow();
    let isGone = false;
    upstream.onUpload = null;
    await until(async () => {
      isGone = (await upload({ type: 'image/png', file: [file(HEADS.png)] })).status === 200;
      return isGone;
    });
    expect(upstream.uploads[0]).toMatchObject({ isWhole: false });
  });

  test("passes upstream's refusal on while the file is still arriving", async () => {
    const error = {
      message: '(#100) As upstream says it',
      type: 'OAuthException',
      code: 100,
      fbtrace_id: 'A',
    };
    upstream.onUpload = (_request, response) => answer(response, 400, { error });
    const reply = await raw(async (to) => {
      to.write(filePart('application/pdf') + HEADS.pdf.toString('latin1') + ' '.repeat(300_000), 'latin1');
      await until(() => upstream.uploads.length > 0);
      // What follows is read and thrown away, so that the answer gets through.
      for (let sent = 0; sent < 3 && to.writable; sent++)
        if (!to.write(Buffer.alloc(MB))) await once(to, 'drain');
    });
    expect([reply.status, reply.body.error_code]).toEqual([400, 'upstream_error']);
    expect(reply.body.error).toMatchObject(error);
    expect(upstream.uploads[0]?.isWhole).toBe(false);
  });

  test('does not take an answer for a success that came before the file had', async () => {
    upstream.onUpload = (_request, response) => answer(response, 200, { id: '1' });
    const reply = await raw(async (to) => {
      to.write(filePart('application/pdf') + HEADS.pdf.toString('latin1') + ' '.repeat(300_000), 'latin1');
    });
    expect([reply.status, reply.body.error_code]).toEqual([503, 'upstream_unavailable']);
  });

  test('tells when upstream breaks off, and when the file was handed over without an answer', async () => {
    upstream.onUpload = (request) => void request.once('data', () => request.destroy());
    // More than what lies between the two, so that it was not handed over by then.
    const parts: Parts = { file: [file(HEADS.pdf, 16 * MB), 'application/pdf'] };
    const broken = await upload(parts);
    expectRefusal(broken, 503, 'upstream_unavailable', 2);

    upstream.onUpload = (request) => void request.once('end', () => request.socket.destroy());
    const silent = await upload(parts);
    expect(expectRefusal(silent, 504, 'upstream_timeout', 2)).toContain('Upload it again');
    expect(silent.body.outcome).toBe('unknown');
  });

  test('keeps credentials that upstream refuses from being taken for those of the customer', async () => {
    const error = {
      message: 'Invalid OAuth access token upstream-access-token',
      type: 'OAuthException',
      code: 190,
    };
    upstream.onUpload = (request, response) =>
      void request.once('end', () => answer(response, 401, { error }));
    const reply = await upload({ file: [file(HEADS.png), 'image/png'] });
    expectRefusal(reply, 502, 'upstream_auth_failed', 190);
    expect(reply.text).not.toContain('upstream-access-token');
  });

  test.each([
    ['x.exe\\"; evil=\\"1', 'x.exe%22; evil=%221'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\dir\\\\photo.png', 'photo.png'],
    ['Olá 写真 🎉.png', 'Olá 写真 🎉.png'],
    ['', 'file'],
  ])('writes the filename %j anew', async (given, expected) => {
    const disposition = `; filename="${given}"`;
    const form = fieldPart('type', 'image/png') + filePart('image/png', disposition);
    const reply = await raw((to) => {
      to.write(form);
      to.write(HEADS.png);
      to.end(END);
    });
    expect([reply.status, reply.body]).toEqual([200, reply.body]);
    const header = upstream.uploads[0]!.body.toString('utf8')
      .split('\r\n')
      .find((one) => one.includes('filename='));
    expect(header).toBe(`Content-Disposition: form-data; name="file"; filename="${expected}"`);
  });

  test('lets nobody write a header by a filename or a type', async () => {
    const reply = await upload({
      type: 'image/png',
      file: [file(HEADS.png), 'image/png', 'a\r\nX-Evil: 1\r\n\r\nb".png'],
    });
    expect(reply.status).toBe(200);
    expect(upstream.uploads[0]!.body.toString('latin1')).not.toMatch(/^X-Evil/m);
    expect((await partsOf(upstream.uploads[0]!)).map(([name]) => name)).toEqual([
      'messaging_product',
      'type',
      'file',
    ]);
  });

  test("asks for the token first, and for the line's own credentials", async () => {
    const other = await scene.line({ accessToken: null });
    const form = () => {
      const made = new FormData();
      made.append('file', new Blob([file(HEADS.png)]), 'a.png');
      return made;
    };
    const post = (tid: string, token: string) =>
      call(`${scene.gateway.url}/v22.0/${tid}/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: form(),
      });
    expectRefusal(await post(line.phoneNumberId, other.token), 401, 'invalid_token', 190);
    expectRefusal(await post(other.phoneNumberId, other.token), 409, 'line_not_configured', 131045);
    expect(upstream.uploads).toEqual([]);
  });

  test('takes many fields for an attack', async () => {
    const many = Array.from({ length: 25 }, (_, index) => fieldPart(`field${index}`, 'x')).join('');
    expect((await raw((to) => void to.end(many + END))).body).toMatchObject({
      error_code: 'invalid_payload',
    });
    const long = fieldPart('type', 'x'.repeat(10_000));
    expect(told(await raw((to) => void to.end(long + END)))).toContain('longer than 4 KB');
  });

  test('document | send, type document | PDF, Excel, Word, ZIP and similar, up to 100 MB: refuses one byte more, and holds neither in memory', async () => {
    const chunk = Buffer.alloc(MB, 0x20);
    const most = 100 * MB;
    const before = held();
    let goOn = () => {};
    const rest = new Promise<void>((resolve) => (goOn = resolve));
    async function* form(size: number) {
      yield Buffer.from(fieldPart('type', 'application/pdf') + filePart('application/pdf'));
      yield HEADS.pdf;
      for (let left = size - HEADS.pdf.length; left > 0; left -= chunk.length) {
        if (left < 10 * MB) await rest;
        yield chunk.subarray(0, left);
      }
      yield Buffer.from(END);
    }
    const send = (size: number) => raw((to) => void Readable.from(form(size)).pipe(to));
    const replies = Promise.all([send(most), send(most + 1)]);
    // Where what follows fails, nobody waits for them.
    replies.catch(() => undefined);
    const arrived = () => upstream.uploads.map(({ bytes }) => Math.floor(bytes / MB));
    await until(
      () => arrived().length === 2 && Math.min(...arrived()) >= 89,
      40_000,
      () => `of 90 MB that were sent, twice, ${arrived().join(' and ')} MB came through`,
    );
    // The server in upstream's place keeps 8 MB of each; a gateway that kept both would hold 180 MB.
    await until(
      () => held() - before < 40 * MB,
      10_000,
      () => `${Math.round((held() - before) / MB)} MB of them are held`,
    );
    goOn();
    expect((await replies).map(({ status }) => status)).toEqual([200, 413]);
    expect(told((await replies)[1]!)).toContain('100 MB, the limit for documents');
    expect(upstream.uploads.filter(({ isWhole }) => isWhole)).toHaveLength(1);
  });
});
