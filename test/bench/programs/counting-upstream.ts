/**
 * Acts as the platform when nodes are compared: answers each send after a delay, refuses one recipient, and
 * counts accepted messages per recipient. A POST to /set with `?delay=` and `?refuse=` changes it and resets
 * the counts; GET /counts returns them. Prints its port.
 */
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

let delay = 0;
let refused = '';
const accepted = new Map<string, number>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const url = new URL(request.url ?? '/', 'http://upstream');
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url.pathname === '/set') {
      delay = Number(url.searchParams.get('delay') ?? 0);
      refused = url.searchParams.get('refuse') ?? '';
      accepted.clear();
      return answer(200, {});
    }
    if (url.pathname === '/counts') return answer(200, Object.fromEntries(accepted));
    if (request.method !== 'POST')
      return answer(200, { id: '1', quality_rating: 'GREEN', status: 'CONNECTED' });
    const { to } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { to: string };
    setTimeout(() => {
      if (to === refused) {
        const error = { message: '(#131026) Message undeliverable', type: 'OAuthException', code: 131026 };
        return answer(400, { error });
      }
      accepted.set(to, (accepted.get(to) ?? 0) + 1);
      const id = `wamid.${to}.${accepted.get(to)}`;
      return answer(200, {
        messaging_product: 'whatsapp',
        contacts: [{ input: to, wa_id: to }],
        messages: [{ id }],
      });
    }, delay);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
