import { execFileSync } from 'node:child_process';
import { fact } from '../../../gateway/wording/facts';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type ChannelDeps } from '../../../gateway/alerts/channels/channel-kind';
import { email } from '../../../gateway/alerts/channels/email';
import { type SpokenNotice } from '../../../gateway/alerts/notice';
import { destinationRules } from '../../../gateway/http/destination-address';
import { temporaryFolder } from '../../support/databases';
import { until } from '../../support/http-peer';

const notice: SpokenNotice = {
  language: 'en',
  fact: null,
  ...{
    id: 'alrt_1',
    what: 'opened',
    condition: 'disk_short',
    severity: 'critical',
    title: 'The disk is short',
  },
  ...{
    text: '',
    action: '',
    url: null,
    since: '2026-03-10T12:00:00.000Z',
    ended: null,
    waiting: null,
    count: 1,
  },
  ...{ incidents: [], gateway: '' },
};

/** A server's certificate for `localhost`, which signs itself. */
const folder = temporaryFolder();
const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
const trusted = getCACertificates();
const servers: SMTPServer[] = [];
beforeAll(() => {
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'],
      ...[
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost',
        '-keyout',
        keyFile,
        '-out',
        certFile,
      ],
    ],
    { stdio: 'ignore' },
  );
});
afterEach(() => setDefaultCACertificates(trusted));
afterAll(() => Promise.all(servers.map((one) => new Promise<void>((closed) => one.close(closed)))));

/** A server that takes mail, and what it was told on which kind of connection. */
async function server(options: SMTPServerOptions = {}) {
  const seen: string[] = [];
  const smtp = new SMTPServer({
    ...{ key: readFileSync(keyFile), cert: readFileSync(certFile), allowInsecureAuth: true },
    onAuth({ username, password }, { secure }, done) {
      seen.push(`${username} ${password} ${secure ? 'encrypted' : 'in plain'}`);
      done(null, { user: username });
    },
    onData(stream, { secure }, done) {
      stream.resume().on('end', () => {
        seen.push(`mail ${secure ? 'encrypted' : 'in plain'}`);
        done();
      });
    },
    ...options,
  });
  // Where the other side breaks off.
  smtp.on('error', () => undefined);
  servers.push(smtp);
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  return { seen, port: String((smtp.server.address() as AddressInfo).port) };
}

const send = (port: string, security: string, { host = 'localhost', allowed = ['localhost'] } = {}) =>
  email.send(
    { rules: destinationRules(allowed) } as ChannelDeps,
    {
      ...{ to: 'ana@example.com', from: 'gateway@example.com', host, port, security },
      ...{ user: 'gateway', password: 'secret' },
    },
    notice,
    false,
  );
const trust = () => setDefaultCACertificates([...trusted, readFileSync(certFile, 'utf8')]);

test.each([
  ['tls', { secure: true }],
  ['starttls', {}],
])('mail goes encrypted by %s', async (security, options) => {
  const { seen, port } = await server(options);
  trust();
  await send(port, security);
  expect(seen).toEqual(['gateway secret encrypted', 'mail encrypted']);
});

test.each([
  ['tls', { secure: true }],
  ['starttls', {}],
])('a server whose certificate nobody vouches for is told nothing by %s', async (security, options) => {
  const { seen, port } = await server(options);
  await expect(send(port, security)).rejects.toThrow(
    /The server did not accept the e-mail: self-signed certificate/,
  );
  expect(seen).toEqual([]);
});

test('a server that offers no STARTTLS is told no password and no mail, where encryption is demanded', async () => {
  const { seen, port } = await server({ disabledCommands: ['STARTTLS'] });
  await expect(send(port, 'starttls')).rejects.toThrow(/The server did not accept the e-mail: .*STARTTLS/);
  expect(seen).toEqual([]);
});

test.each(['abc', '0', '65536', '99999'])('the port %s is told at its field', (port) => {
  const issues = email.check?.(
    { to: 'ana@example.com', from: 'gateway@example.com', host: 'smtp.example.com', port },
    destinationRules([]),
  );
  expect(issues).toEqual({ to: null, from: null, host: null, port: fact('port.invalid', {}) });
});

test('a mail server that the allow list does not name is not connected to, by its name or its address', async () => {
  let connected = 0;
  const { port } = await server({
    onConnect(_session, done) {
      connected++;
      done();
    },
  });
  const refused = /GATEWAY_ALLOW_DESTINATIONS/;
  for (const host of ['localhost', '127.0.0.1', '::1'])
    await expect(send(port, 'none', { host, allowed: [] })).rejects.toThrow(refused);
  await expect(send(port, 'none', { allowed: ['localhost:25'] })).rejects.toThrow(refused);
  expect(connected).toBe(0);
  const settings = { to: 'ana@example.com', from: 'gateway@example.com', port, security: 'none' };
  const hostIssue = (host: string) => email.check?.({ ...settings, host }, destinationRules([])).host;
  expect(hostIssue('127.0.0.1')).toMatchObject({ word: 'address.private' });
  expect(hostIssue('smtp.example.com')).toBeNull();
  await send(port, 'none', { host: '127.0.0.1', allowed: [`127.0.0.1:${port}`] });
  expect(connected).toBe(1);
});

test('a server that repeats the command which it refuses tells nobody the password', async () => {
  const echoing = createServer((socket) => {
    socket.on('error', () => undefined).write('220 localhost\r\n');
    socket.on('data', (bytes) => {
      const command = bytes.toString().trim();
      if (command.startsWith('EHLO')) socket.write('250-localhost\r\n250 AUTH PLAIN LOGIN\r\n');
      else socket.write(`500 5.5.1 Command unrecognized: "${command}"\r\n`);
    });
  });
  await new Promise<void>((resolve) => echoing.listen(0, '127.0.0.1', resolve));
  const { port } = echoing.address() as AddressInfo;
  const told = await send(String(port), 'none').catch(({ message }: Error) => message);
  expect(told).toMatch(/^The server did not accept the e-mail: [\w ]+ \(SMTP 500 5\.5\.1\)$/);
  await new Promise((resolve) => echoing.close(resolve));
});

test('a server that speaks on and on, and takes nothing, is given up in time', async () => {
  const drips: Socket[] = [];
  const dripping = createServer((socket) => {
    drips.push(socket);
    socket.on('error', () => undefined).write('220 localhost\r\n');
    const drip = setInterval(() => socket.write('250-still\r\n'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
  // Half a minute, made short.
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(shortSignal());
  const { port } = dripping.address() as AddressInfo;
  await expect(send(String(port), 'none')).rejects.toThrow('The server did not accept the e-mail in time.');
  timeout.mockRestore();
  await until(() => drips.every(({ destroyed }) => destroyed));
  await new Promise((resolve) => dripping.close(resolve));
});

function shortSignal(): AbortSignal {
  const soon = new AbortController();
  setTimeout(() => soon.abort(), 300);
  return soon.signal;
}
