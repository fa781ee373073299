import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

/** One POST as it came. */
export interface Arrival {
  /** Of the event in it. */
  wamid: string;
  contact: string;
  /** The event's id, the same on every attempt. */
  id: string;
  /** As the gateway counts it, from 1. */
  attempt: number;
  /** Milliseconds on this process's clock. */
  at: number;
  /** When its connection was opened: it tells which of several processes sent it. */
  connectedAt: number;
  /** What it was answered; null as long as it was not. */
  status: number | null;
  answeredAt: number | null;
}

/** A customer's server. It keeps what came, in the order in which it came. */
export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Events that were answered 2xx at least once, by wamid. */
  taken: Set<string>;
  /** Requests that wait for their answer now. */
  open(): number;
  close(): Promise<void>;
}

/**
 * @param answer the status of each answer, at once or later; `'never'` leaves the request open until its sender gives up
 * @param where a port of loopback or the path of a Unix socket; any free port where it is not given
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
    // Broken off before it was whole.
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
