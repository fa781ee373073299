import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { acceptInvitation } from '../../../../gateway/users/invitations/accept-invitation';
import { adminToken, askAdmin } from '../../../support/admin-api';
import { PASSWORD } from '../../../support/panel/visitor';
import { startPeer } from '../../../support/http-peer';
import { rows } from '../../../support/rows';
import { expectRefusal, sqliteUrl, startScene, type Reply, type Scene } from '../../../support/scene';

const PUBLIC_URL = 'https://gateway.example.com/messages';

/** A mail server: what it accepted, and whether it refuses everybody. */
const mails: { to: string[]; content: string }[] = [];
let isRefusing = false;
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo: (_address, _session, done) => done(isRefusing ? new Error('550 no such person') : null),
  onData(stream, { envelope }, done) {
    void text(stream).then((content) => {
      mails.push({ to: envelope.rcptTo.map(({ address }) => address), content });
      done();
    });
  },
});

let scene: Scene;
let token: string;
const ask = (method: string, path: string, body?: object): Promise<Reply> =>
  askAdmin(scene, token, method, path, body);
/** The link in a mail, whose lines end in `=` where they continue. */
const keyIn = (content: string): string =>
  /invitation\?key=3?D?([\w-]{43})/.exec(content.replaceAll('=\r\n', ''))?.[1] ?? '';

beforeAll(async () => {
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const free = await startPeer();
  await free.close();
  const { port } = new URL(free.url);
  scene = await startScene(await sqliteUrl(), { GATEWAY_PUBLIC_URL: PUBLIC_URL, GATEWAY_PORT: port });
  scene.gateway.url = `http://127.0.0.1:${port}`;
  token = await adminToken(scene);
});
afterAll(async () => {
  await scene.stop();
  await new Promise<void>((resolve) => smtp.close(resolve));
});

test('without a mail server, the answer has the link and says why', async () => {
  const { body } = await ask('POST', '/invitations', { role: 'viewer', email: 'ben@example.com' });
  expect(body.link).toMatch(/^https:\/\/gateway\.example\.com\/messages\/panel\/invitation\?key=[\w-]{43}$/);
  expect(body.email_failure).toMatch(/e-mail/);
  expect((await ask('DELETE', `/invitations/${body.id}`)).status).toBe(204);
});

test('an invitation goes by the mail server of the alerts, and its address is that of the person', async () => {
  const settings = {
    ...{ to: 'alerts@example.com', from: 'gateway@example.com', security: 'none' },
    ...{ host: '127.0.0.1', port: String((smtp.server.address() as AddressInfo).port) },
  };
  const channel = await ask('POST', '/alert-channels', { kind: 'email', name: 'Team', settings });
  expect([channel.status, channel.text]).toEqual([201, channel.text]);

  const made = await ask('POST', '/invitations', { role: 'viewer', email: 'Ben@Example.com' });
  expect([made.status, made.body.link, made.body.email_failure]).toEqual([201, null, null]);
  expect(mails.map(({ to }) => to)).toEqual([['Ben@example.com']]);
  const [first = ''] = mails.map(({ content }) => keyIn(content));
  expect(first).toHaveLength(43);

  // A renewed link voids the old one.
  await ask('POST', `/invitations/${made.body.id}/renew`);
  const second = keyIn(mails.at(-1)?.content ?? '');
  const accept = (key: string) =>
    scene.change((world) =>
      acceptInvitation(world, { who: 'not logged in', through: 'panel', address: null }, key, {
        name: 'ben',
        password: PASSWORD,
      }),
    );
  await expect(accept(first)).rejects.toMatchObject({ errorCode: 'invitation_gone' });
  await accept(second);
  expect(await rows(scene.databaseUrl, 'select name, role, email from users')).toEqual([
    { name: 'ben', role: 'viewer', email: 'ben@example.com' },
  ]);
  await expect(accept(second)).rejects.toMatchObject({ errorCode: 'invitation_gone' });
});

test('a dry run sends nothing, and a refused mail leaves the link', async () => {
  const before = mails.length;
  const dry = await ask('POST', '/invitations?dry_run=1', { role: 'viewer', email: 'dora@example.com' });
  expect([dry.status, mails.length]).toEqual([200, before]);
  isRefusing = true;
  const { body } = await ask('POST', '/invitations', { role: 'viewer', email: 'dora@example.com' });
  isRefusing = false;
  expect(body.link).toContain(`${PUBLIC_URL}/panel/invitation?key=`);
  expect(body.email_failure).toMatch(/550 no such person|did not accept/);
});

test.each([
  'ben@example.com\r\nBcc: eve@example.com',
  'ben@example.com, eve@example.com',
  'Ben <ben@example.com>',
])('an address that names more than one person is refused: %j', async (email) => {
  const before = mails.length;
  expectRefusal(await ask('POST', '/invitations', { role: 'viewer', email }), 400, 'invalid_payload', 131009);
  expect(mails).toHaveLength(before);
});
