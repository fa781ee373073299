import axios, { type AxiosAdapter, type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import { isIP } from 'node:net';
import { type Readable } from 'node:stream';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { SECOND } from '../time';
import { AddressRefused, type DestinationRules } from './destination-address';

declare module 'axios' {
  interface AxiosRequestConfig {
    /** How long the peer may keep silent (ms), where `timeout` is long because a file is on its way. */
    silence?: number;
  }
}

/**
 * The one HTTP client, for upstream and destinations alike: axios without transforms over undici's `request`, with
 * one pool of connections per origin. Answers come as a `Buffer`, whatever their status. Redirects are not followed
 * and nothing is decompressed. A request is bounded as a whole, answer included, by its `timeout`.
 *
 * A file is never in memory as a whole: `data` may be an async iterable of bytes, which is asked for the next ones
 * once the peer has taken the last, and with `responseType: 'stream'` the answer's body is a `Readable`. An iterable
 * that fails ends the request with its own error, and the peer gets to see a body that breaks off.
 */
export interface HttpClient {
  axios: AxiosInstance;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  /** Checked for the literal address, for each address that DNS gives, and again for the one connected to. */
  rules?: DestinationRules;
  /** Bytes of an answer that are kept; what comes after is not read. */
  maxAnswerBytes: number;
  /** `ignored`: an answer counts from its status line, even if its body breaks off. */
  brokenBody: 'ignored' | 'fails';
}

const CONNECT_TIMEOUT = 5 * SECOND;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const agent = new Agent({
    connect: options.rules ? checkedConnector(options.rules) : { timeout: CONNECT_TIMEOUT },
    keepAliveTimeout: 30 * SECOND,
    // With HTTP/1.1 a request that times out takes its connection with it, so that a dead one is not used again.
    allowH2: false,
    // `timeout` bounds the whole exchange; undici's own two limits would only cut it into parts.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const client = axios.create({
    adapter: undiciAdapter(agent, options),
    transformRequest: [],
    transformResponse: [],
    validateStatus: null,
  });
  // An error may be logged with all that hangs on it; the request's headers hold a credential.
  client.interceptors.response.use(undefined, (error: unknown) => {
    if (axios.isAxiosError(error)) delete error.config;
    throw error;
  });
  return { axios: client, close: () => agent.destroy() };
}

/** undici does not ask `lookup` about an IP literal, so that is checked first; the socket's own peer is checked last. */
function checkedConnector(rules: DestinationRules): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT, lookup: rules.lookup, allowH2: false });
  return (target, done) => {
    const { hostname } = target;
    const refused = isIP(hostname) ? rules.refuseAddress(hostname, hostname) : null;
    if (refused) return done(new AddressRefused(refused), null);
    return connect(target, (error, socket) => {
      if (error) return done(error, null);
      const reason = rules.refuseAddress(socket.remoteAddress ?? '', hostname);
      if (reason === null) return done(null, socket);
      socket.destroy();
      return done(new AddressRefused(reason), null);
    });
  };
}

function undiciAdapter(agent: Dispatcher, { maxAnswerBytes, brokenBody }: HttpClientOptions): AxiosAdapter {
  return async (config) => {
    const answer = await request(config.url ?? '', {
      dispatcher: agent,
      method: (config.method ?? 'get').toUpperCase() as Dispatcher.HttpMethod,
      headers: config.headers.toJSON() as Record<string, string>,
      body: config.data ?? null,
      signal: signalOf(config),
      headersTimeout: config.silence,
      bodyTimeout: config.silence,
    });
    const isStream = config.responseType === 'stream';
    return {
      data: isStream ? (answer.body as Readable) : await read(answer.body, maxAnswerBytes, brokenBody),
      status: answer.statusCode,
      statusText: '',
      headers: answer.headers as Record<string, string>,
      config,
      request: null,
    };
  };
}

/** Not axios' own timeout: it calls an answer canceled whose time ran out after its status line. */
function signalOf({ timeout, signal }: InternalAxiosRequestConfig): AbortSignal | undefined {
  const whole = timeout ? AbortSignal.timeout(timeout) : undefined;
  if (!signal) return whole;
  const given = signal as AbortSignal;
  return whole ? AbortSignal.any([whole, given]) : given;
}

async function read(
  body: AsyncIterable<Buffer>,
  limit: number,
  broken: HttpClientOptions['brokenBody'],
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limit) break;
    }
  } catch (error) {
    if (broken === 'fails') throw error;
  }
  return Buffer.concat(chunks).subarray(0, limit);
}
