import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A request as a peer received it. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | object;
}

/** A real HTTP server that plays upstream or a customer's receiver. */
export interface HttpPeer {
  url: string;
  received: Received[];
  /** Resolves with all received once there are this many; fails like `until`. */
  untilReceived(count: number, within?: number): Promise<Received[]>;
  close(): Promise<void>;
}

/**
 * @param answer what each request is answered; nothing means 200 with an empty object. A function that writes to the
 *   response itself, or never does, returns `'handled'`.
 * @param port any free one where none is given
 */
export async function startPeer(
  answer: (
    request: Received,
    response: ServerResponse,
  ) => Answer | void | 'handled' | Promise<Answer | void | 'handled'> = () => {},
  port = 0,
): Promise<HttpPeer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const one = await read(request).catch(() => null);
    // Broken off by the other side before it was whole.
    if (!one) return;
    received.push(one);
    const given = await answer(one, response);
    if (given === 'handled') return;
    const { status = 200, headers = {}, body = {} } = given ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    async untilReceived(count, within) {
      await until(
        () => received.length >= count,
        within,
        () => `${received.length} of ${count} requests came`,
      );
      return received;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** Milliseconds. What takes long is looked at less often: a look may cost as much as what it waits for. */
const [TURN, LONGEST_TURN] = [10, 50];

const turn = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * Lets so many turns of the event loop pass: what was on its way in this process has then arrived, however long the
 * machine stood still meanwhile.
 */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await turn(TURN);
}

/**
 * Milliseconds. On a busy machine another process, such as PostgreSQL, may get no turn while this one gets many: a wait
 * that ends too early fails a test for nothing, and one that ends late costs only a test that fails anyway.
 */
const PATIENCE = 30_000;

/** Looks again and again until it holds. Its turns are counted: a time in which the machine stands still is one of them. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  within = PATIENCE,
  otherwise: () => string = () => 'it did not come true',
): Promise<void> {
  for (let waited = 0; !(await holds());) {
    if (waited >= within) throw new Error(`After ${within} ms: ${otherwise()}`);
    const next = Math.min(TURN + waited / 10, LONGEST_TURN);
    await turn(next);
    waited += next;
  }
}

/** Milliseconds in which those who come at the same time have all come. */
const MEETING = 5000;

/**
 * A place where all who come at the same time are together: whoever comes waits until so many are there and some turns
 * have passed in which more could have come, or until it is clear that no more come.
 */
export function meeting(expected: number): { pass(): Promise<void>; most(): number } {
  let [here, most] = [0, 0];
  let isOver = false;
  return {
    most: () => most,
    async pass() {
      most = Math.max(most, ++here);
      await until(() => isOver || here >= expected, MEETING).catch(() => undefined);
      if (!isOver) await turns(10);
      isOver = true;
      here--;
    },
  };
}
