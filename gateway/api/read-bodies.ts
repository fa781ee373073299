import { type IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { invalidJson } from '../errors';
import { parseBody } from './parse-body';

/** A file is read by the operation itself, as fast as upstream takes it; what is no form is refused there. */
export function leaveFormsUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);
}

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => (body.length ? parseBody(body) : undefined),
  );
  app.addHook('preValidation', (request, _reply, done) =>
    done(request.method === 'POST' && !request.body ? invalidJson('it is empty.') : undefined),
  );
}

/** A body that drips is answered as Node answers a request that does, only sooner; an answer under way goes on. */
export function giveUpSlowBodies(app: FastifyInstance, after: number): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const giveUp = () => {
      if (raw.complete || reply.raw.headersSent) return;
      const late = Object.assign(new Error('The body takes too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      app.server.emit('clientError', late, raw.socket);
    };
    const waiting = setTimeout(giveUp, after).unref();
    raw.once('close', () => clearTimeout(waiting));
    done();
  });
}

/** A body that has been answered is not waited for any longer than it takes to see the answer. */
export function endUnread(request: IncomingMessage, after: number): void {
  if (request.complete || request.destroyed) return;
  const cut = setTimeout(() => request.destroy(), after).unref();
  request.once('close', () => clearTimeout(cut));
}
