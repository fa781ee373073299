import { createServer, type Server, type Socket } from 'node:net';
import { type Outcome } from '../../../gateway/forwarding/deliver';

/** A misbehaving receiver, implemented on a TCP socket. */
export interface HostileReceiver {
  /** Completes "a receiver that …". */
  does: string;
  /** The recorded outcome of an attempt. */
  outcome: Outcome['outcome'];
  /** Null if no answer is accepted. */
  httpStatus: number | null;
  /** The wait that it asks for, as understood, in seconds. */
  retryAfter?: number;
  /** Whether only the time limit of the exchange ends it. */
  takesAllTime?: true;
  /** Whether it answers at the first bytes of a request, instead of the whole request. */
  onFirstBytes?: true;
  /** @param socket has received the whole request, or its first bytes */
  answers(socket: Socket, elsewhere: string): void;
}

export interface OpenReceiver {
  url: string;
  /** Number of complete requests received. */
  requests: () => number;
  connections: () => number;
  /** Number of connections still open. */
  open: () => number;
  close(): Promise<void>;
}

/** @param elsewhere URL of a server that redirects must never reach */
export async function openReceiver(receiver: HostileReceiver, elsewhere: string): Promise<OpenReceiver> {
  const sockets = new Set<Socket>();
  let requests = 0;
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let read = '';
    let isAnswered = false;
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      read += bytes.toString('latin1');
      const headersEnd = read.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(read)?.[1] ?? 0);
      const isWhole = headersEnd >= 0 && read.length >= headersEnd + 4 + length;
      if (isWhole) {
        requests++;
        read = '';
      }
      if (isAnswered && !isWhole) return;
      if (!isWhole && !receiver.onFirstBytes) return;
      isAnswered = true;
      receiver.answers(socket, elsewhere);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests: () => requests,
    connections: () => connections,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}

/** Repeats the work until the other side closes the connection. */
export function again(socket: Socket, milliseconds: number, work: () => void): void {
  const timer = setInterval(work, milliseconds);
  socket.on('close', () => clearInterval(timer));
  work();
}

/** Writes as fast as the other side reads, up to `most` bytes. */
export function pour(socket: Socket, chunk: string | Buffer, most: number): void {
  let poured = 0;
  const next = (): void => {
    while (!socket.destroyed && poured < most) {
      poured += chunk.length;
      if (!socket.write(chunk)) {
        socket.once('drain', next);
        return;
      }
    }
    socket.end();
  };
  next();
}
