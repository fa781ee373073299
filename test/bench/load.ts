import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { Pool } from 'undici';

/** One POST, as a function of the request's number, from 0. */
export interface Request {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A customer or the platform, posting to one address over persistent connections. */
export interface Load {
  /** @throws if the answer is not 2xx */
  post(request: Request): Promise<void>;
  /**
   * Posts for a time with a number of parallel requests.
   * @returns the number of 2xx answers
   */
  atFullSpeed(request: (index: number) => Request, milliseconds: number, atOnce: number): Promise<number>;
  /**
   * Posts at a steady rate, however long the answers take.
   * @returns the sorted milliseconds of each answer
   */
  atRate(request: (index: number) => Request, aSecond: number, milliseconds: number): Promise<number[]>;
  end(): Promise<void>;
}

export function loadOn(url: string, connections: number): Load {
  const pool = new Pool(url, { connections, pipelining: 1 });

  async function post({ path, headers, body }: Request): Promise<void> {
    const answer = await pool.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`${url}${path}: ${text}`);
  }

  return {
    post,

    async atFullSpeed(request, milliseconds, atOnce) {
      const end = performance.now() + milliseconds;
      let index = 0;
      const one = async () => {
        const socket = await plainSocket(url);
        try {
          while (performance.now() < end) await socket.post(request(index++));
        } finally {
          socket.end();
        }
      };
      await Promise.all(Array.from({ length: atOnce }, one));
      return index;
    },

    async atRate(request, aSecond, milliseconds) {
      const took: number[] = [];
      const posts: Promise<void>[] = [];
      const begun = performance.now();
      const count = Math.round((aSecond * milliseconds) / 1000);
      for (let index = 0; index < count; index++) {
        const early = begun + (index * 1000) / aSecond - performance.now();
        if (early > 0) await wait(early);
        const at = performance.now();
        posts.push(post(request(index)).then(() => void took.push(performance.now() - at)));
      }
      await Promise.all(posts);
      return took.sort((one, other) => one - other);
    },

    end: () => pool.close(),
  };
}

/** A connection with minimal cost per request, because CPU time of the load is missing elsewhere. */
async function plainSocket(url: string): Promise<{ post(request: Request): Promise<void>; end(): void }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1');
  await once(socket, 'connect');
  let answer = '';
  let answered: ((error?: Error) => void) | null = null;
  const settle = (error?: Error) => {
    answer = '';
    const done = answered;
    answered = null;
    done?.(error);
  };
  socket.on('data', (text: string) => {
    answer += text;
    if (!isWhole(answer)) return;
    settle(answer.startsWith('HTTP/1.1 2') ? undefined : new Error(`${url}: ${answer}`));
  });
  socket.on('close', () => settle(new Error(`${url}: the connection was closed`)));
  socket.on('error', settle);
  return {
    post: ({ path, headers, body }) =>
      new Promise((resolve, reject) => {
        answered = (error) => (error ? reject(error) : resolve());
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      }),
    end: () => socket.destroy(),
  };
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer) ?? [];
  return length === undefined ? answer.endsWith('\r\n0\r\n\r\n') : answer.length >= head + 4 + Number(length);
}

/**
 * @param sorted in ascending order
 * @param part from 0 to 1
 */
export const quantile = (sorted: number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

export const median = (numbers: number[]): number =>
  quantile(
    [...numbers].sort((one, other) => one - other),
    0.5,
  );

/** Median ratio of the values of adjacent rounds. */
export const medianRatio = (one: number[], other: number[]): number =>
  median(one.map((value, round) => value / (other[round] ?? Number.NaN)));
