import { type ChannelRow } from '../store/tables/alerts';

type QuietHours = Pick<ChannelRow, 'quiet_from' | 'quiet_to' | 'time_zone'>;

/** The local time in a time zone, such as `22:05`. */
const hourIn = (timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    now,
  );

/** Whether the channel gets only critical alerts now. Quiet hours may cross midnight. */
export function isQuiet(
  { quiet_from: from, quiet_to: to, time_zone: zone }: QuietHours,
  now: number,
): boolean {
  if (from === null || to === null || from === to) return false;
  const hour = hourIn(zone, now);
  return from < to ? from <= hour && hour < to : from <= hour || hour < to;
}

/** Such as `22:05`. */
export const isHour = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone !== '';
  } catch {
    return false;
  }
}
