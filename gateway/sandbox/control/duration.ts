/** Durations as people write them: "300ms", "30s", "5m", "25h", "2d", or combined: "1d1h". */
import { ControlRefusal } from './refusal';

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];
const PART = '(\\d{1,9})(ms|[smhd])';
const DURATION = new RegExp(`^(?:${PART})+$`);

/** Returns milliseconds. Refuses an invalid duration, or one longer than `most` (also a duration). */
export function durationOf(value: unknown, name: string, most: string): number {
  const milliseconds = typeof value === 'string' && DURATION.test(value) ? parsed(value) : undefined;
  if (milliseconds === undefined || milliseconds > parsed(most)) {
    throw new ControlRefusal(
      `"${name}" is a duration such as "300ms", "30s", "5m", "25h" or "2d", of ${most} at most.`,
    );
  }
  return milliseconds;
}

/** Formats milliseconds as a duration; "0s" for zero. */
export function durationText(milliseconds: number): string {
  let rest = Math.round(milliseconds);
  const parts = UNITS.map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count > 0 ? `${count}${unit}` : '';
  });
  return parts.join('') || '0s';
}

const parsed = (text: string): number =>
  [...text.matchAll(new RegExp(PART, 'g'))].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS.find(([name]) => name === unit)?.[1] ?? 0),
    0,
  );
