import { DAY, HOUR, MINUTE, SECOND } from '../time';
import { WRITTEN, type Language } from './language';

/** A language's formats for numbers, plurals, durations and dates. */
export interface Kit {
  /** "1,200" */
  number(value: number): string;
  /** The form for a count, in which `#` is replaced by the number. */
  plural(count: number, one: string, other: string): string;
  /** "3 hours": in the largest unit of which there are at least two. */
  duration(milliseconds: number): string;
  /** "90 seconds", in the given unit. */
  length(given: Partial<Record<Unit, number>>): string;
  /** "10 Mar, 12:03 UTC" @param at ISO time */
  time(at: string): string;
}

const TIME = {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
} as const;

const kits = new Map<Language, Kit>();

export function kitOf(language: Language): Kit {
  const known = kits.get(language);
  if (known) return known;
  const { tag, dates } = WRITTEN[language];
  // Each is loaded on first use: a start needs none, and the names of months take 5 MB.
  let numbers: Intl.NumberFormat | undefined;
  let rules: Intl.PluralRules | undefined;
  let durations: Intl.DurationFormat | undefined;
  let times: Intl.DateTimeFormat | undefined;
  const kit: Kit = {
    number(value) {
      numbers ??= new Intl.NumberFormat(tag);
      return numbers.format(value);
    },
    plural(count, one, other) {
      rules ??= new Intl.PluralRules(tag);
      return (rules.select(count) === 'one' ? one : other).replaceAll('#', kit.number(count));
    },
    duration(milliseconds) {
      const { count, unit } = inUnit(milliseconds);
      return kit.length({ [unit]: count });
    },
    length(given) {
      durations ??= new Intl.DurationFormat(tag, { style: 'long' });
      return durations.format(given);
    },
    time(at) {
      times ??= new Intl.DateTimeFormat(dates, TIME);
      return `${times.format(Date.parse(at))} UTC`;
    },
  };
  kits.set(language, kit);
  return kit;
}

type Unit = 'days' | 'hours' | 'minutes' | 'seconds';

/** The largest unit of which a duration has at least two, rounded. */
function inUnit(milliseconds: number): { count: number; unit: Unit } {
  const units = [
    [DAY, 'days'],
    [HOUR, 'hours'],
    [MINUTE, 'minutes'],
  ] as const;
  const [length, unit] = units.find(([one], index) => {
    const [smaller] = units[index + 1] ?? [SECOND];
    // Rounded in the smaller unit first: 119.6 seconds are 2 minutes, not 120 seconds.
    return Math.round(milliseconds / smaller) * smaller >= 2 * one;
  }) ?? [SECOND, 'seconds' as const];
  return { count: Math.max(1, Math.round(milliseconds / length)), unit };
}
