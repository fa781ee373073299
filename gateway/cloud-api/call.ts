/** What a send needs of a line. */
export interface SendingCredentials {
  phoneNumberId: string;
  accessToken: string;
  /** The trace that the call belongs to, as its header. */
  traceparent?: string;
}

/** For a call that is not JSON, or that takes as long as a file. */
export interface CallOptions {
  contentType?: string;
  timeout?: number;
  silence?: number;
  traceparent?: string;
  /** The subject of the call; `record` by default. */
  about?: 'message' | 'file';
}

/** One call with its answer, as all operations make it. */
export type Call = <T>(
  method: 'get' | 'post' | 'delete',
  url: string,
  accessToken: string,
  data?: string | Buffer | AsyncIterable<Uint8Array>,
  options?: CallOptions,
) => Promise<T>;
