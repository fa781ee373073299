import { type Server } from 'node:http';
import { type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { SECOND } from './time';

/** How long clients are waited for once the server is to end, in milliseconds. */
export interface EndPatience {
  /** For the first of them, where there is time for them to notice. */
  anyone: number;
  /** For each of them to notice, where there is anyone. */
  notice: number;
  /** For the first byte of who has just connected. */
  firstByte: number;
  /** For everything: requests that are still arriving, and their answers. */
  all: number;
}

/**
 * Most balancers ask every few seconds whether a server is ready; a client has used a connection again within the
 * time for which it may be idle (`server.ts`), or left it. A delivery has as long as `all` for its whole exchange; a
 * send whose answer takes longer has an outcome that nobody knows.
 */
const PATIENCE: EndPatience = { anyone: SECOND, notice: 5 * SECOND, firstByte: SECOND, all: 20 * SECOND };

/** Between two looks for connections that nobody needs any more. */
const GLANCE = SECOND / 20;

/** A turn of the event loop in which nothing arrived is shorter, in milliseconds; and so many are waited for. */
const QUIET_TURN = 0.2;
const MOST_TURNS = 1000;

/**
 * Stops a server within its time limit, whatever its clients do: it accepts no more connections, finishes the
 * current requests, and closes each connection after its last answer. Registered before the server listens.
 *
 * A client that sends a request while its connection is being closed cannot know whether the request arrived.
 * So if there is time, nothing is closed at first: each answer says that its connection will close and that
 * the server is not ready, so that load balancers and clients move away by themselves.
 * @returns stops it; resolves when no connection is left. Its argument: whether clients get time to notice
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

/** Resolves when all that had arrived has just been taken: what is closed then breaks off the least. */
async function quietTurn(connected: () => number): Promise<void> {
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const [began, before] = [performance.now(), connected()];
    await turn();
    if (performance.now() - began < QUIET_TURN && connected() === before) return;
  }
}
