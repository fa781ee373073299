import { type Server } from 'node:http';
import { type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { SECOND } from './time';

/** How long a stopping server waits for its clients, in milliseconds. */
export interface EndPatience {
  /** The time in which any client must connect, before the server stops waiting for clients to notice. */
  anyone: number;
  /** For all clients to notice, if there are any. */
  notice: number;
  /** For the first byte on a new connection. */
  firstByte: number;
  /** For everything, including requests that are still arriving, and their responses. */
  all: number;
}

/**
 * Most load balancers check readiness every few seconds. Clients reuse a connection within its idle time
 * (`server.ts`) or abandon it. A delivery needs up to `all` for its exchange; the outcome of a send that takes longer
 * is unknown.
 */
const PATIENCE: EndPatience = { anyone: SECOND, notice: 5 * SECOND, firstByte: SECOND, all: 20 * SECOND };

/** The time between checks for connections that are no longer needed. */
const GLANCE = SECOND / 20;

/**
 * A turn of the event loop without incoming data takes less than this, in milliseconds. At most `MOST_TURNS` are
 * awaited.
 */
const QUIET_TURN = 0.2;
const MOST_TURNS = 1000;

/**
 * Stops a server within its time limit, whatever its clients do: it accepts no more connections, finishes the current
 * requests, and closes each connection after its last response. Must be registered before the server listens.
 *
 * A client that sends a request while its connection is being closed cannot know whether the request arrived. So if
 * there is time, connections stay open at first: each response announces that its connection will close, and
 * readiness fails, so that load balancers and clients move away by themselves.
 * @returns stops the server; resolves when no connection is left. Its argument: whether clients get time to notice
 */
export function endOf(app: { server: Server; close(): PromiseLike<unknown> }, patience = PATIENCE) {
  const connections = new Set<Socket>();
  let connected = 0;
  app.server.on('connection', (socket: Socket) => {
    connected++;
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });

  async function notice(): Promise<void> {
    const before = connected - connections.size;
    await wait(patience.anyone);
    if (connected > before) await wait(patience.notice - patience.anyone);
  }

  return async (isNoticed = false): Promise<void> => {
    if (isNoticed && app.server.listening) await notice();
    await quietTurn(() => connected);
    const closed = new Promise((resolve) => app.server.close(resolve));
    const began = performance.now();
    const glance = setInterval(() => {
      const waited = performance.now() - began;
      app.server.closeIdleConnections();
      if (waited > patience.firstByte) {
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }
      if (waited > patience.all) app.server.closeAllConnections();
    }, GLANCE);
    try {
      await Promise.all([closed, app.close()]);
    } finally {
      clearInterval(glance);
    }
  };
}

/** Resolves when all data that arrived has been read, so that closing interrupts as few requests as possible. */
async function quietTurn(connected: () => number): Promise<void> {
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const [began, before] = [performance.now(), connected()];
    await turn();
    if (performance.now() - began < QUIET_TURN && connected() === before) return;
  }
}
