import { cloudApi, type CloudApi } from '../../../gateway/cloud-api/client';
import { UpstreamSilent, UpstreamUnreachable } from '../../../gateway/cloud-api/failures';
import { isUpstreamsOwn, safeFilename } from '../../../gateway/cloud-api/media';
import { createHttpClient, type HttpClient } from '../../../gateway/http/http-client';
import { partsOf, startMediaUpstream, type MediaUpstream } from '../media/support';

const FROM = { phoneNumberId: '106540352242922', accessToken: 'upstream-access-token' };

describe('a silent the platform', () => {
  let upstream: MediaUpstream;
  let http: HttpClient;
  /** Which waits no longer than a moment, and which also goes on after a machine has stood still. */
  let [impatient, patient] = [] as unknown as [CloudApi, CloudApi];
  beforeAll(async () => {
    upstream = await startMediaUpstream();
    http = createHttpClient({ maxAnswerBytes: 1024, brokenBody: 'fails' });
    [impatient, patient] = [cloudApi(http, upstream.url, 50), cloudApi(http, upstream.url, 3000)];
  });
  afterAll(async () => {
    await http.close();
    await upstream.close();
  });

  async function* bytes(count: number): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < count; sent++) yield Buffer.alloc(1024 * 1024);
  }
  const upload = (api: CloudApi, count: number) =>
    api.uploadMedia(FROM, { filename: 'a.pdf', type: 'application/pdf', content: bytes(count) });

  test('that has the whole file leaves open what became of it', async () => {
    upstream.onUpload = () => undefined;
    const failed = await upload(patient, 1).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UpstreamSilent);
    expect(upstream.uploads.at(-1)?.isWhole).toBe(true);
  });

  test('that stops taking the file has nothing of it', async () => {
    upstream.onUpload = (request) => void request.removeAllListeners('data').pause();
    const failed = await upload(impatient, 60).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UpstreamUnreachable);
    expect(upstream.uploads.at(-1)?.isWhole).toBe(false);
  });

  test('is waited for while a slow customer still sends', async () => {
    upstream.onUpload = null;
    async function* slowly(): AsyncGenerator<Uint8Array> {
      await new Promise((resolve) => setTimeout(resolve, 4500));
      yield Buffer.alloc(10);
    }
    const file = { filename: 'a.txt', type: 'text/plain', content: slowly() };
    expect(await patient.uploadMedia(FROM, file)).toEqual({ id: '985569392615996' });
  });

  test('ends a download, before its first byte and in the middle of it', async () => {
    const url = `${upstream.url}/whatsapp_business/attachments/`;
    const { signal } = new AbortController();
    upstream.onRequest = () => undefined;
    await expect(impatient.mediaContent(FROM.accessToken, url, { signal })).rejects.toThrow(
      UpstreamUnreachable,
    );
    upstream.onRequest = (_request, response) => void response.writeHead(200).write('begin');
    const { body } = await patient.mediaContent(FROM.accessToken, url, { signal });
    await expect(body.toArray()).rejects.toThrow();
  });
});

test('a type never ends its line in the form that the platform gets', async () => {
  const upstream = await startMediaUpstream();
  const http = createHttpClient({ maxAnswerBytes: 1024, brokenBody: 'fails' });
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('bytes');
  }
  const file = { filename: 'a.png', type: 'image/png;\r\n\r\nevil=1\0', content: content() };
  await cloudApi(http, upstream.url, 5000).uploadMedia(FROM, file);
  const parts = await partsOf(upstream.uploads[0]!);
  expect(parts.slice(0, 2)).toEqual([
    ['messaging_product', 'whatsapp'],
    ['type', 'image/png;evil=1'],
  ]);
  expect(await (parts[2]?.[1] as File).text()).toBe('bytes');
  await http.close();
  await upstream.close();
});

describe("the platform's own address", () => {
  test.each([
    ['https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1', true],
    ['https://graph.facebook.com/v22.0/1', true],
    ['https://mmg.whatsapp.net/file', true],
    ['https://fbsbx.com/', true],
    ['http://lookaside.fbsbx.com/', false],
    ['https://fbsbx.com.example.org/', false],
    ['https://notfbsbx.com/', false],
    ['https://graph.example.com/file', false],
    ['https://lookaside.fbsbx.com:444/', false],
    ['https://a@lookaside.fbsbx.com/', false],
    ['ftp://lookaside.fbsbx.com/', false],
    ['//lookaside.fbsbx.com/', false],
  ])('%s: %s', (url, expected) => {
    expect(isUpstreamsOwn(url, 'https://graph.facebook.com')).toBe(expected);
  });

  test('is also the one that is set, with its scheme and its port', () => {
    expect(isUpstreamsOwn('http://127.0.0.1:8081/file', 'http://127.0.0.1:8081')).toBe(true);
    expect(isUpstreamsOwn('http://127.0.0.1:8082/file', 'http://127.0.0.1:8081')).toBe(false);
    expect(isUpstreamsOwn('https://127.0.0.1:8081/file', 'http://127.0.0.1:8081')).toBe(false);
  });
});

test.each([
  ['photo.jpg', 'photo.jpg'],
  ['a"b.jpg', 'a%22b.jpg'],
  ['a\r\nX: 1\0.jpg', 'aX: 1.jpg'],
  ['a\u2028\u0085b', 'ab'],
  ['..\\..\\x/y.pdf', 'y.pdf'],
  ['/', 'file'],
  [' ', 'file'],
  ['\ud800.txt', '\ufffd.txt'],
  [`${'é'.repeat(300)}.pdf`, `${'é'.repeat(251)}.pdf`],
])('the filename %j goes out as %j', (given, expected) => {
  expect(safeFilename(given)).toBe(expected);
});
