import { tooManyLogIns } from '../errors';
import { semaphore } from '../primitives/semaphore';

/** Loaded with the first password: it takes 3 MB, and few processes ever see one. */
const argon2 = () => import('@node-rs/argon2');

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane; some 25 ms of one processor. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const SHORTEST_PASSWORD = 12;
/** Bytes. argon2 takes any length, and hashes all of it. */
export const LONGEST_PASSWORD = 1000;

/** Hashes at the same time, and hashes that wait; more are refused. */
const AT_ONCE = 2;
const WAITING = 20;

export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => (await argon2()).hash(password, COST));

/** The hash that an unknown user's password is compared with, so that it takes as long as a known one's. */
let nobody: Promise<string> | undefined;

/** @param stored null if there is no such user or no password: the comparison takes as long and fails */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  if (Buffer.byteLength(password) > LONGEST_PASSWORD) return false;
  const { hash, verify } = await argon2();
  nobody ??= hash('a password that nobody has', COST);
  const compared = stored ?? (await nobody);
  const isRight = await inTurn(() => verify(compared, password));
  return isRight && stored !== null;
}

const hashes = semaphore(AT_ONCE);

/** @throws Refusal if so many wait already that the machine would be busy with nothing else */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (hashes.waiting() >= WAITING) throw tooManyLogIns(5);
  return hashes.run(work);
}
