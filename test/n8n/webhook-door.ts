import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

/**
 * What comes to the door: passed on to n8n; taken and never answered, as when a network swallows a request; or answered
 * 502, as by a proxy whose n8n is somewhere else.
 */
export type DoorState = 'open' | 'silent' | 'refusing';

/** An address in front of n8n's webhooks at which a test decides what gets through, and sees what came. */
export interface WebhookDoor {
  url: string;
  set(state: DoorState): void;
  /** The bodies that came, parsed, in order of arrival, whether they were passed on or not. */
  came: {
    path: string;
    body: unknown;
    bytes: Buffer;
    headers: IncomingMessage['headers'];
    passedOn: boolean;
  }[];
  /** Where requests are passed on to; known only once n8n has a port. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

/** Opens a door on a free port of 127.0.0.1, in the state `open`. */
export async function openDoor(): Promise<WebhookDoor> {
  let state: DoorState = 'open';
  let target = '';
  const came: WebhookDoor['came'] = [];
  const sockets = new Set<Socket>();

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const passedOn = state === 'open';
      const { url: path = '', headers } = incoming;
      came.push({ path, body: parsed(body), bytes: body, headers, passedOn });
      if (state === 'refusing') outgoing.writeHead(502).end('Bad gateway');
      if (passedOn) passOn(target, incoming, body, outgoing);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (next) => void (state = next),
    came,
    leadTo: (url) => void (target = url),
    close: async () => {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function passOn(target: string, incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse): void {
  const { hostname, port } = new URL(target);
  const { method, url: path, headers } = incoming;
  const onward = request({ hostname, port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  onward.end(body);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return body.toString('utf8');
  }
}
