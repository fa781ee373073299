/**
 * Shows the minimal cost of a send with the gateway's server library: Fastify, passing the request through.
 * With `json` as second word, also parses and serializes the body. Prints its port.
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
