import { setTimeout as sleep } from 'node:timers/promises';
import { startPeer, type HttpPeer } from '../../support/http-peer';
import { call, expectRefusal, type Reply } from '../../support/scene';
import { bearer, onEachDatabase, type World } from './support';

const MEGABYTE = 1024 * 1024;
const MEDIA_ID = '1227829768162607';

/** What a file of the type begins with. */
const BEGINNINGS: Record<string, string> = {
  'image/jpeg': '\xff\xd8\xff\xe0',
  'image/png': '\x89PNG\r\n\x1a\n',
  'video/mp4': '\0\0\0\x18ftypmp42',
  'video/3gpp': '\0\0\0\x18ftyp3gp4',
  'audio/mpeg': 'ID3\x04',
  'audio/ogg': 'OggS',
  'audio/aac': '\xff\xf1',
  'audio/mp4': '\0\0\0\x18ftypM4A ',
  'audio/amr': '#!AMR\n',
  'application/pdf': '%PDF-1.7',
  'application/zip': 'PK\x03\x04',
  'application/msword': '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
  'application/vnd.ms-excel': '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
};

let upstream: HttpPeer;
beforeAll(async () => {
  upstream = await startPeer(({ method, url }) => {
    if (method === 'POST' && url.includes('/media')) return { body: { id: MEDIA_ID } };
    if (method === 'DELETE') return { body: { success: true } };
    if (url.startsWith('/lookaside')) return { headers: { 'content-type': 'image/png' }, body: 'the bytes' };
    return {
      body: {
        messaging_product: 'whatsapp',
        id: MEDIA_ID,
        url: `${upstream.url}/lookaside?mid=1`,
        mime_type: 'image/png',
        sha256: '72fd',
        file_size: 9,
      },
    };
  });
});
beforeEach(() => {
  upstream.received.length = 0;
});
afterAll(() => upstream.close());

/** Asks with the token of the line, and gives the address of upstream in the scene’s place. */
const settingsOf = {
  get GATEWAY_UPSTREAM_URL() {
    return upstream.url;
  },
};

async function upload({ scene, line }: World, type: string, bytes: number): Promise<Reply> {
  const beginning = Buffer.from(BEGINNINGS[type] ?? '', 'latin1');
  const content = Buffer.concat([beginning, Buffer.alloc(Math.max(0, bytes - beginning.length))]);
  const form = new FormData();
  form.append('messaging_product', 'whatsapp');
  form.append('type', type);
  form.append('file', new Blob([content], { type }), 'file');
  const send = () =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/media`, {
      method: 'POST',
      headers: bearer(line.token),
      body: form,
    });
  let reply = await send();
  // Sender, gateway and upstream share a process, which has too much to do on a slow machine: try again in a moment.
  while (reply.status === 503) {
    await sleep(500);
    reply = await send();
  }
  return reply;
}

onEachDatabase(
  '10. Beyond the specification: media',
  (world) => {
    const media = (method: string, token = world.line.token, path = `/v22.0/${MEDIA_ID}`) =>
      call(world.scene.gateway.url + path, { method, headers: bearer(token) });

    test.each([
      ['image | send, type image | JPEG or PNG, up to 5 MB', 'image/jpeg', 5 * MEGABYTE],
      ['image | send, type image | JPEG or PNG, up to 5 MB', 'image/png', 5 * MEGABYTE],
      ['video | send, type video | MP4 or 3GPP, up to 16 MB', 'video/mp4', 16 * MEGABYTE],
      ['video | send, type video | MP4 or 3GPP, up to 16 MB', 'video/3gpp', 16 * MEGABYTE],
      ['audio | send, type audio | MP3, OGG, AAC, M4A or AMR, up to 16 MB', 'audio/mpeg', 16 * MEGABYTE],
      ['audio | send, type audio | MP3, OGG, AAC, M4A or AMR, up to 16 MB', 'audio/ogg', 16 * MEGABYTE],
      [
        'document | send, type document | PDF, Excel, Word, ZIP and similar, up to 100 MB',
        'application/pdf',
        100 * MEGABYTE,
      ],
    ])(
      'Limits: %s (%s)',
      async (_row, type, limit) => {
        const passed = await upload(world, type, limit);
        expect([passed.status, passed.text]).toEqual([200, passed.text]);
        expect(passed.body).toMatchObject({ id: MEDIA_ID });
        const before = upstream.received.length;
        const refused = await upload(world, type, limit + 1);
        expect([400, 413]).toContain(refused.status);
        expect(refused.body.success).toBe(false);
        expect(upstream.received).toHaveLength(before);
      },
      60_000,
    );

    test.each([
      'audio/aac',
      'audio/mp4',
      'audio/amr',
      'application/zip',
      'application/msword',
      'application/vnd.ms-excel',
    ])(
      'POST /v22.0/{tid}/media (multipart, limits of the specification enforced by type and size) passes: %s',
      async (type) => {
        expect((await upload(world, type, 100)).body).toMatchObject({ id: MEDIA_ID });
        const [request] = upstream.received;
        expect(request?.url).toBe(`/v22.0/${world.line.phoneNumberId}/media`);
        expect(request?.headers.authorization).toBe('Bearer upstream-access-token');
      },
    );

    test.each(['image/gif', 'video/x-msvideo', 'audio/wav'])('… refuses: %s', async (type) => {
      const reply = await upload(world, type, 100);
      expect([400, 415]).toContain(reply.status);
      expect(reply.body.success).toBe(false);
      expect(upstream.received).toEqual([]);
    });

    test('GET /v22.0/{media_id}; download through the gateway, so that customers need no upstream credentials', async () => {
      const { status, body, text } = await media('GET');
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: MEDIA_ID, mime_type: 'image/png', file_size: 9 });
      expect(text).not.toContain(upstream.url);
      expect(text).not.toContain('upstream-access-token');
      expect(body.url.startsWith(world.scene.gateway.url)).toBe(true);
      const downloaded = await call(body.url, { headers: bearer(world.line.token) });
      expect([downloaded.status, downloaded.text]).toEqual([200, 'the bytes']);
      expect(downloaded.headers.get('content-type')).toBe('image/png');
      expect((await call(body.url)).status).toBe(401);
    });

    test('DELETE', async () => {
      const { status, body } = await media('DELETE');
      expect([status, body.success]).toEqual([200, true]);
      expect(upstream.received.at(-1)).toMatchObject({
        method: 'DELETE',
        url: `/v22.0/${MEDIA_ID}?phone_number_id=${world.line.phoneNumberId}`,
      });
    });

    test('needs the token of a line', async () => {
      for (const method of ['GET', 'DELETE'])
        expectRefusal(await media(method, 'wrong'), 401, 'invalid_token', 190);
      expect(upstream.received).toEqual([]);
    });
  },
  { env: settingsOf },
);
