import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';

/** A pooler in transaction mode, such as PgBouncer, in this process. */
export interface TransactionPooler {
  /** URL of the database through the pooler. */
  url: string;
  /** Number of transactions so far. */
  transactions(): number;
  close(): Promise<void>;
}

/** A connection to the server. */
interface ServerConnection {
  socket: Socket;
  /** The client whose transaction it runs. */
  client: PooledClient | null;
}

interface PooledClient {
  socket: Socket;
  server: ServerConnection | null;
  /** Messages that wait for a connection to the server. */
  waiting: Buffer[];
  /** Answers to come: one for each query and each Sync. */
  answers: number;
  /** Whether messages were sent without a Sync. */
  isUnsynced: boolean;
}

/**
 * Gives each transaction the server connection that has been free for the longest time, so that hardly two
 * transactions of a client have the same. Clients need no password.
 * @param url of a database @param size connections to the server
 */
export async function startTransactionPooler(url: string, size: number): Promise<TransactionPooler> {
  const free: ServerConnection[] = [];
  const queue: PooledClient[] = [];
  const sockets = new Set<Socket>();
  let isClosed = false;
  let transactions = 0;
  await Promise.all(Array.from({ length: size }, addServer));

  const listener = createServer((socket) => {
    const client: PooledClient = { socket, server: null, waiting: [], answers: 0, isUnsynced: false };
    const read = messagesOf();
    let isStarted = false;
    sockets.add(socket);
    socket.on('data', (chunk: Buffer) => {
      if (!isStarted) {
        isStarted = true;
        socket.write(GREETING);
        return;
      }
      client.waiting.push(...read(chunk));
      if (client.server) forward(client);
      else if (client.waiting.length && !queue.includes(client)) queue.push(client);
      serve();
    });
    socket.on('error', () => socket.destroy());
    // The server rolls back the transaction of a vanished client.
    socket.on('close', () => {
      client.server?.socket.destroy();
      if (queue.includes(client)) queue.splice(queue.indexOf(client), 1);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const pooled = new URL(url);
  pooled.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return {
    url: pooled.href,
    transactions: () => transactions,
    async close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };

  function serve(): void {
    while (queue.length && free.length) {
      const [client, server] = [queue.shift() as PooledClient, free.shift() as ServerConnection];
      client.server = server;
      server.client = client;
      transactions++;
      forward(client);
    }
  }

  function forward(client: PooledClient): void {
    for (const message of client.waiting.splice(0)) {
      const type = String.fromCharCode(message[0] ?? 0);
      if (type === 'X') return void client.socket.destroy();
      client.isUnsynced = type !== 'Q' && type !== 'S';
      if (!client.isUnsynced) client.answers++;
      client.server?.socket.write(message);
    }
  }

  async function addServer(): Promise<void> {
    const opener = new Client({ connectionString: url }).on('error', () => undefined);
    await opener.connect();
    if (isClosed) return opener.end();
    // From here on the connection of the logged-in client is used directly.
    const { stream: socket } = (opener as unknown as { connection: { stream: Socket } }).connection;
    socket.removeAllListeners('data').removeAllListeners('error').removeAllListeners('end');
    const server: ServerConnection = { socket, client: null };
    const read = messagesOf();
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      for (const message of read(chunk)) answer(server, message);
    });
    socket.removeAllListeners('close').on('close', () => {
      server.client?.socket.destroy();
      if (free.includes(server)) free.splice(free.indexOf(server), 1);
      if (!isClosed) void addServer().catch(() => undefined);
    });
    free.push(server);
    serve();
  }

  function answer(server: ServerConnection, message: Buffer): void {
    const { client } = server;
    if (!client) return;
    client.socket.write(message);
    if (message[0] !== READY) return;
    client.answers--;
    const isInTransaction = message[5] !== IDLE;
    if (isInTransaction || client.answers || client.isUnsynced) return;
    server.client = client.server = null;
    free.push(server);
    serve();
  }
}

const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/** Logged in, without a password. */
const GREETING = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', Buffer.from('client_encoding\0UTF8\0')),
  message('K', Buffer.alloc(8)),
  message('Z', Buffer.from('I')),
]);

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.from(`${type}....`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Splits a stream into messages. */
function messagesOf(): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Buffer[] = [];
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = rest.readInt32BE(1) + 1;
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    return messages;
  };
}
