import { type HostileReceiver } from './receiver';

const says = (status: number, headers: Record<string, string> = {}, body = ''): string =>
  [
    `HTTP/1.1 ${status} Word`,
    ...Object.entries({ 'content-length': String(body.length), ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n');

const outcomeOf = (status: number): HostileReceiver['outcome'] =>
  status >= 200 && status <= 299 ? 'delivered' : 'http_error';

const answering = (status: number): HostileReceiver => ({
  does: `answers ${status}`,
  outcome: outcomeOf(status),
  httpStatus: status,
  answers: (socket) => socket.write(says(status)),
});

const leading = (status: number, where: string, to: (elsewhere: string) => string): HostileReceiver => ({
  does: `leads with ${status} to ${where}`,
  outcome: 'http_error',
  httpStatus: status,
  answers: (socket, elsewhere) => socket.write(says(status, { location: to(elsewhere) })),
});

/**
 * A receiver that asks for a wait.
 * @param retryAfter the wait as understood, in seconds; undefined if it is not understood
 */
const asking = (header: string, retryAfter?: number): HostileReceiver => ({
  does: `asks to wait for "${header.slice(0, 40)}"`,
  outcome: 'http_error',
  httpStatus: 429,
  ...(retryAfter !== undefined && { retryAfter }),
  answers: (socket) => socket.write(says(429, { 'retry-after': header })),
});

/** Receivers with unusual statuses, redirects or impossible requests. */
export const ODD_STATUSES: readonly HostileReceiver[] = [
  ...[200, 201, 202, 204, 205, 206, 226, 299].map(answering),
  ...[300, 304, 400, 401, 403, 404, 405, 408, 410, 413, 418, 421, 425, 426, 429, 451].map(answering),
  ...[500, 501, 502, 503, 504, 511, 599, 600, 999].map(answering),
  ...[301, 302, 303, 307, 308].map((status) => leading(status, 'a server of ours', (elsewhere) => elsewhere)),
  leading(302, 'itself', () => '/hook'),
  leading(307, 'the metadata of the cloud', () => 'http://169.254.169.254/latest/meta-data/'),
  leading(302, 'a file', () => 'file:///etc/passwd'),
  leading(302, 'nowhere', () => 'http://'),
  {
    does: 'leads elsewhere although it has said yes',
    outcome: 'delivered',
    httpStatus: 200,
    answers: (socket, elsewhere) =>
      socket.write(says(200, { location: elsewhere, refresh: `0; url=${elsewhere}` })),
  },
  {
    does: 'names another place for all that comes after',
    outcome: 'delivered',
    httpStatus: 200,
    answers: (socket, elsewhere) =>
      socket.write(says(200, { 'alt-svc': `h2="${elsewhere.replace('http://', '')}"; ma=86400` })),
  },
  {
    does: 'wants to be told who calls',
    outcome: 'http_error',
    httpStatus: 401,
    answers: (socket) => socket.write(says(401, { 'www-authenticate': 'Basic realm="x"' })),
  },
  {
    does: 'wants a proxy to be told who calls',
    outcome: 'http_error',
    httpStatus: 407,
    answers: (socket) => socket.write(says(407, { 'proxy-authenticate': 'Basic realm="x"' })),
  },
  asking('0', 0),
  asking('7', 7),
  asking('99999999', 99_999_999),
  asking('9'.repeat(400), Infinity),
  asking('-1'),
  asking('1.5'),
  asking('0x10'),
  asking('1e9'),
  asking('soon'),
  asking('soon, in 3000'),
  asking('Sun, 01 Mar 2020 12:00:00 GMT', 0),
  asking('Sunday, 01-Mar-20 12:00:00 GMT', 0),
  asking('Mon, 99 Foo 2999 99:99:99 GMT'),
  asking('  '),
];
