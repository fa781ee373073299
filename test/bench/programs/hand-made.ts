/**
 * Shows the minimal cost of a send: node:http and undici's pool, without reading the body. Prints its port.
 */
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Pool } from 'undici';

const [upstream = ''] = process.argv.slice(2);
const pool = new Pool(upstream, { connections: 64, pipelining: 1 });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const headers = {
      'content-type': 'application/json',
      authorization: request.headers.authorization ?? '',
    };
    void pool
      .request({ method: 'POST', path: request.url ?? '/', headers, body: Buffer.concat(chunks) })
      .then(async ({ statusCode, body }) => {
        const bytes = Buffer.from(await body.arrayBuffer());
        response
          .writeHead(statusCode, { 'content-type': 'application/json', 'content-length': bytes.length })
          .end(bytes);
      });
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
