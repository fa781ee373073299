import { type Socket } from 'node:net';
import { type buildConnector } from 'undici';
import { LruCache } from '../primitives/lru-cache';
import { SECOND } from '../time';
import { AnswerBroken, AnswerReader, FIELD_NAME, FIELD_VALUE, type Headers } from './answer-reader';

/** A request with a response that fits into memory. */
export interface HttpRequest {
  url: string;
  method: string;
  /** Without `Host` and `Connection`. `Content-Length` is always that of the body. */
  headers: Record<string, string>;
  body: Buffer | string | null;
  /** For the whole exchange (ms). */
  timeout: number;
}

export interface AnswerBounds {
  /** Bytes of a response that are kept; the rest is not read. */
  maxAnswerBytes: number;
  /** `ignored`: a response counts from its status line, even if its body breaks off. */
  brokenBody: 'ignored' | 'fails';
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  data: Buffer;
}

/** How long an idle connection is kept, unless the peer announces less. */
const IDLE = 30 * SECOND;
/** A connection is not used in the last seconds before the peer closes it, because a request could cross that. */
const IDLE_MARGIN = 2 * SECOND;

/** A connection, and the exchange on it; null while it is idle. */
interface Connection {
  socket: Socket;
  exchange: Exchange | null;
  /** Milliseconds of `performance.now`. */
  idleUntil: number;
  /** Ends an exchange that takes too long. It starts again with the next one, which costs less than a new timer. */
  timer: { of: number; timeout: NodeJS.Timeout } | null;
}

/**
 * Exchanges over connections that are kept open, one at a time on each. undici does the same for any kind of request
 * and takes a tenth of the time of an event.
 */
export class Exchanges {
  readonly #connect: buildConnector.connector;
  readonly #bounds: AnswerBounds;
  readonly #open = new Set<Connection>();
  /** By origin; the last one is used first. */
  readonly #idle = new Map<string, Connection[]>();
  /** Their exchanges ended in this turn of the event loop. */
  #resting: [origin: string, connection: Connection][] = [];
  #sweeping: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param connect checks the address */
  constructor(connect: buildConnector.connector, bounds: AnswerBounds) {
    this.#connect = connect;
    this.#bounds = bounds;
  }

