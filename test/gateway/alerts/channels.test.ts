import { SMTPServer } from 'smtp-server';
import { type AddressInfo } from 'node:net';
import { startPeer, type HttpPeer, type Received } from '../../support/http-peer';
import { sceneOf, type Json } from '../../support/scene';
import { SECOND } from '../../../gateway/time';
import { addAlertChannel, alertTemplate } from './support';

/** What each service is documented to answer; the sources stand in gateway/alerts/channels. */
const ANSWERS: Record<string, object> = {
  '/slack': { status: 200, headers: { 'content-type': 'text/html' }, body: 'ok' },
  '/discord': { status: 204, body: '' },
  '/teams': { status: 202, body: '' },
};

const scene = sceneOf();
let services: HttpPeer;
let mail: SMTPServer;
const mails: string[] = [];

beforeAll(async () => {
  services = await startPeer(({ url, headers }) => {
    // As a careless service does: the address holds the secret.
    if (url.startsWith('/echo'))
      return { status: 500, body: `No route for ${url} by ${String(headers.authorization)}` };
    const known = Object.keys(ANSWERS).find((path) => url.startsWith(path));
    return known ? ANSWERS[known] : { body: { ok: true, id: '1', result: {} } };
  });
  mail = new SMTPServer({
    authOptional: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'gateway' && password === 'a password'
        ? done(null, { user: username })
        : done(new Error('Wrong password')),
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          mails.push(Buffer.concat(chunks).toString('utf8'));
          done();
        });
    },
  });
  await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve));
  // Its name is as hostile as an operator may make one.
  await scene.line({ name: 'Shop <b>&"[x](http://evil)', accessToken: '' });
  const sender = await scene.line({ name: 'Sender' });
  await scene.change(async ({ store }) => {
    await store.lines.update(1, { access_token_sealed: null });
    await store.templates.insertStarters([alertTemplate(sender.id)]);
  });
  const { url } = services;
  await addAlertChannel(scene, 'slack', { url: `${url}/slack` });
  await addAlertChannel(scene, 'telegram', {
    token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
    chat: '-100123',
    server: `${url}/telegram`,
  });
  await addAlertChannel(scene, 'discord', { url: `${url}/discord` });
  await addAlertChannel(scene, 'teams', { url: `${url}/teams` });
  await addAlertChannel(scene, 'ntfy', { server: `${url}/ntfy`, topic: 'ours', token: 'tk_1' });
  await addAlertChannel(scene, 'other', {
    ...{ url: `${url}/other?c={{condition}}`, type: 'json', body: '{"say": "{{headline}}", "n": {{count}}}' },
    headers: 'X-Key: 42',
  });
  await addAlertChannel(scene, 'whatsapp', {
    line: sender.phoneNumberId,
    to: '+1 202-555-0147',
    template: 'gateway_alert',
    language: 'en',
  });
  const smtp = {
    ...{ from: 'Gateway <gateway@example.com>', host: '127.0.0.1' },
    ...{
      port: String((mail.server.address() as AddressInfo).port),
      security: 'none',
      user: 'gateway',
      password: 'a password',
    },
  };
  await addAlertChannel(scene, 'email', { ...smtp, to: 'ana@example.com, ben@example.com' });
  await addAlertChannel(scene, 'email', { ...smtp, to: 'bia@example.com' }, { language: 'pt' });
  for (let round = 0; round < 4; round++, scene.clock.now += 10 * SECOND) await scene.gateway.lookForAlerts();
});
afterAll(async () => {
  await services.close();
  await new Promise<void>((resolve) => mail.close(() => resolve()));
});

const TITLE = 'Shop <b>&"[x](http://evil) has no access token';
const got = (path: string): Received => {
  const own = services.received.filter(({ url }) => url.startsWith(path));
  expect(own).toHaveLength(1);
  return own[0] as Received;
};
const bodyOf = (path: string): Json => JSON.parse(got(path).body);

test('Slack gets blocks, with what it would read as marks escaped', () => {
  const body = bodyOf('/slack');
  expect(body.blocks[0]).toEqual({
    type: 'header',
    text: { type: 'plain_text', text: `Urgent: ${TITLE}`, emoji: false },
  });
  expect(body.text).toBe('Urgent: Shop &lt;b&gt;&amp;"[x](http://evil) has no access token');
  expect(body.blocks[1].text.text).toContain(
    `<${scene.gateway.url}/panel/lines/1/edit|Open the control panel>`,
  );
});

test('Telegram gets plain text to the chat, with the headline bold', () => {
  expect(got('/telegram').url).toBe('/telegram/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage');
  const { chat_id: chat, text, entities, parse_mode: mode } = bodyOf('/telegram');
  expect([chat, mode]).toEqual(['-100123', undefined]);
  expect(text.slice(0, entities[0].length)).toBe(`Urgent: ${TITLE}`);
  expect(text).toContain('What to do: Enter the access token of the platform.');
});

