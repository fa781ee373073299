import { startPeer, type Answer, type HttpPeer } from '../../../support/http-peer';
import { addPanelUser, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { sqliteUrl, startScene, type Scene } from '../../../support/scene';

closingWindows();

/** The platform's answers, by the part of the URL that names what is asked for; null: the connection is cut. */
let answers: Record<string, Answer | null> = {};
let platform: HttpPeer;
let scene: Scene;

beforeAll(async () => {
  platform = await startPeer(({ url }, response) => {
    const [, answer] = Object.entries(answers).find(([part]) => url.includes(part)) ?? [];
    if (answer !== null) return answer ?? { body: {} };
    response.destroy();
    return 'handled';
  });
  scene = await startScene(await sqliteUrl(), { GATEWAY_UPSTREAM_URL: platform.url });
  await addPanelUser(scene, 'ana');
});
afterAll(async () => {
  await scene.stop();
  await platform.close();
});

test('no answer of the platform breaks the pages of a number', async () => {
  const line = await scene.line();
  const link = `https://wa.me/${'x'.repeat(5_000)}`;
  answers = {
    message_qrdls: { body: { data: [{ code: 'A', prefilled_message: {}, deep_link_url: link }, null] } },
    whatsapp_business_profile: { body: { data: [{ about: 7, websites: [null, {}], vertical: '<b>' }] } },
    block_users: { body: { data: [{ wa_id: {} }, null, { wa_id: '<script>' }] } },
  };
  const { page } = await loggedIn(scene);
  for (const part of ['', '/qr', '/blocked']) {
    const answer = await page.request.get(`${scene.gateway.url}/panel/lines/${line.id}/number${part}`);
    expect([part, answer.status()]).toEqual([part, 200]);
  }
});

test('checks that could not be read say so, and not that the line was checked', async () => {
  const line = await scene.line();
  answers = { '/v22.0/': null };
  await scene.gateway.pollDue();
  const { page, goto } = await loggedIn(scene);
  await goto(`/panel/lines/${line.id}`);
  expect(await page.innerText('#setup')).toContain('WhatsApp could not be read.');
  expect(await page.innerText('#setup')).not.toMatch(/Last checked|is being asked/);
  await line.edit({ access_token_sealed: null });
  await goto(`/panel/lines/${line.id}`);
  expect(await page.innerText('#setup')).not.toContain('is being asked');
});
