import { gzipSync } from 'node:zlib';
import { again, pour, type HostileReceiver } from './receiver';

const MB = 1024 * 1024;
const DRIP = 200;

const silent = { outcome: 'timeout', httpStatus: null, takesAllTime: true } as const;

/** 20 KB that decompress to 20 MB. */
const bomb = gzipSync(Buffer.alloc(20 * MB));

/** Receivers that are slow or never finish. */
export const ENDLESS: readonly HostileReceiver[] = [
  { does: 'takes the request and says nothing', ...silent, answers: () => undefined },
  {
    does: 'drips its status line',
    ...silent,
    answers(socket) {
      const letters = [...'HTTP/1.1 200 Almost-there-but-not-quite-yet'.padEnd(4000, '.')];
      again(socket, DRIP, () => socket.write(letters.shift() ?? '.'));
    },
  },
  {
    does: 'drips its headers',
    ...silent,
    answers(socket) {
      socket.write('HTTP/1.1 200 OK\r\n');
      let number = 0;
      again(socket, DRIP, () => socket.write(`x-${number++}: 1\r\n`));
    },
  },
  {
    does: 'drips one header line',
    ...silent,
    answers(socket) {
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      again(socket, DRIP, () => socket.write('a'));
    },
  },
  {
    does: 'drips its body, which counts from its status line',
    outcome: 'delivered',
    httpStatus: 200,
    takesAllTime: true,
    answers(socket) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n');
      again(socket, DRIP, () => socket.write('.'));
    },
  },
  {
    does: 'drips the body of an error',
    outcome: 'http_error',
    httpStatus: 500,
    takesAllTime: true,
    answers(socket) {
      socket.write('HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n');
      again(socket, DRIP, () => socket.write('1\r\n.\r\n'));
    },
  },
  {
    does: 'announces a body and holds it back',
    outcome: 'delivered',
    httpStatus: 200,
    takesAllTime: true,
    answers: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n'),
  },
  {
    does: 'floods with 103 Early Hints',
    ...silent,
    answers(socket) {
      again(socket, 2, () =>
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n'.repeat(20)),
      );
    },
  },
  {
    does: 'floods with 100 Continue',
    ...silent,
    answers(socket) {
      again(socket, 2, () => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)));
    },
  },
  {
    does: 'says 102 Processing for ever',
    ...silent,
    answers(socket) {
      again(socket, DRIP, () => socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
    },
  },
  {
    does: 'sends headers without end, as fast as it can',
    outcome: 'connection',
    httpStatus: null,
    answers(socket) {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, `x-header: ${'a'.repeat(1000)}\r\n`, 100 * MB);
    },
  },
  {
    does: 'sends one header of 100 MB',
    outcome: 'connection',
    httpStatus: null,
    answers(socket) {
      socket.write('HTTP/1.1 200 OK\r\nx-header: ');
      pour(socket, 'a'.repeat(64 * 1024), 100 * MB);
    },
  },
  {
    does: 'answers with a body of 100 MB',
    outcome: 'delivered',
    httpStatus: 200,
    answers(socket) {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${100 * MB}\r\n\r\n`);
      pour(socket, Buffer.alloc(64 * 1024, 'x'), 100 * MB);
    },
  },
  {
    does: 'answers with an error of 100 MB in chunks of one byte',
    outcome: 'http_error',
    httpStatus: 503,
    answers(socket) {
      socket.write('HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n');
      pour(socket, '1\r\nx\r\n'.repeat(10_000), 100 * MB);
    },
  },
  {
    does: 'answers with a gzip bomb',
    outcome: 'delivered',
    httpStatus: 200,
    answers(socket) {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    },
  },
  {
    does: 'names an encoding fifty times over',
    outcome: 'delivered',
    httpStatus: 200,
    answers: (socket) =>
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-encoding: ${'gzip, '.repeat(50)}br\r\ncontent-length: 1\r\n\r\nx`,
      ),
  },
];
