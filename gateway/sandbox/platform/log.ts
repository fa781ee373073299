/** The part of a pino logger that the sandbox uses. */
import { type Logger } from 'pino';

export type SandboxLog = Pick<Logger, 'info' | 'warn' | 'error'>;
