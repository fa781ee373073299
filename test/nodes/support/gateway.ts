import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the gateway saw it. */
export interface Received {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface Answer {
  statusCode?: number;
  headers?: Record<string, string>;
  /** An object goes out as JSON, a string as it is. */
  body: object | string;
}

type Route = (request: Received) => Answer | Promise<Answer>;

export const LINE = '106540352242922';
export const TOKEN = 'gwl_right';

/** A real HTTP server in the gateway's place, for what its contract says and for what a wrong address answers. */
export interface StandInGateway {
  baseUrl: string;
  credentials: { baseUrl: string; line: string; token: string };
  received: Received[];
  /** Requests of one method and path, in the order of arrival. */
  requests(method: string, path: string): Received[];
  on(method: string, path: string, route: Route): void;
  /** What answers there now. */
  routeOf(method: string, path: string): Route;
  close(): Promise<void>;
}

export async function startGateway(): Promise<StandInGateway> {
  const routes = new Map<string, Route>();
  const received: Received[] = [];

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const url = new URL(request.url ?? '/', 'http://gateway');
    const seen: Received = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: bodyOf(text, request.headers),
    };
    received.push(seen);
    const route = routes.get(`${seen.method} ${seen.path}`);
    const answer: Answer = route
      ? await route(seen)
      : refusal(404, 'not_found', 2500, 'Unknown path', 'There is nothing at this address.');
    const json = typeof answer.body !== 'string';
    response.writeHead(answer.statusCode ?? 200, {
      'content-type': json ? 'application/json' : 'text/html',
      ...answer.headers,
    });
    response.end(json ? JSON.stringify(answer.body) : answer.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl,
    credentials: { baseUrl, line: LINE, token: TOKEN },
    received,
    requests: (method, path) =>
      received.filter((request) => request.method === method && request.path === path),
    on: (method, path, route) => routes.set(`${method} ${path}`, route),
    routeOf: (method, path) => routes.get(`${method} ${path}`) ?? (() => ({ statusCode: 404, body: {} })),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** A gateway of its own for each test of the file. */
export function gatewayForEach(): StandInGateway {
  const gateway = {} as StandInGateway;
  beforeEach(async () => void Object.assign(gateway, await startGateway()));
  afterEach(() => gateway.close());
  return gateway;
}

function bodyOf(text: string, headers: IncomingHttpHeaders): unknown {
  if (text === '') return undefined;
  return isJson(headers) ? JSON.parse(text) : text;
}

const isJson = (headers: IncomingHttpHeaders) => (headers['content-type'] ?? '').includes('json');

export const MESSAGES = `/api/v22.0/${LINE}/messages`;
export const TEMPLATES = `/api/v22.0/${LINE}/templates`;
export const STATUS = `/api/v22.0/${LINE}/status`;
export const MEDIA = `/v22.0/${LINE}/media`;
export const ALERT_WEBHOOKS = `/v22.0/${LINE}/alert-webhooks`;
export const DESTINATIONS = `/v22.0/${LINE}/destinations`;
export const QUESTIONS = `/v22.0/${LINE}/questions`;

/** The send answer of the contract (§4), for a request. */
export function accepted({ body }: Received, id = 'wamid.1'): Answer {
  const to = (body as { to: string }).to;
  return {
    body: {
      success: true,
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to.replace(/\D/g, '') }],
      messages: [{ id, message_status: 'accepted' }],
      chat_message_id: id,
      gateway: { line: 12, quality: 'HIGH', request_id: 'r-1' },
    },
  };
}

/** The error body of the contract (§5). */
export function refusal(
  statusCode: number,
  errorCode: string,
  code: number,
  message: string,
  details: string,
  fields?: Array<{ path: string; rule: string; message: string }>,
): Answer {
  return {
    statusCode,
    body: {
      success: false,
      error_code: errorCode,
      error: {
        message,
        type: 'OAuthException',
        code,
        error_data: { messaging_product: 'whatsapp', details, ...(fields && { fields }) },
        fbtrace_id: 'trace',
      },
      request_id: 'r-1',
    },
  };
}
