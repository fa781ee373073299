import { Socket } from 'node:net';
import { SECOND } from '../../time';

/** A connection is closed if a query gets no data for this long. */
const SILENCE = 15 * SECOND;

/** The connections to one PostgreSQL. */
export interface PostgresSockets {
  /**
   * @param isAtRest whether no query is running, so that silence is expected; omitted: silence always closes the
   * connection
   */
  open(isAtRest?: () => boolean): Socket;
  /**
   * Closes sockets that have received nothing since the call, used when the server does not answer. Lost packets
   * would be repeated only after growing pauses, while a new connection works as soon as the network does. A
   * connecting socket has its own time limit.
   */
  sinceNow(): () => void;
}

/**
 * Uses Node's socket timeout, because a peer that vanishes without notice would otherwise be waited for for minutes.
 */
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
