/** The line's data for a send. */
export interface SendingCredentials {
  phoneNumberId: string;
  accessToken: string;
  /** The `traceparent` header of the call's trace. */
  traceparent?: string;
}

/** Options for a call that is not JSON or that transfers a file. */
export interface CallOptions {
  contentType?: string;
  timeout?: number;
  silence?: number;
  traceparent?: string;
  headers?: Record<string, string>;
  /** The subject of the call; defaults to `record`. */
  about?: 'message' | 'file';
}

/** Makes one call and returns its answer. */
export type Call = <T>(
  method: 'get' | 'post' | 'delete',
  url: string,
  accessToken: string,
  data?: string | Buffer | AsyncIterable<Uint8Array>,
  options?: CallOptions,
) => Promise<T>;
