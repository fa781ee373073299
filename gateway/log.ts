import { type FastifyBaseLogger } from 'fastify';
import pino from 'pino';
import { type Config } from './config';

/** Bytes of lines that wait to be written. More are dropped. */
const MOST_WAITING = 1024 * 1024;

/** Lines of JSON on stdout. Credentials are never among them. */
export function createLog({
  GATEWAY_LOG_LEVEL: level,
}: Pick<Config, 'GATEWAY_LOG_LEVEL'>): FastifyBaseLogger {
  const out = pino.destination({ dest: 1, maxLength: MOST_WAITING });
  // A gateway goes on without its log, for example if that is a file on a full disk.
  out.on('error', () => undefined);
  return pino(
    {
      level,
      redact: ['req.headers.authorization', 'headers.authorization'],
      serializers: { error: pino.stdSerializers.err },
    },
    out,
  );
}
