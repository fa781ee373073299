import { type FastifyBaseLogger } from 'fastify';
import pino from 'pino';
import { type Config } from './config';

/** Lines of JSON on stdout. Credentials are never among them. */
export const createLog = ({
  GATEWAY_LOG_LEVEL: level,
}: Pick<Config, 'GATEWAY_LOG_LEVEL'>): FastifyBaseLogger =>
  pino({
    level,
    redact: ['req.headers.authorization', 'headers.authorization'],
    serializers: { error: pino.stdSerializers.err },
  });
