/**
 * Shows the minimal cost of forwarding an event: checks the signature, answers, and forwards from memory.
 * Events in memory are lost when it ends, and it never retries. Prints its port.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Pool } from 'undici';

const [receiver = '', appSecret = ''] = process.argv.slice(2);
const pool = new Pool(receiver, { connections: 64, pipelining: 1 });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const expected = createHmac('sha256', appSecret).update(body).digest();
    const given = Buffer.from(String(request.headers['x-hub-signature-256']).slice('sha256='.length), 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}');
    void pool
      .request({ method: 'POST', path: '/hook', headers: { 'content-type': 'application/json' }, body })
      .then((answer) => answer.body.dump());
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
