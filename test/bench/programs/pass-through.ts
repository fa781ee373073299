/**
 * What a send costs at the least with the same server library: Fastify and nothing but a hand-over. With `json` as second
 * word it also parses the body, and writes it anew. Prints its port.
 */
import { type AddressInfo } from 'node:net';
import replyFrom from '@fastify/reply-from';
import Fastify from 'fastify';

const [upstream, reads] = process.argv.slice(2);
const app = Fastify();
if (reads !== 'json') {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
}
app.register(replyFrom, { base: upstream });
app.post('/*', (request, reply) => reply.from(request.url));
void app.listen({ host: '127.0.0.1', port: 0 }).then(() => {
  process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
});
