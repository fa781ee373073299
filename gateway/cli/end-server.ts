import { type Server } from 'node:http';
import { type Socket } from 'node:net';
import { SECOND } from '../time';

/** How long clients are waited for once the server is to end, in milliseconds. */
export interface EndPatience {
  /** For the first byte of who has just connected. */
  firstByte: number;
  /** For everything: requests that are still arriving, and their answers. */
  all: number;
}

/** A delivery has as long for its whole exchange; a send whose answer takes longer has an outcome that nobody knows. */
const PATIENCE: EndPatience = { firstByte: SECOND, all: 20 * SECOND };

/** Between two looks for connections that nobody needs any more. */
const GLANCE = SECOND / 20;

/**
 * Ends a server within its patience, whatever its clients do: it takes no connection any more, finishes what is on its
 * way, and closes each connection once its last answer is out. Asked for before it listens.
 * @returns ends it; resolves once no connection is left
 */
export function endOf(app: { server: Server; close(): PromiseLike<unknown> }, patience = PATIENCE) {
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });

  return async (): Promise<void> => {
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
      await app.close();
    } finally {
      clearInterval(glance);
    }
  };
}
