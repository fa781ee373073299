import { SECOND } from '../time';

/** Who asks how the gateway is wants to know it now: Prometheus gives up after 10 seconds, most others after fewer. */
const TIMEOUT = 3 * SECOND;

/** @throws Error where the database has not answered by then; what was asked of it goes on. */
export async function withTimeout<T>(asked: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const waiting = setTimeout(reject, TIMEOUT, new Error('The database does not answer'));
  return Promise.race([asked, late]).finally(() => clearTimeout(waiting));
}
