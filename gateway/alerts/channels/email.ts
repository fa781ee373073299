import { connect, isIP, type Socket } from 'node:net';
import { AddressRefused, type DestinationRules } from '../../http/destination-address';
import { SECOND } from '../../time';
import { fact, type Fact } from '../../wording/facts';
import { type SpokenNotice } from '../notice';
import { headlineOf, plainText } from '../words';
import {
  ChannelFailure,
  CHANNEL_TIMEOUT,
  unreached,
  type ChannelKind,
  type ChannelSettings,
} from './channel-kind';
import { emailHtml } from './email-html';

/** For the whole exchange, even if the server sends slowly; a lease on an alert lasts longer. */
const LONGEST = 30 * SECOND;

const MAILBOX = /^(?:[^<>\r\n]*<)?[^\s<>@,;]+@[^\s<>@,;]+>?$/;

const addressesOf = (text: string): string[] =>
  text
    .split(/[,;\n]/)
    .map((one) => one.trim())
    .filter(Boolean);

const areMailboxes = (all: string[]): boolean => all.length > 0 && all.every((one) => MAILBOX.test(one));

/** Port 465 uses TLS from the first byte. Other ports use STARTTLS if offered, or require it. */
const SECURITY = [
  { value: 'starttls', label: 'STARTTLS (port 587)' },
  { value: 'tls', label: 'TLS (port 465)' },
  { value: 'none', label: 'None: only within a network of your own' },
];

/** E-mail by SMTP, as HTML and text. */
export const email: ChannelKind = {
  label: 'E-mail',
  hint: 'By the SMTP server of your provider.',
  fields: [
    {
      name: 'to',
      label: 'To',
      placeholder: 'ana@example.com, ben@example.com',
      hint: 'One or several, divided by commas.',
    },
    { name: 'from', label: 'Sender', placeholder: 'Messaging Gateway <gateway@example.com>' },
    { name: 'host', label: 'SMTP server', placeholder: 'smtp.example.com', isServer: true },
    { name: 'security', label: 'Encryption', choices: SECURITY, default: 'starttls', isServer: true },
    {
      name: 'port',
      label: 'Port',
      isServer: true,
      isOptional: true,
      hint: '587 or 465 where it is empty, as the encryption says.',
    },
    { name: 'user', label: 'User', isOptional: true },
    { name: 'password', label: 'Password', isSecret: true, isOptional: true },
  ],
  check: ({ to = '', from = '', host = '', port = '', security = '' }, rules) => ({
    to: areMailboxes(addressesOf(to)) ? null : fact('email.addresses', {}),
    from: MAILBOX.test(from) ? null : fact('email.address', {}),
    host: isPort(port) ? refuseHost(host, portOf({ port, security }), rules) : null,
    port: isPort(port) ? null : fact('port.invalid', {}),
  }),
  send: ({ rules }, settings, notice) =>
    sendMail(rules, settings, mailOf(notice, addressesOf(settings.to ?? ''))),
  shown: ({ to = '' }) => addressesOf(to).join(', '),
};

/** A mail, without its sender. */
export interface Mail {
  to: string[];
  subject: string;
  text: string;
  html?: string;
  messageId?: string;
  headers: Record<string, string>;
}

/**
 * Sends a mail through the server of a channel.
 * @throws ChannelFailure if the server did not accept it
 */
export async function sendMail(
  rules: DestinationRules,
  settings: ChannelSettings,
  mail: Mail,
): Promise<void> {
  const { from = '', host = '', security, user, password } = settings;
  const port = portOf(settings);
  // Loaded on demand, because most gateways send no e-mail.
  const { createTransport } = await import('nodemailer');
  const socket = await open(rules, host, port).catch((error: unknown) => {
    throw new ChannelFailure(unreached(error));
  });
  const transport = createTransport({
    ...{ host, port, connection: socket, secure: security === 'tls', requireTLS: security === 'starttls' },
    ignoreTLS: security === 'none',
    ...(user && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: CHANNEL_TIMEOUT,
    greetingTimeout: CHANNEL_TIMEOUT,
    socketTimeout: CHANNEL_TIMEOUT,
    // Alert content must never be read from a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const deadline = AbortSignal.timeout(LONGEST);
  try {
    await Promise.race([transport.sendMail({ from, ...mail }), timeOut(deadline)]);
  } catch (error) {
    throw new ChannelFailure(
      deadline.aborted
        ? fact('channel.smtp_late', {})
        : fact('channel.smtp', { why: reasonOf(error as SmtpError) }),
    );
  } finally {
    transport.close();
    socket.destroy();
  }
}

interface SmtpError extends Error {
  responseCode?: number;
  response?: string;
}

/** Only the codes of the server's response, which may repeat the refused command with the password. */
function reasonOf({ message, responseCode, response = '' }: SmtpError): string {
  if (responseCode === undefined) return message;
  const [, enhanced = ''] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  const code = [`SMTP ${responseCode}`, enhanced].filter(Boolean).join(' ');
  const [own = '', ...answer] = message.split(`: ${response}`);
  return response && answer.length ? `${own} (${code})` : code;
}

const timeOut = (deadline: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    deadline.addEventListener('abort', () => reject(new Error('too slow')), { once: true }),
  );

/** Prevents automatic replies such as out-of-office messages. */
export const NO_REPLIES = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** An alert and its retries share one Message-ID, so that mail clients recognise duplicates. */
const mailOf = (notice: SpokenNotice, to: string[]): Mail => ({
  to,
  subject: headlineOf(notice),
  text: plainText(notice),
  html: emailHtml(notice),
  messageId: `<${notice.id}@messaging-gateway>`,
  headers: NO_REPLIES,
});

function portOf({ port, security }: ChannelSettings): number {
  if (port) return Number(port);
  return security === 'tls' ? 465 : 587;
}

const isPort = (port: string): boolean =>
  port === '' || (/^[1-9]\d{0,4}$/.test(port) && Number(port) < 65_536);

function refuseHost(host: string, port: number, rules: DestinationRules): Fact | null {
  if (isIP(host)) return rules.refuseAddress(host, host, port);
  const url = /^[\w.-]+$/.test(host) ? URL.parse(`http://${host}:${port}`) : null;
  return url ? rules.refuseUrl(url) : fact('host.invalid', {});
}

/** Connects to an allowed address: the allow list applies to mail servers as to destinations. */
function open(rules: DestinationRules, host: string, port: number): Promise<Socket> {
  const refused = isIP(host) ? rules.refuseAddress(host, host, port) : null;
  if (refused) return Promise.reject(new AddressRefused(refused, host));
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      lookup: rules.lookupAt(port),
      timeout: CHANNEL_TIMEOUT,
    });
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new Error('the server does not answer')));
    socket.once('connect', () => {
      const address = socket.remoteAddress ?? '';
      const reason = rules.refuseAddress(address, host, port);
      socket.removeListener('error', reject);
      if (reason === null) return resolve(socket);
      socket.destroy();
      return reject(new AddressRefused(reason, address));
    });
  });
}
