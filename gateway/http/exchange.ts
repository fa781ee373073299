import { type IncomingHttpHeaders } from 'undici/types/header';
import { type Dispatcher } from 'undici';
import { LruCache } from '../primitives/lru-cache';

/** A request with its limits. */
export interface HttpRequest {
  url: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body: Dispatcher.DispatchOptions['body'];
  /** For the whole exchange (ms). */
  timeout: number | undefined;
  /** How long the peer may be silent (ms). */
  silence: number | undefined;
  signal: AbortSignal | undefined;
}

export interface AnswerBounds {
  /** Bytes of a response that are kept; the rest is not read. */
  maxAnswerBytes: number;
  /** `ignored`: a response counts from its status line, even if its body breaks off. */
  brokenBody: 'ignored' | 'fails';
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  data: Buffer;
}

/**
 * One exchange with a response in memory, directly on the dispatcher: the streams and signals of undici's `request`
 * would double its cost.
 */
export function exchange(
  dispatcher: Dispatcher,
  { url, method, headers, body, timeout, silence, signal }: HttpRequest,
  { maxAnswerBytes, brokenBody }: AnswerBounds,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const chunks: Buffer[] = [];
  let size = 0;
  let answer: Omit<HttpResponse, 'data'> | null = null;
  let connection: Dispatcher.DispatchController | null = null;
  /** Why this side ends the exchange. */
  let reason: Error | null = null;

  const end = (why: Error) => {
    reason ??= why;
    connection?.abort(reason);
  };
  const leave = () => end(signal?.reason as Error);
  const tooLate = () => end(new DOMException('The answer takes too long', 'TimeoutError'));
  const waiting = timeout ? setTimeout(tooLate, timeout).unref() : undefined;
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave);

  function settle(error: Error | null): void {
    clearTimeout(waiting);
    signal?.removeEventListener('abort', leave);
    if (answer && (!error || brokenBody === 'ignored'))
      resolve({ ...answer, data: Buffer.concat(chunks).subarray(0, maxAnswerBytes) });
    else reject(error);
  }

  dispatcher.dispatch(
    { ...addressOf(url), method, headers, body, headersTimeout: silence, bodyTimeout: silence },
    {
      onRequestStart(controller) {
        connection = controller;
        if (reason) controller.abort(reason);
      },
      onResponseStart(_controller, status, headers) {
        // A status below 200 only announces the response.
        if (status >= 200) answer = { status, headers };
      },
      onResponseData(controller, chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size < maxAnswerBytes) return;
        settle(null);
        controller.abort(new Error('The rest of the answer is not wanted'));
      },
      onResponseEnd: () => settle(null),
      onResponseError: (_controller, error) => settle(error),
    },
  );
  return promise;
}

/** Parsed URLs: nearly all requests go to a few. */
const addresses = new LruCache<Pick<Dispatcher.DispatchOptions, 'origin' | 'path'>>(1_000);

function addressOf(url: string): Pick<Dispatcher.DispatchOptions, 'origin' | 'path'> {
  const known = addresses.get(url);
  if (known) return known;
  const { origin, pathname, search } = new URL(url);
  const address = { origin, path: pathname + search };
  addresses.set(url, address);
  return address;
}
