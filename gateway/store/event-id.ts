import { randomBytes } from 'node:crypto';
import { type Clock } from '../time';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/**
 * Creates event ids that sort by arrival: `evt_`, the time in milliseconds and 80 random bits, both in Crockford's
 * base 32 like a ULID. Within one millisecond, or when the clock is set back, the random part counts upwards.
 */
export function eventIds(clock: Clock): () => string {
  let lastTime = 0;
  let random = 0n;
  return () => {
    const now = clock();
    if (now > lastTime) {
      lastTime = now;
      // One bit stays free, so that counting upwards cannot overflow within a millisecond.
      random = BigInt(`0x${randomBytes(10).toString('hex')}`) >> 1n;
    } else {
      random += 1n;
    }
    return `evt_${inBase32(BigInt(lastTime), TIME_CHARACTERS)}${inBase32(random, RANDOM_CHARACTERS)}`;
  };
}

/** A boundary between event ids: smaller than ids from this time on, greater than all earlier ones. */
export const eventIdBefore = (milliseconds: number): string =>
  `evt_${inBase32(BigInt(milliseconds), TIME_CHARACTERS)}`;

/** The time of an event, in milliseconds, from its id. */
export const eventTime = (id: string): number =>
  [...id.slice('evt_'.length, 'evt_'.length + TIME_CHARACTERS)].reduce(
    (time, character) => time * 32 + Math.max(0, CROCKFORD.indexOf(character)),
    0,
  );

function inBase32(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest >>= 5n) text = CROCKFORD[Number(rest & 31n)] + text;
  return text;
}
