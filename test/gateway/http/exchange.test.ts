import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { AnswerBroken, AnswerReader } from '../../../gateway/http/answer-reader';
import { Exchanges, type AnswerBounds, type HttpRequest } from '../../../gateway/http/exchange';
import { until } from '../../support/http-peer';

const OK = 'HTTP/1.1 200 OK\r\n';

/** What the reader makes of a response that arrives in these pieces, after which the connection ends if `ends`. */
function read(pieces: string[], ends = false) {
  const reader = new AnswerReader();
  for (const piece of pieces) reader.take(Buffer.from(piece, 'latin1'));
  if (ends) reader.end();
  const { status, isOver, keepsAlive, chunks } = reader;
  return { status, isOver, keepsAlive, body: Buffer.concat(chunks).toString('latin1') };
}

const CHUNKED = `${OK}transfer-encoding: Chunked\r\n\r\n4\r\nfour\r\n5;x=1\r\n five\r\n0\r\nx-t: 1\r\n\r\n`;

describe('a response', () => {
  test.each([
    ['with a length', `${OK}content-length: 4\r\n\r\nfour`, 'four', true],
    ['in chunks, with extensions and trailers', CHUNKED, 'four five', true],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', '', true],
    [
      'that is not modified, whatever its length says',
      'HTTP/1.1 304 \r\ncontent-length: 9\r\n\r\n',
      '',
      false,
    ],
    ['without a body that announces one', 'HTTP/1.1 204 \r\ntransfer-encoding: chunked\r\n\r\n', '', false],
    ['of length 0', `${OK}content-length: 0\r\n\r\n`, '', true],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\nx', 'x', true],
    [
      'after others that only announce it',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${CHUNKED}`,
      'four five',
      true,
    ],
    ['after which the peer closes', `${OK}Connection: x, Close\r\ncontent-length: 1\r\n\r\nx`, 'x', false],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx', 'x', false],
    [
      'of HTTP/1.0 that keeps the connection',
      'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\nx',
      'x',
      true,
    ],
    ['with more than its length', `${OK}content-length: 1\r\n\r\nxHTTP/1.1 200`, 'x', false],
  ])('%s is read, in whatever pieces it arrives', (_which, text, body, keepsAlive) => {
    for (let size = 1; size <= text.length; size++) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(read(pieces)).toMatchObject({ status: expect.any(Number), isOver: true, body, keepsAlive });
    }
  });

  test('without a length ends with the connection', () => {
    expect(read([OK, '\r\nall of', ' it'])).toMatchObject({ isOver: false });
    expect(read([OK, '\r\nall of', ' it'], true)).toMatchObject({
      isOver: true,
      body: 'all of it',
      keepsAlive: false,
    });
  });

  test('has its headers by lower-case name, repeated ones together', () => {
    const reader = new AnswerReader();
    reader.take(
      Buffer.from(`${OK}Retry-After:  7 \r\nX-A: 1\r\nx-a:2\r\n__proto__: x\r\nconstructor: y\r\n\r\n`),
    );
    expect(Object.entries(reader.headers)).toEqual([
      ['retry-after', '7'],
      ['x-a', '1, 2'],
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  test.each([
    ['not HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['of another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['with a status that is none', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['that changes the protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'],
    ['with a folded header', `${OK}x-a: 1\r\n x-b: 2\r\n\r\n`],
    ['with a space before the colon', `${OK}content-length : 4\r\n\r\n`],
    ['with a line that is no header', `${OK}nothing\r\n\r\n`],
    ['with a control character in a header', `${OK}x-a: 1\x0b\r\n\r\n`],
    ['with a line feed alone', `${OK}x-a: 1\ncontent-length: 4\r\n\r\n`],
    ['with two lengths', `${OK}content-length: 4\r\ncontent-length: 5\r\n\r\n`],
    ['with a length that is none', `${OK}content-length: +4\r\n\r\n`],
    ['with a length beside chunks', `${OK}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['with an unknown coding', `${OK}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['with a size that is none', `${OK}transfer-encoding: chunked\r\n\r\n0x4\r\nfour`],
    ['with a chunk longer than its size', `${OK}transfer-encoding: chunked\r\n\r\n3\r\nfour\r\n`],
    ['with an endless head', OK + 'x-a: 1\r\n'.repeat(3000)],
    ['with an endless line', `${OK}x-a: ${'1'.repeat(20_000)}`],
    ['with an endless size', `${OK}transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}`],
    ['with endless trailers', `${OK}transfer-encoding: chunked\r\n\r\n0\r\n${'x-a: 1\r\n'.repeat(3000)}`],
  ])('%s is refused', (_which, text) => {
    const reader = new AnswerReader();
    expect(() => reader.take(Buffer.from(text, 'latin1'))).toThrow(AnswerBroken);
    expect(() => read([...text])).toThrow(AnswerBroken);
  });

  test.each([
    ['in its head', OK],
    ['in its body', `${OK}content-length: 4\r\n\r\nfou`],
    ['in a chunk', `${OK}transfer-encoding: chunked\r\n\r\n4\r\nfou`],
    ['before the last chunk', `${OK}transfer-encoding: chunked\r\n\r\n4\r\nfour\r\n`],
  ])('that ends %s is broken', (_where, text) => {
    expect(() => read([text], true)).toThrow('The connection ended before the whole answer');
  });
});

describe('exchanges', () => {
  let server: Server;
  let exchanges: Exchanges;
  let url: string;
  /** What the server received on each connection. */
  let received: string[];
  let sockets: Socket[];
  let answer: (socket: Socket) => void;

  const bounds: AnswerBounds = { maxAnswerBytes: 16, brokenBody: 'fails' };
  beforeEach(async () => {
    [received, sockets] = [[], []];
    answer = (socket) => socket.write(`${OK}content-length: 2\r\n\r\nok`);
    server = createServer((socket) => {
      const at = sockets.push(socket) - 1;
      received.push('');
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          received[at] += chunk.toString('latin1');
          if (/\r\n\r\n/.test(received[at] ?? '')) answer(socket);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    exchanges = new Exchanges(buildConnector({ allowH2: false }), bounds);
  });
  afterEach(async () => {
    exchanges.close();
    sockets.forEach((socket) => socket.destroy());
    server.close();
    await once(server, 'close');
  });

  const ask = (request: Partial<HttpRequest> = {}) =>
    exchanges.exchange({ url, method: 'POST', headers: {}, body: 'x', timeout: 20_000, ...request });
  /** Enough for what both sides do after an answer. */
  async function nextTurns(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  }

  test('send the request as it is given, with its length in bytes', async () => {
    const { host } = new URL(url);
    await ask({ url: `${url}/a%20b?c=%2B`, headers: { 'x-a': 'ä', 'content-length': '99' }, body: 'é😀' });
    expect(received).toEqual([
      `POST /a%20b?c=%2B HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\nx-a: \xe4\r\nContent-Length: 6\r\n\r\n${Buffer.from('é😀').toString('latin1')}`,
    ]);
  });

  test.each([
    ['name', { 'x-a: 1\r\nx-b': '2' }],
    ['value', { 'x-a': '1\r\nx-b: 2' }],
    ['value beyond Latin-1', { 'x-a': '\u{10a}' }],
  ])('refuse a header whose %s would change the request', async (_what, headers) => {
    await expect(ask({ headers })).rejects.toThrow('Invalid header');
    expect(received).toEqual([]);
  });

  test('use a connection again, one request at a time', async () => {
    for (let count = 0; count < 5; count++) {
      expect((await ask()).data.toString()).toBe('ok');
      await nextTurns();
    }
    expect(sockets).toHaveLength(1);
    await Promise.all([ask(), ask(), ask()]);
    expect(sockets).toHaveLength(3);
  });

  test.each([
    [
      'that the peer closes after its answer',
      (socket: Socket) => socket.end(`${OK}content-length: 2\r\n\r\nok`),
    ],
    [
      'of a peer that says it closes',
      (socket: Socket) => socket.write(`${OK}connection: close\r\ncontent-length: 2\r\n\r\nok`),
    ],
    [
      'that is kept for two more seconds',
      (socket: Socket) => socket.write(`${OK}keep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok`),
    ],
    [
      'on which more came than was asked for',
      (socket: Socket) => socket.write(`${OK}content-length: 2\r\n\r\nok${OK}`),
    ],
    [
      'whose answer goes on beyond what is kept',
      (socket: Socket) => socket.write(`${OK}content-length: 40\r\n\r\n${'o'.repeat(39)}`),
    ],
    [
      'whose answer has longer chunk sizes than is kept',
      (socket: Socket) =>
        socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(20)}\r\no\r\n1`),
    ],
  ])('do not use a connection again %s', async (_which, answers) => {
    answer = answers;
    await ask();
    await nextTurns();
    await ask();
    expect(sockets).toHaveLength(2);
  });

  test('close an idle connection on which something comes unasked', async () => {
    await ask();
    await nextTurns();
    sockets[0]?.write(`${OK}content-length: 4\r\n\r\nlate`);
    await nextTurns();
    expect((await ask()).data.toString()).toBe('ok');
    expect(sockets).toHaveLength(2);
  });

  test('fail when the peer breaks off, and keep the answer if they may', async () => {
    answer = (socket) => socket.end(`${OK}content-length: 9\r\n\r\nhalf`);
    await expect(ask()).rejects.toThrow(AnswerBroken);
    exchanges = new Exchanges(buildConnector({ allowH2: false }), { ...bounds, brokenBody: 'ignored' });
    expect((await ask()).data.toString()).toBe('half');
    answer = (socket) => socket.end();
    await expect(ask()).rejects.toThrow('The connection ended before the whole answer');
  });

  /** Begins an exchange on the first connection, whose answer has to wait. */
  async function beginOnSame(timeout: number) {
    await nextTurns();
    received[0] = '';
    answer = () => undefined;
    const asked = ask({ timeout });
    const ended = Promise.allSettled([asked]).then(([{ status }]) => status);
    await until(() => received[0] !== '');
    return { ended, give: () => sockets[0]?.write(`${OK}content-length: 2\r\n\r\nok`) };
  }

  test('each have their own time limit, on a connection that had another one', async () => {
    await ask({ timeout: 200 });
    const { ended, give } = await beginOnSame(20_000);
    await wait(500);
    give();
    expect(await ended).toBe('fulfilled');
    expect(await (await beginOnSame(200)).ended).toBe('rejected');
    expect(sockets).toHaveLength(1);
  });

  test('begin their time limit with the request, on a connection that had the same one', async () => {
    const timeout = 1000;
    await ask({ timeout });
    await wait(timeout * 0.8);
    const began = performance.now();
    const { ended, give } = await beginOnSame(timeout);
    await wait(timeout * 0.4);
    const mayBeOver = performance.now() - began > timeout * 0.9;
    give();
    // A machine that stood still for so long says nothing.
    expect(mayBeOver || (await ended) === 'fulfilled').toBe(true);
  });

  test('fail when they are closed', async () => {
    answer = () => undefined;
    const asked = ask();
    await until(() => received[0] !== undefined && received[0] !== '');
    exchanges.close();
    await expect(asked).rejects.toThrow('The HTTP client is closed');
    await expect(ask()).rejects.toThrow('The HTTP client is closed');
  });
});
