import { request } from 'node:http';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { call, expectRefusal, startScene, type Scene, type TestLine } from '../../support/scene';
import { answer, HEADS, startMediaUpstream, type MediaUpstream } from '../media/support';

const MEDIA = '1227829768162607';
const MOST = 20;

// On one database: none has a part in it.
describe.each(DATABASES.slice(0, 1))('uploads and downloads at the same time on $name', ({ createUrl }) => {
  let upstream: MediaUpstream;
  let scene: Scene;
  let line: TestLine;
  /** Ends those that upstream keeps waiting. */
  let waiting: (() => void)[];

  beforeAll(async () => {
    upstream = await startMediaUpstream();
    scene = await startScene(await createUrl(), { GATEWAY_UPSTREAM_URL: upstream.url });
  });
  afterAll(async () => {
    await scene.stop();
    await upstream.close();
  });
  beforeEach(async () => {
    line = await scene.line();
    waiting = [];
    upstream.onRequest = (asked, response) => {
      if (!asked.url?.startsWith('/file'))
        return answer(response, 200, { url: `${upstream.url}/file`, mime_type: 'image/png' });
      waiting.push(() => response.end('bytes'));
    };
    upstream.onUpload = (asked, response) =>
      void asked.once('end', () => waiting.push(() => answer(response, 200, { id: MEDIA })));
  });

  const download = (of = line) =>
    call(`${scene.gateway.url}/v22.0/${MEDIA}/content`, {
      headers: { authorization: `Bearer ${of.token}` },
    });
  function upload(of = line) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(HEADS.png)], { type: 'image/png' }), 'a.png');
    return call(`${scene.gateway.url}/v22.0/${of.phoneNumberId}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${of.token}` },
      body: form,
    });
  }
  const underWay = async (count: number) => until(() => waiting.length === count);
  const endAll = () => waiting.splice(0).forEach((end) => end());

  test('are so many of one line, and one more is told to wait', async () => {
    const running = [
      ...Array.from({ length: MOST / 2 }, () => download()),
      ...Array.from({ length: MOST / 2 }, () => upload()),
    ];
    await underWay(MOST);
    for (const refused of [await download(), await upload()]) {
      const sentence = expectRefusal(refused, 429, 'rate_limited', 130429);
      expect(sentence).toContain('This line has 20 uploads and downloads under way');
      expect(refused.headers.get('retry-after')).toBe('5');
    }
    // What moves no bytes goes on, and so does another line.
    const told = await call(`${scene.gateway.url}/api/v22.0/${MEDIA}`, {
      headers: { authorization: `Bearer ${line.token}` },
    });
    expect(told.status).toBe(200);
    const other = await scene.line();
    running.push(download(other), upload(other));
    await underWay(MOST + 2);

    endAll();
    for (const reply of await Promise.all(running)) expect(reply.status).toBe(200);
    const after = [download(), upload()];
    await underWay(2);
    endAll();
    expect((await Promise.all(after)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('do not count once their customer has gone, nor once upstream has refused them', async () => {
    const leaving = Array.from({ length: MOST }, () =>
      request(`${scene.gateway.url}/v22.0/${MEDIA}/content`, {
        headers: { authorization: `Bearer ${line.token}` },
        agent: false,
      })
        .on('error', () => undefined)
        .end(),
    );
    await underWay(MOST);
    expectRefusal(await download(), 429, 'rate_limited', 130429);
    leaving.forEach((one) => one.destroy());

    upstream.onRequest = (_request, response) => answer(response, 500, {});
    await until(async () => (await download()).status !== 429);
    for (let times = 0; times < MOST + 1; times++)
      expectRefusal(await download(), 502, 'upstream_unavailable', 2);
  });
});
