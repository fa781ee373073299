import { createServer, type Server, type Socket } from 'node:net';
import { type Outcome } from '../../../gateway/forwarding/deliver';

/** A receiver that does what no receiver should, a few lines of TCP each. */
export interface HostileReceiver {
  /** Reads after "a receiver that". */
  does: string;
  /** What is recorded of an attempt there. */
  outcome: Outcome['outcome'];
  /** Null where no answer counts. */
  httpStatus: number | null;
  /** In seconds: what it is understood to ask for. */
  retryAfter?: number;
  /** It is only ended by the time limit of the whole exchange. */
  takesAllTime?: true;
  /** It means one that it has not had a request on before. */
  onFirstBytes?: true;
  /** @param socket on which the whole request has arrived, or its first bytes */
  answers(socket: Socket, elsewhere: string): void;
}

export interface OpenReceiver {
  url: string;
  /** Whole requests that arrived. */
  requests: () => number;
  connections: () => number;
  /** Those that are still open. */
  open: () => number;
  close(): Promise<void>;
}

/** @param elsewhere the address of a server to which nobody is to be led */
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

/** Goes on until the other side hangs up. */
export function again(socket: Socket, milliseconds: number, work: () => void): void {
  const timer = setInterval(work, milliseconds);
  socket.on('close', () => clearInterval(timer));
  work();
}

/** Writes as fast as the other side reads, up to a number of bytes. */
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
