import { dateIn, datePlus, datesDuring, startOf } from '../../../gateway/usage/days';
import { isoTime } from '../../../gateway/time';

describe('the beginning of a date', () => {
  test.each([
    ['UTC', '2026-11-10', '2026-11-10T00:00:00.000Z'],
    ['America/Sao_Paulo', '2026-11-10', '2026-11-10T03:00:00.000Z'],
    ['Asia/Kathmandu', '2026-11-10', '2026-11-09T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-10', '2026-11-09T10:00:00.000Z'],
    ['Pacific/Niue', '2026-11-10', '2026-11-10T11:00:00.000Z'],
    // The clock goes forward or back on this date.
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z'],
    // It goes forward at midnight: the date begins at one o'clock.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    // It goes back at midnight, to the date before.
    ['America/Sao_Paulo', '2018-02-18', '2018-02-18T03:00:00.000Z'],
    // A date that Samoa skipped.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
  ])('%s, %s', (zone, date, start) => {
    expect(isoTime(startOf(zone, date))).toBe(start);
    expect(dateIn(zone, startOf(zone, date)) >= date).toBe(true);
    expect(dateIn(zone, startOf(zone, date) - 1) < date).toBe(true);
  });
});

test('the dates during a UTC day', () => {
  expect(datesDuring('UTC', '2026-11-10')).toEqual(['2026-11-10']);
  expect(datesDuring('America/Los_Angeles', '2026-11-10')).toEqual(['2026-11-09', '2026-11-10']);
  expect(datesDuring('Asia/Tokyo', '2026-11-30')).toEqual(['2026-11-30', '2026-12-01']);
  expect(datePlus('2026-12-31', 1)).toBe('2027-01-01');
});
