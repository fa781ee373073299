import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A request received by a peer. */
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

/** A real HTTP server that acts as the platform or a customer's receiver. */
export interface HttpPeer {
  url: string;
  received: Received[];
  /** Resolves with all received requests once there are `count`; fails like `until`. */
  untilReceived(count: number, within?: number): Promise<Received[]>;
  close(): Promise<void>;
}

/**
 * @param answer returns the answer to a request; undefined for 200 with an empty object, `'handled'` if the
 * function uses the response itself or never answers
 * @param port defaults to any free port
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
    // The other side closed the connection before the request was complete.
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

/**
 * First and longest pause between checks, in milliseconds. Later checks are rarer, because a check can be as
 * expensive as the work it waits for.
 */
const [TURN, LONGEST_TURN] = [10, 50];

const turn = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * Waits for a number of turns of the event loop, so that pending work of this process arrives even if the
 * machine stalled.
 */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await turn(TURN);
}

/**
 * Default patience in milliseconds. On a busy machine, PostgreSQL may get no processor time while this
 * process runs. A short limit would fail tests for no reason; a long one only delays failing tests.
 */
const PATIENCE = 30_000;

/**
 * Repeats a check until it holds. Counts turns instead of time, so that a stalled machine counts as one turn.
 */
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

/** Milliseconds after which no further arrivals are expected. */
const MEETING = 5000;

/**
 * A meeting point that counts simultaneous callers: `pass` waits until `expected` callers have arrived and
 * later ones had time to arrive, or until the time is over. `most` is the highest number seen.
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
