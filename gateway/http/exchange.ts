import { type IncomingHttpHeaders } from 'undici/types/header';
import { type Dispatcher } from 'undici';

/** A request, and the time limit of its answer. */
export interface HttpRequest {
  url: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body: Dispatcher.DispatchOptions['body'];
  /** For the whole exchange (ms). */
  timeout: number | undefined;
  /** How long the peer may keep silent (ms). */
  silence: number | undefined;
  signal: AbortSignal | undefined;
}

export interface AnswerBounds {
  /** Bytes of an answer that are stored; the rest is not read. */
  maxAnswerBytes: number;
  /** `ignored`: an answer counts from its status line, even if its body breaks off. */
  brokenBody: 'ignored' | 'fails';
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  data: Buffer;
}

/**
 * One exchange whose answer is wanted in memory: straight on the dispatcher, without the streams and signals that
 * undici's `request` makes for each answer, which are half of its cost.
 */
export function exchange(
  dispatcher: Dispatcher,
  { url, timeout, silence, signal, ...question }: HttpRequest,
  { maxAnswerBytes, brokenBody }: AnswerBounds,
): Promise<HttpResponse> {
  const { origin, pathname, search } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const chunks: Buffer[] = [];
  let size = 0;
  let answer: Omit<HttpResponse, 'data'> | null = null;
  let connection: Dispatcher.DispatchController | null = null;
  /** Why it is ended from this side. */
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
    { ...question, origin, path: pathname + search, headersTimeout: silence, bodyTimeout: silence },
    {
      onRequestStart(controller) {
        connection = controller;
        if (reason) controller.abort(reason);
      },
      onResponseStart(_controller, status, headers) {
        // A status below 200 only announces the answer.
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
