import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

/** One received POST. */
export interface Arrival {
  /** The message ID of its event. */
  wamid: string;
  contact: string;
  /** The event's ID, the same in every attempt. */
  id: string;
  /** The gateway's count of attempts, from 1. */
  attempt: number;
  /** In milliseconds on this process's clock. */
  at: number;
  /** Time when the connection was opened, which tells sending processes apart. */
  connectedAt: number;
  /** The status of the answer; null until it was answered. */
  status: number | null;
  answeredAt: number | null;
}

/** A customer's server, which records requests in order of arrival. */
export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Message IDs of events that were answered 2xx at least once. */
  taken: Set<string>;
  /** Number of requests that wait for an answer. */
  open(): number;
  close(): Promise<void>;
}

/**
 * @param answer returns the status, immediately or later; `'never'` leaves the request open
 * @param where port on loopback, or path of a Unix socket; defaults to any free port
 */
export async function startReceiver(
  answer: (arrival: Arrival) => number | 'never' | Promise<number | 'never'> = () => 200,
  where: number | string = 0,
): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const taken = new Set<string>();
  let open = 0;
  const connected = new WeakMap<Socket, number>();
  const server = createServer(async (request, response) => {
    // The handshake of a new destination.
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const body = await textOf(request).catch(() => null);
    // The sender closed the connection early.
    if (body === null) return;
    open++;
    response.once('close', () => open--);
    const arrival = arrivalOf(request, body, connected.get(request.socket) ?? 0);
    arrivals.push(arrival);
    const status = await answer(arrival);
    if (status === 'never' || response.destroyed) return;
    arrival.status = status;
    arrival.answeredAt = performance.now();
    if (status >= 200 && status <= 299) taken.add(arrival.wamid);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  server.on('connection', (socket: Socket) => connected.set(socket, performance.now()));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) =>
    typeof where === 'string' ? server.listen(where, resolve) : server.listen(where, '127.0.0.1', resolve),
  );
  const address = server.address() as AddressInfo | string;
  return {
    url: typeof address === 'string' ? address : `http://127.0.0.1:${address.port}`,
    arrivals,
    taken,
    open: () => open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

interface Envelope {
  entry: [{ changes: [{ value: { messages: [{ id: string; from: string }] } }] }];
}

function arrivalOf({ headers }: IncomingMessage, body: string, connectedAt: number): Arrival {
  const { entry } = JSON.parse(body) as Envelope;
  const { id: wamid, from: contact } = entry[0].changes[0].value.messages[0];
  return {
    wamid,
    contact,
    id: String(headers['webhook-id']),
    attempt: Number(headers['x-gateway-attempt']),
    at: performance.now(),
    connectedAt,
    status: null,
    answeredAt: null,
  };
}