  /** @throws the connector's error, `AnswerBroken`, or a `TimeoutError` */
  exchange(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const address = addressOf(request.url);
      const exchange = new Exchange(textOf(address, request), this.#bounds, resolve, reject);
      const connection = this.#takeIdle(address.origin);
      if (connection) this.#begin(connection, exchange, request.timeout);
      else this.#connectFor(address, exchange, request.timeout);
    });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweeping);
    this.#open.forEach(({ socket, exchange }) => {
      exchange?.fail(new Error('The HTTP client is closed'));
      socket.destroy();
    });
  }

  #connectFor({ origin, target }: Address, exchange: Exchange, timeout: number): void {
    const until = performance.now() + timeout;
    const waiting = setTimeout(() => exchange.fail(tooLong()), timeout).unref();
    this.#connect(target, (error, socket) => {
      clearTimeout(waiting);
      if (error) return exchange.fail(error);
      if (this.#isClosed || exchange.isSettled) {
        socket.on('error', () => undefined).destroy();
        return exchange.fail(new Error('The HTTP client is closed'));
      }
      const connection: Connection = { socket, exchange: null, idleUntil: 0, timer: null };
      this.#open.add(connection);
      socket
        .on('data', (piece: Buffer) => this.#take(origin, connection, piece))
        .on('end', () => this.#end(connection))
        .on('error', (reason) => this.#leave(connection, reason))
        .on('close', () =>
          this.#leave(connection, new AnswerBroken('The connection ended before the answer')),
        );
      this.#begin(connection, exchange, Math.ceil(until - performance.now()));
    });
  }

  #begin(connection: Connection, exchange: Exchange, timeout: number): void {
    connection.exchange = exchange;
    if (connection.timer?.of === timeout) connection.timer.timeout.refresh();
    else {
      clearTimeout(connection.timer?.timeout);
      connection.timer = {
        of: timeout,
        timeout: setTimeout(() => this.#giveUp(connection), timeout).unref(),
      };
    }
    connection.socket.write(exchange.text, 'latin1');
  }

  #giveUp({ exchange, socket }: Connection): void {
    if (!exchange) return;
    exchange.fail(tooLong());
    socket.destroy();
  }

  #take(origin: string, connection: Connection, piece: Buffer): void {
    const { exchange, socket } = connection;
    // Nobody asked.
    if (!exchange) return void socket.destroy();
    const { reader } = exchange;
    try {
      reader.take(piece);
    } catch (error) {
      return this.#leave(connection, error as Error);
    }
    if (!reader.isOver && reader.size < this.#bounds.maxAnswerBytes) return;
    connection.exchange = null;
    // A peer that answers before it has read the request may close the connection.
    const isReusable = reader.isOver && reader.keepsAlive && socket.writableLength === 0;
    if (isReusable) this.#rest(origin, connection, reader.headers['keep-alive']);
    else socket.destroy();
    exchange.settle();
  }

  #end(connection: Connection): void {
    try {
      connection.exchange?.reader.end();
      connection.exchange?.settle();
    } catch (error) {
      connection.exchange?.fail(error as Error);
    }
    connection.socket.destroy();
  }

  #leave(connection: Connection, reason: Error): void {
    connection.exchange?.fail(reason);
    connection.exchange = null;
    connection.idleUntil = 0;
    clearTimeout(connection.timer?.timeout);
    this.#open.delete(connection);
    connection.socket.destroy();
  }

  /** Keeps a connection from the next turn on, when it is known whether the peer has closed it after its answer. */
  #rest(origin: string, connection: Connection, told: string | undefined): void {
    const seconds = /\btimeout=(\d{1,6})\b/i.exec(told ?? '')?.[1];
    const idle = seconds === undefined ? IDLE : Math.min(Number(seconds) * SECOND - IDLE_MARGIN, IDLE);
    connection.idleUntil = performance.now() + idle;
    this.#resting.push([origin, connection]);
    if (this.#resting.length === 1) setImmediate(() => this.#keepResting());
    this.#sweeping ??= setInterval(() => this.#sweep(), IDLE).unref();
  }

  #keepResting(): void {
    for (const [origin, connection] of this.#resting) {
      const idle = this.#idle.get(origin);
      if (idle) idle.push(connection);
      else this.#idle.set(origin, [connection]);
    }
    this.#resting = [];
  }

  #takeIdle(origin: string): Connection | undefined {
    const idle = this.#idle.get(origin);
    for (let last = idle?.pop(); last; last = idle?.pop()) {
      if (last.idleUntil > performance.now() && !last.socket.destroyed) return last;
      last.socket.destroy();
    }
    return undefined;
  }

  /** Closes connections that were idle for long. */
  #sweep(): void {
    const now = performance.now();
    for (const [origin, idle] of this.#idle) {
      const [kept = [], old = []] = [true, false].map((isKept) =>
        idle.filter(({ idleUntil }) => idleUntil > now === isKept),
      );
      old.forEach(({ socket }) => socket.destroy());
      if (kept.length) this.#idle.set(origin, kept);
      else this.#idle.delete(origin);
    }
    if (this.#idle.size || this.#resting.length) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }
}

const tooLong = (): Error => new DOMException('The answer takes too long', 'TimeoutError');

/** One exchange. It settles once. */
class Exchange {
  readonly reader = new AnswerReader();
  isSettled = false;

  constructor(
    /** The bytes of the request, each as one character. */
    readonly text: string,
    readonly bounds: AnswerBounds,
    readonly resolve: (response: HttpResponse) => void,
    readonly reject: (reason: Error) => void,
  ) {}

  settle(): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const { status, headers, chunks } = this.reader;
    const [first] = chunks;
    const all = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    const { maxAnswerBytes } = this.bounds;
    this.resolve({
      status,
      headers,
      data: all.length > maxAnswerBytes ? all.subarray(0, maxAnswerBytes) : all,
    });
  }

  fail(reason: Error): void {
    if (this.reader.status >= 200 && this.bounds.brokenBody === 'ignored') return this.settle();
    if (this.isSettled) return;
    this.isSettled = true;
    this.reject(reason);
  }
}

/** A parsed URL: nearly all requests go to a few. */
interface Address {
  origin: string;
  /** A request's beginning, after its method. */
  beginning: string;
  target: buildConnector.Options;
}

const addresses = new LruCache<Address>(1_000);

function addressOf(url: string): Address {
  const known = addresses.get(url);
  if (known) return known;
  const { origin, protocol, host, hostname, port, pathname, search } = new URL(url);
  const address = {
    origin,
    beginning: ` ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`,
    // Without the brackets of IPv6.
    target: { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port },
  };
  addresses.set(url, address);
  return address;
}

/**
 * The bytes of a request, each as one character: Node writes such a text faster than a buffer of head and body.
 * @throws TypeError for a header that would change the request
 */
function textOf({ beginning }: Address, { method, headers, body }: HttpRequest): string {
  let head = method + beginning;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!FIELD_NAME.test(name) || !FIELD_VALUE.test(value)) throw new TypeError(`Invalid header ${name}`);
    if (name !== 'content-length') head += `${name}: ${value}\r\n`;
  }
  if (body === null) return `${head}\r\n`;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return `${head}Content-Length: ${bytes.length}\r\n\r\n${bytes.toString('latin1')}`;
}
