import { randomInt } from 'node:crypto';
import { DAY, type Clock } from '../time';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
/** Of each half of the random part, which fits into a number. */
const HALF_CHARACTERS = 8;
const HALF = 32 ** HALF_CHARACTERS;

/**
 * Creates event ids that sort by arrival: `evt_`, the time in milliseconds and 80 random bits, both in Crockford's
 * base 32 like a ULID. Within one millisecond, or when the clock is set back, the random part counts upwards. If the clock
 * is set back by more than a day, ids follow it, because tables are divided by the time in ids.
 */
export function eventIds(clock: Clock): () => string {
  let lastTime = 0;
  /** The time and the first half of the random part. */
  let beginning = '';
  let counter = 0;
  return () => {
    const now = clock();
    if (now > lastTime || now < lastTime - DAY) {
      lastTime = now;
      beginning = eventIdBefore(now) + inBase32(randomInt(HALF), HALF_CHARACTERS);
      // One bit stays free, so that counting upwards cannot overflow within a millisecond.
      counter = randomInt(HALF / 2);
    } else {
      counter++;
    }
    return beginning + inBase32(counter, HALF_CHARACTERS);
  };
}

/** A boundary between event ids: smaller than ids from this time on, greater than all earlier ones. */
export const eventIdBefore = (milliseconds: number): string =>
  `evt_${inBase32(milliseconds, TIME_CHARACTERS)}`;

/** The time of an event, in milliseconds, from its id. */
export const eventTime = (id: string): number =>
  [...id.slice('evt_'.length, 'evt_'.length + TIME_CHARACTERS)].reduce(
    (time, character) => time * 32 + Math.max(0, CROCKFORD.indexOf(character)),
    0,
  );

/** @param value a whole number up to 2 ** 53 */
function inBase32(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32))
    text = CROCKFORD[rest % 32] + text;
  return text;
}
