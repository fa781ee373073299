/** Acts as the platform: answers sends, and polls of a line's status. Prints its port. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

const json = { 'content-type': 'application/json; charset=UTF-8' };

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const body =
      request.method === 'POST'
        ? {
            messaging_product: 'whatsapp',
            contacts: [{ input: '16505551234', wa_id: '16505551234' }],
            messages: [{ id: `wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI${randomBytes(9).toString('hex')}AA==` }],
          }
        : { id: '106540352242922', quality_rating: 'GREEN', status: 'CONNECTED' };
    response.writeHead(200, json).end(JSON.stringify(body));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
