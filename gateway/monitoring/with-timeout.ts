import { SECOND } from '../time';

/** Health checks need a quick response: Prometheus times out after 10 seconds, most others sooner. */
const TIMEOUT = 3 * SECOND;

/** @throws Error if the database does not respond in time; the query itself continues */
export async function withTimeout<T>(asked: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const waiting = setTimeout(reject, TIMEOUT, new Error('The database does not answer'));
  return Promise.race([asked, late]).finally(() => clearTimeout(waiting));
}
