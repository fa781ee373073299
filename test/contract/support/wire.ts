import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { validateMessage } from '../../../gateway/cloud-api/validate/validate-message';

/** One request of a node and what the gateway answered. */
export interface Exchange {
  method: string;
  /** Behind the line's own address, with its query: `messages`, `templates?limit=50`. */
  asked: string;
  body: Record<string, unknown> | null;
  status: number;
  answer: Record<string, unknown> & { error_code?: string };
}

/** Stands between the nodes and the gateway, changes nothing, and remembers what was said. */
export interface Wire {
  url: string;
  exchanges: Exchange[];
  /** The bodies of all sends so far. */
  sent(): Record<string, unknown>[];
  close(): Promise<void>;
}

const PASSED_ON = ['authorization', 'content-type', 'idempotency-key'];

export async function startWire(target: string): Promise<Wire> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = '', url = '' } = request;
    const answer = await fetch(target + url, {
      method,
      headers: PASSED_ON.flatMap((name): [string, string][] => {
        const value = request.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    exchanges.push({
      method,
      asked: url.replace(/^(?:\/api)?\/v22\.0\/[^/]+\//, ''),
      body: body.length > 0 ? (JSON.parse(body.toString('utf8')) as Record<string, unknown>) : null,
      status: answer.status,
      answer: JSON.parse(text) as Exchange['answer'],
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    sent: () => exchanges.flatMap(({ asked, body }) => (asked === 'messages' && body ? [body] : [])),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** By these words the gateway says that a client has built a request wrongly. */
const BUILT_WRONGLY = [
  'invalid_json',
  'invalid_payload',
  'invalid_query',
  'malformed_request',
  'method_not_allowed',
  'not_found',
  'payload_too_large',
  'unsupported_media_type',
];

/** The address is right; there is no such message. */
const asksForAnUnknownMessage = ({ method, asked, answer }: Exchange): boolean =>
  method === 'GET' && /^messages\/[^/?]+$/.test(asked) && answer.error_code === 'not_found';

/** Every request was one that the gateway's schemas allow, whatever became of it. */
export function expectOnlyValidRequests({ exchanges, sent }: Wire): void {
  const wrong = exchanges.filter((one) => BUILT_WRONGLY.includes(one.answer.error_code ?? ''));
  expect(wrong.filter((one) => !asksForAnUnknownMessage(one))).toEqual([]);
  expect(sent().flatMap((body) => validateMessage(body).map((fault) => ({ fault, body })))).toEqual([]);
}
