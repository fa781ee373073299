import { Axios, isAxiosError, type AxiosAdapter } from 'axios';
import { isIP, type LookupFunction } from 'node:net';
import { type Readable } from 'node:stream';
import { Agent, buildConnector, request } from 'undici';
import { SECOND } from '../time';
import { AddressRefused, portOf, type DestinationRules } from './destination-address';
import { Exchanges, type AnswerBounds, type HttpRequest, type HttpResponse } from './exchange';

declare module 'axios' {
  interface AxiosRequestConfig {
    /** How long the peer may be silent (ms), for transfers of files, whose `timeout` is long. */
    silence?: number;
  }
}

/**
 * The single HTTP client, for the platform and for destinations: axios without transforms or defaults over undici,
 * with one connection pool per origin; `exchange` for most of the work. Responses are `Buffer`s, with any status.
 * Redirects are not followed and nothing is decompressed. `timeout` covers the whole exchange.
 *
 * Files are never completely in memory. `data` may be an async iterable of bytes, read as fast as the peer accepts
 * them. With `responseType: 'stream'` the response body is a `Readable`. If the iterable fails, the request fails
 * with its error, and the peer gets an incomplete body.
 */
export interface HttpClient {
  axios: InstanceType<typeof Axios>;
  /**
   * One exchange without axios and undici, which would cost twice as much: for sends and deliveries, which are most of
   * the work. `isForCustomer`: whether to apply the rules for URLs from customers.
   */
  exchange(question: HttpRequest & { isForCustomer?: boolean }): Promise<HttpResponse>;
  close(): Promise<void>;
}

export interface HttpClientOptions extends AnswerBounds {
  /** Checked for a literal address, for each address from DNS, and for the connected peer. */
  rules?: DestinationRules;
  /** Used instead for URLs from customers. */
  customerRules?: DestinationRules;
}

const CONNECT_TIMEOUT = 5 * SECOND;

const agentBy = (connect: buildConnector.connector): Agent =>
  new Agent({
    connect,
    keepAliveTimeout: 30 * SECOND,
    // With HTTP/1.1 a request that times out closes its connection, so that a dead connection is not used again.
    allowH2: false,
    // `timeout` limits the whole exchange; undici's two own limits would only split it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { rules, customerRules = rules } = options;
  const agent = agentBy(connectorBy(rules));
  const ofOperators = new Exchanges(connectorBy(rules), options);
  // Separate connections, because an open one was checked by other rules.
  const ofCustomers =
    customerRules === rules ? ofOperators : new Exchanges(connectorBy(customerRules), options);
  // Without the defaults of axios instances, whose merging costs twice as much as all the rest.
  const client = new Axios({ adapter: undiciAdapter(agent, options) });
  // Errors may be logged with all their properties, and the request's headers contain credentials.
  client.interceptors.response.use(undefined, (error: unknown) => {
    if (isAxiosError(error)) delete error.config;
    throw error;
  });
  return {
    axios: client,
    exchange: (question) => (question.isForCustomer ? ofCustomers : ofOperators).exchange(question),
    async close() {
      [ofOperators, ofCustomers].forEach((exchanges) => exchanges.close());
      await agent.destroy();
    },
  };
}

const connectorBy = (rules: DestinationRules | undefined): buildConnector.connector =>
  rules ? checkedConnector(rules) : buildConnector({ timeout: CONNECT_TIMEOUT, allowH2: false });

/** undici does not call `lookup` for an IP literal, so that is checked first. The socket's peer is checked last. */
function checkedConnector(rules: DestinationRules): buildConnector.connector {
  const by = (lookup: LookupFunction) => buildConnector({ timeout: CONNECT_TIMEOUT, lookup, allowH2: false });
  const others = by(rules.lookupAt(null));
  const ofPorts = new Map([...rules.ports].map((port) => [port, by(rules.lookupAt(port))]));
  return (target, done) => {
    const { hostname } = target;
    const port = portOf(target);
    const connect = ofPorts.get(port) ?? others;
    const refusalOf = (address: string): AddressRefused | null => {
      const reason = rules.refuseAddress(address, hostname, port);
      return reason === null ? null : new AddressRefused(reason, address);
    };
    const refused = isIP(hostname) ? refusalOf(hostname) : null;
    if (refused) return done(refused, null);
    return connect(target, (error, socket) => {
      // The look-up shared by all other ports does not know the port, which the message contains.
      if (error instanceof AddressRefused) return done(refusalOf(error.address) ?? error, null);
      if (error) return done(error, null);
      const refused = refusalOf(socket.remoteAddress ?? '');
      if (!refused) return done(null, socket);
      socket.destroy();
      return done(refused, null);
    });
  };
}

function undiciAdapter(agent: Agent, bounds: AnswerBounds): AxiosAdapter {
  return async (config) => {
    const { timeout, silence, signal: given, data } = config;
    const signal = signalOf(timeout, given as AbortSignal | undefined);
    const { statusCode, headers, body } = await request(config.url ?? '', {
      method: (config.method ?? 'get').toUpperCase() as 'GET',
      headers: config.headers.toJSON() as Record<string, string>,
      body: (data ?? null) as Readable | null,
      dispatcher: agent,
      signal,
      headersTimeout: silence,
      bodyTimeout: silence,
    });
    return {
      data: config.responseType === 'stream' ? body : await collected(body, bounds, signal),
      status: statusCode,
      statusText: '',
      headers: headers as Record<string, string>,
      config,
      request: null,
    };
  };
}

/** The beginning of a body, as far as it is kept. @throws why it breaks off, unless that is ignored */
export async function collected(
  body: Readable,
  { maxAnswerBytes, brokenBody }: AnswerBounds,
  signal?: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size >= maxAnswerBytes) break;
    }
  } catch (error) {
    if (brokenBody === 'fails') throw signal?.aborted ? signal.reason : error;
  }
  return Buffer.concat(chunks).subarray(0, maxAnswerBytes);
}

function signalOf(timeout: number | undefined, given: AbortSignal | undefined): AbortSignal | undefined {
  const whole = timeout ? AbortSignal.timeout(timeout) : undefined;
  return whole && given ? AbortSignal.any([whole, given]) : (whole ?? given);
}
