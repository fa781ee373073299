import { Axios, isAxiosError, type AxiosAdapter } from 'axios';
import { isIP, type LookupFunction } from 'node:net';
import { type Readable } from 'node:stream';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { SECOND } from '../time';
import { AddressRefused, portOf, type DestinationRules } from './destination-address';
import { passOverContinue } from './unasked-continue';
import { exchange, type HttpResponse, type AnswerBounds, type HttpRequest } from './exchange';

declare module 'axios' {
  interface AxiosRequestConfig {
    /** How long the peer may be silent (ms), for transfers of files, whose `timeout` is long. */
    silence?: number;
    /** Whether to apply the rules for URLs from customers. */
    isForCustomer?: boolean;
  }
}

/**
 * The single HTTP client, for the platform and for destinations: axios without transforms or defaults over undici,
 * with one connection pool per origin. Responses are `Buffer`s, with any status. Redirects are not followed and
 * nothing is decompressed. `timeout` covers the whole exchange.
 *
 * Files are never completely in memory. `data` may be an async iterable of bytes, read as fast as the peer accepts
 * them. With `responseType: 'stream'` the response body is a `Readable`. If the iterable fails, the request fails
 * with its error, and the peer gets an incomplete body.
 */
export interface HttpClient {
  axios: InstanceType<typeof Axios>;
  /**
   * One exchange without axios, whose overhead would double the cost: for sends and deliveries, which are most of the
   * work. `isForCustomer`: whether to apply the rules for URLs from customers.
   */
  exchange(
    question: Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'> & {
      timeout: number;
      isForCustomer?: boolean;
    },
  ): Promise<HttpResponse>;
  close(): Promise<void>;
}

export interface HttpClientOptions extends AnswerBounds {
  /** Checked for a literal address, for each address from DNS, and for the connected peer. */
  rules?: DestinationRules;
  /** Used instead for URLs from customers. */
  customerRules?: DestinationRules;
}

const CONNECT_TIMEOUT = 5 * SECOND;

const agentBy = (rules: DestinationRules | undefined): Agent =>
  passOverContinue(
    new Agent({
      connect: rules ? checkedConnector(rules) : { timeout: CONNECT_TIMEOUT },
      keepAliveTimeout: 30 * SECOND,
      // With HTTP/1.1 a request that times out closes its connection, so that a dead connection is not used again.
      allowH2: false,
      // `timeout` limits the whole exchange; undici's two own limits would only split it.
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
  );

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { rules, customerRules = rules } = options;
  const ofOperators = agentBy(rules);
  // Separate connections, because an open one was checked by other rules.
  const ofCustomers = customerRules === rules ? ofOperators : agentBy(customerRules);
  const agentFor = (isForCustomer = false) => (isForCustomer ? ofCustomers : ofOperators);
  // Without the defaults of axios instances, whose merging costs twice as much as all the rest.
  const client = new Axios({ adapter: undiciAdapter(agentFor, options) });
  // Errors may be logged with all their properties, and the request's headers contain credentials.
  client.interceptors.response.use(undefined, (error: unknown) => {
    if (isAxiosError(error)) delete error.config;
    throw error;
  });
  return {
    axios: client,
    exchange: ({ isForCustomer, url, method, headers, body, timeout }) => {
      const limits = { timeout, silence: undefined, signal: undefined };
      return exchange(agentFor(isForCustomer), { url, method, headers, body, ...limits }, options);
    },
    async close() {
      await Promise.all([...new Set([ofOperators, ofCustomers])].map((agent) => agent.destroy()));
    },
  };
}

/** undici does not call `lookup` for an IP literal, so that is checked first. The socket's peer is checked last. */
function checkedConnector(rules: DestinationRules): buildConnector.connector {
  const connectorBy = (lookup: LookupFunction) =>
    buildConnector({ timeout: CONNECT_TIMEOUT, lookup, allowH2: false });
  const others = connectorBy(rules.lookupAt(null));
  const ofPorts = new Map([...rules.ports].map((port) => [port, connectorBy(rules.lookupAt(port))]));
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

function undiciAdapter(
  agentFor: (isForCustomer?: boolean) => Dispatcher,
  bounds: AnswerBounds,
): AxiosAdapter {
  return async (config) => {
    const agent = agentFor(config.isForCustomer);
    const question = {
      url: config.url ?? '',
      method: (config.method ?? 'get').toUpperCase() as Dispatcher.HttpMethod,
      headers: config.headers.toJSON() as Record<string, string>,
      body: (config.data ?? null) as HttpRequest['body'],
      timeout: config.timeout,
      silence: config.silence,
      signal: config.signal as AbortSignal | undefined,
    };
    const { status, headers, data } =
      config.responseType === 'stream'
        ? await streamed(agent, question)
        : await exchange(agent, question, bounds);
    return {
      data,
      status,
      statusText: '',
      headers: headers as Record<string, string>,
      config,
      request: null,
    };
  };
}

/** A response with a file, whose body the caller reads. */
async function streamed(agent: Dispatcher, { url, timeout, silence, signal, ...question }: HttpRequest) {
  const { statusCode, headers, body } = await request(url, {
    ...question,
    dispatcher: agent,
    signal: signalOf(timeout, signal),
    headersTimeout: silence,
    bodyTimeout: silence,
  });
  return { status: statusCode, headers, data: body as Readable };
}

function signalOf(timeout: number | undefined, given: AbortSignal | undefined): AbortSignal | undefined {
  const whole = timeout ? AbortSignal.timeout(timeout) : undefined;
  return whole && given ? AbortSignal.any([whole, given]) : (whole ?? given);
}
