/**
 * Acts as customers' receivers: accepts events, and returns their count and first arrival times on GET.
 * Prints its ports.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Nanoseconds of the machine's shared clock, by message ID. */
let arrivals: Record<string, number> = {};
let count = 0;

const take = (request: IncomingMessage, response: ServerResponse) => {
  if (request.method === 'GET') {
    const told = request.url === '/arrivals' ? arrivals : { count };
    return response.end(JSON.stringify(told));
  }
  if (request.method === 'DELETE') {
    arrivals = {};
    count = 0;
    return response.end();
  }
  const at = Number(process.hrtime.bigint());
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return request.on('end', () => {
    const [, wamid] = /"id":"(wamid\.[^"]+)"/.exec(text) ?? [];
    if (wamid) arrivals[wamid] ??= at;
    count++;
    response.end();
  });
};

const open = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer(take);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
void Promise.all(Array.from({ length: Number(process.argv[2] ?? 1) }, open)).then((ports) =>
  process.stdout.write(`${ports.join(' ')}\n`),
);
