import { type HostileReceiver } from './receiver';

const broken = { outcome: 'connection', httpStatus: null } as const;
const taken = { outcome: 'delivered', httpStatus: 200 } as const;

/** A receiver that writes `text` and closes the connection. */
const writes = (
  does: string,
  text: string | Buffer,
  recorded: Pick<HostileReceiver, 'outcome' | 'httpStatus'> = broken,
): HostileReceiver => ({ does, ...recorded, answers: (socket) => socket.end(text) });

/** Receivers whose answers are not valid HTTP or contradict themselves. */
export const BROKEN_ANSWERS: readonly HostileReceiver[] = [
  {
    does: 'hangs up as soon as it is called',
    ...broken,
    onFirstBytes: true,
    answers: (socket) => socket.destroy(),
  },
  { does: 'hangs up without an answer', ...broken, answers: (socket) => socket.end() },
  { does: 'resets the connection', ...broken, answers: (socket) => socket.resetAndDestroy() },
  {
    does: 'resets the connection in its status line',
    ...broken,
    answers: (socket) => socket.write('HTTP/1.1 20', () => setTimeout(() => socket.resetAndDestroy(), 20)),
  },
  {
    does: 'resets the connection in its headers',
    ...broken,
    answers: (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nx-half: ', () => setTimeout(() => socket.resetAndDestroy(), 20)),
  },
  {
    does: 'resets the connection in its body, after it has said yes',
    ...taken,
    answers: (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      ),
  },
  {
    does: 'answers before it has read the request',
    ...taken,
    onFirstBytes: true,
    answers: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  },
  writes('speaks no HTTP', 'this is no HTTP\r\n\r\n'),
  writes('sends bytes at random', Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 37) % 256))),
  writes('answers in HTTP/0.9', '<html>Welcome</html>'),
  writes('answers in HTTP/2', Buffer.from('000012040000000000000300000080000400010000000500ffffff', 'hex')),
  writes('greets like a mail server', '220 mail.example.com ESMTP\r\n'),
  writes('greets like a shell', 'SSH-2.0-OpenSSH_9.6\r\n'),
  writes('begins a TLS handshake on its plain port', Buffer.from('16030100050100000100', 'hex')),
  writes('has a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'),
  writes('has a status of four digits', 'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n'),
  writes('has a negative status', 'HTTP/1.1 -200 OK\r\ncontent-length: 0\r\n\r\n'),
  writes('has no status', 'HTTP/1.1 OK\r\ncontent-length: 0\r\n\r\n'),
  writes('has a header without a name', 'HTTP/1.1 200 OK\r\n: value\r\ncontent-length: 0\r\n\r\n'),
  writes('has a NUL in a header', 'HTTP/1.1 200 OK\r\nx-one: a\0b\r\ncontent-length: 0\r\n\r\n'),
  writes('has two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
  writes('has a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'),
  writes('has a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n'),
  writes('has a length beyond all numbers', `HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(40)}\r\n\r\n`),
  writes('promises more than it sends', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', taken),
  writes('sends more than it promises', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokMORE', taken),
  writes('has chunks of no size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nx\r\n', taken),
  writes(
    'has a chunk that is too large',
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'f'.repeat(30)}\r\nx\r\n`,
    taken,
  ),
  writes(
    'has a length and chunks',
    'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    broken,
  ),
  writes(
    'gives two answers at once, the second one a redirect',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n',
    taken,
  ),
  writes(
    'hides a yes behind its no',
    'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    { outcome: 'http_error', httpStatus: 500 },
  ),
  writes(
    'says 100 Continue first, which nobody asked for',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    taken,
  ),
  writes(
    'says 100 Continue and 103 Early Hints several times first',
    `${'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(3)}HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`,
    { outcome: 'http_error', httpStatus: 500 },
  ),
  writes(
    'wants another protocol',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  ),
  {
    does: 'closes each connection that it says it keeps',
    ...taken,
    answers: (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n', () =>
        setTimeout(() => socket.resetAndDestroy(), 5),
      ),
  },
  writes(
    'has bytes in its headers that are no text',
    Buffer.from('HTTP/1.1 200 OK\r\nx-one: \xff\xfe\xe9\r\ncontent-length: 2\r\n\r\n\xff\xfe', 'latin1'),
    taken,
  ),
];
