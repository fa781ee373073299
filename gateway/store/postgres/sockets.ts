import { Socket } from 'node:net';
import { SECOND } from '../../time';

/** A connection on which nothing has come for this long, though something was asked, is given up. */
const SILENCE = 15 * SECOND;

/** The connections to one PostgreSQL. */
export interface PostgresSockets {
  /** @param isAtRest whether nothing is asked on it; one on which something always is has none */
  open(isAtRest?: () => boolean): Socket;
  /**
   * For when the server is found not to answer: it gives up those on which nothing has come since this was asked for.
   * Their packets may be lost with the network, and would be sent again only after pauses that grow; a new connection
   * gets through as soon as there is a way again. One that is still being made has a time limit of its own.
   */
  sinceNow(): () => void;
}

/** Node's own time limit of a socket: one whose other end has vanished without a word would be waited for for minutes. */
export function postgresSockets(): PostgresSockets {
  const sockets = new Set<Socket>();
  const giveUp = (socket: Socket) => socket.destroy(new Error('The database does not answer'));

  return {
    open(isAtRest = () => false) {
      const socket = new Socket();
      socket.setTimeout(SILENCE).on('timeout', () => {
        if (!isAtRest()) giveUp(socket);
      });
      socket.once('connect', () => sockets.add(socket)).once('close', () => sockets.delete(socket));
      return socket;
    },
    sinceNow() {
      const before = [...sockets].map((socket) => [socket, socket.bytesRead] as const);
      return () => {
        for (const [socket, read] of before) if (socket.bytesRead === read) giveUp(socket);
      };
    },
  };
}
