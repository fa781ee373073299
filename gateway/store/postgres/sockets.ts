import { Socket } from 'node:net';
import { SECOND } from '../../time';

/** A connection on which nothing has come for this long, though something was asked, is given up. */
const SILENCE = 15 * SECOND;

/** The connections to one PostgreSQL. */
export interface PostgresSockets {
  /** @param isAtRest whether nothing is asked on it; one on which something always is has none */
  open(isAtRest?: () => boolean): Socket;
  /**
   * Closes sockets on which nothing has arrived since the call, when the server does not answer. Their
   * packets may be lost, and would be repeated only after growing pauses; a new connection works as soon as
   * the network does. A socket that is still connecting has its own time limit.
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