test('Discord gets an embed that calls nobody', () => {
  const { embeds, allowed_mentions: mentions } = bodyOf('/discord');
  expect(mentions).toEqual({ parse: [] });
  expect(embeds).toMatchObject([
    { title: `Urgent: ${TITLE}`, url: `${scene.gateway.url}/panel/lines/1/edit` },
  ]);
});

test('Microsoft Teams gets an adaptive card whose texts are read as no marks', () => {
  const { type, attachments } = bodyOf('/teams');
  expect([type, attachments[0].contentType]).toEqual(['message', 'application/vnd.microsoft.card.adaptive']);
  const { body, actions } = attachments[0].content;
  expect(body.map(({ type: block }: Json) => block)).toEqual(body.map(() => 'RichTextBlock'));
  expect(body[0].inlines[0].text).toBe(`Urgent: ${TITLE}`);
  expect(actions).toMatchObject([{ type: 'Action.OpenUrl' }]);
});

test('ntfy gets a message of the highest priority, with its token', () => {
  expect(got('/ntfy').headers.authorization).toBe('Bearer tk_1');
  expect(bodyOf('/ntfy')).toMatchObject({
    topic: 'ours',
    title: `Urgent: ${TITLE}`,
    priority: 5,
    click: expect.any(String),
  });
});

test('any other address gets what its template says, with values that stay within their quotes', () => {
  expect(got('/other').url).toBe('/other?c=line_credentials');
  expect(got('/other').headers['x-key']).toBe('42');
  expect(bodyOf('/other')).toEqual({ say: `Urgent: ${TITLE}`, n: 1 });
});

test('a line of the gateway sends an approved template, with the alert in its variables', () => {
  const sent = scene.upstream.received
    .filter(({ url }) => url.endsWith('/messages'))
    .map(({ body }) => JSON.parse(body));
  expect(sent).toMatchObject([
    { to: '12025550147', type: 'template', template: { name: 'gateway_alert', language: { code: 'en' } } },
  ]);
  const [first, second] = sent[0].template.components[0].parameters;
  expect(first.text).toBe(`Urgent: ${TITLE}`);
  expect(second.text).toMatch(/^Nothing can be sent through it\. Since .* UTC\.$/);
});

test('e-mail comes as text and as HTML, in which nothing of a name is a mark', () => {
  expect(mails).toHaveLength(2);
  const mailed = mails.find((one) => one.includes('To: ana@example.com')) ?? '';
  expect(mailed).toContain('To: ana@example.com, ben@example.com');
  expect(mailed).toContain('Content-Type: text/plain');
  expect(mailed).toContain('Content-Type: text/html');
  expect(mailed).toContain('Shop &#60;b&#62;&#38;');
  expect(mailed).not.toMatch(/<h1[^>]*>Shop <b>/);
  expect(mailed).toMatch(/Message-ID: <alrt_[\w-]+@messaging-gateway>/);
});

test('e-mail comes in the language of its channel', () => {
  const mailed = mails.find((one) => one.includes('To: bia@example.com')) ?? '';
  expect(mailed).toContain('lang=3D"pt-BR"');
  expect(mailed).toContain('O que fazer: Informe o token de acesso da plataforma.');
  expect(mailed).not.toMatch(/Nothing can be sent|What to do|Since |control panel/);
});

test('each that arrived is told as such, and nothing of it stands readable in the database', async () => {
  const channels = await scene.change(({ store }) => store.alerts.channels());
  expect(
    channels.filter(({ last_told_at: at, failing_since: since }) => at === null || since !== null),
  ).toEqual([]);
  expect(JSON.stringify(channels)).not.toMatch(/a password|tk_1|AAHdq/);
});

test('a failure is told without the secret that stands in the address', async () => {
  const secret = '110201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
  const { id } = await addAlertChannel(scene, 'telegram', {
    token: secret,
    chat: '1',
    server: `${services.url}/echo`,
  });
  for (let round = 0; round < 4; round++, scene.clock.now += 10 * SECOND) await scene.gateway.lookForAlerts();
  const channel = await scene.change(({ store }) => store.alerts.channel(id));
  expect(channel?.last_failure).toBe('It answered HTTP 500: No route for …/bot…/sendMessage by undefined');
  expect(scene.gateway.logged()).not.toContain(secret);
});

test('nor with the path of the address alone, or the value of one header', async () => {
  const { id } = await addAlertChannel(scene, 'other', {
    url: `${services.url}/echo/${'x'.repeat(190)}/B0SECRETPATH`,
    type: 'json',
    body: '{}',
    headers: 'X-One: 1\nAuthorization: Bearer secret-of-a-header',
  });
  for (let round = 0; round < 4; round++, scene.clock.now += 10 * SECOND) await scene.gateway.lookForAlerts();
  const channel = await scene.change(({ store }) => store.alerts.channel(id));
  expect(channel?.last_failure).toBe('It answered HTTP 500: No route for … by …');
  expect(scene.gateway.logged()).not.toMatch(/B0SECRET|secret-of/);
});
