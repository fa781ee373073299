import { tooManyLogIns } from '../errors';
import { semaphore } from '../primitives/semaphore';

/** Loaded with the first password: it takes 3 MB, and few processes check passwords. */
const argon2 = () => import('@node-rs/argon2');

/**
 * OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. A hash takes about 25 ms of CPU time.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const SHORTEST_PASSWORD = 12;
/** In bytes. argon2 hashes all of it, so this only bounds the work. */
export const LONGEST_PASSWORD = 1000;

/** Concurrent hashes, and hashes that may wait. Further requests are refused. */
const AT_ONCE = 2;
const WAITING = 20;

export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => (await argon2()).hash(password, COST));

/** Compared with the password of an unknown user, so that the response takes the same time. */
let nobody: Promise<string> | undefined;

/** @param stored null if the user is unknown or has no password: the comparison takes as long, and fails */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  if (Buffer.byteLength(password) > LONGEST_PASSWORD) return false;
  const { hash, verify } = await argon2();
  nobody ??= hash('a password that nobody has', COST);
  const compared = stored ?? (await nobody);
  const isRight = await inTurn(() => verify(compared, password));
  return isRight && stored !== null;
}

const hashes = semaphore(AT_ONCE);

/** @throws Refusal if too many hashes are waiting, which protects the CPU */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (hashes.waiting() >= WAITING) throw tooManyLogIns(5);
  return hashes.run(work);
}
