import { dateIn, emailIn, numberIn } from '../../nodes/MessagingGateway/actions/message/wait/understood';

const BRAZIL = '5511987654321';
const USA = '12025550147';
const SWITZERLAND = '41791234567';

test.each([
  ['250', BRAZIL, 250],
  ['1.234,5', BRAZIL, 1234.5],
  ['1,234.5', BRAZIL, 1234.5],
  ['1.234', BRAZIL, 1234],
  ['1.234', USA, 1.234],
  ['1,234', USA, 1234],
  ['1,234', BRAZIL, 1.234],
  ['1.234', 'BR.1A2B', 1234],
  ['1.234', 'US.1A2B', 1.234],
  ['0.125', BRAZIL, 0.125],
  ['1.234.567', USA, 1234567],
  ['12,34,567.5', '919876543210', 1234567.5],
  ['1 234 567,89', BRAZIL, 1234567.89],
  ["1'234.50", SWITZERLAND, 1234.5],
  ['R$ 1.234,50', BRAZIL, 1234.5],
  ['-5 °C', BRAZIL, -5],
  ['−5', BRAZIL, -5],
  ["I'm 35", USA, 35],
  ['35 years old.', USA, 35],
  ['10%', USA, 10],
  ['٤٥', USA, 45],
  ['४५', USA, 45],
  ['a few', BRAZIL, undefined],
  ['2 or 3', BRAZIL, undefined],
  ['5-6', BRAZIL, undefined],
  ['12/05', BRAZIL, undefined],
  ['12 5', BRAZIL, undefined],
  ['1.23.4', BRAZIL, undefined],
  ['1,2.3,4', BRAZIL, undefined],
  ['I would like to cancel order 1042', USA, undefined],
  ['', BRAZIL, undefined],
])('the number in "%s" of %s is %s', (text, sender, number) => {
  expect(numberIn(text, sender)).toBe(number);
});

const NOW = new Date('2027-02-28T23:30:00Z');
test.each([
  ['2027-03-31', '2027-03-31'],
  ['31/3/2027', '2027-03-31'],
  ['31.03.27', '2027-03-31'],
  ['04/05/2027', '2027-05-04'],
  ['12/31/2027', '2027-12-31'],
  ['1/2/85', '1985-02-01'],
  ['3 de março de 2027', '2027-03-03'],
  ['1º de mayo del 2027', '2027-05-01'],
  ['31. März 2027', '2027-03-31'],
  ['March 12th, 2027', '2027-03-12'],
  ['12 Dec 2027', '2027-12-12'],
  ['Tomorrow!', '2027-03-01'],
  ['amanhã', '2027-03-01'],
  ['hoy', '2027-02-28'],
  ['29/2/2027', undefined],
  ['12/05', undefined],
  ['May', undefined],
  ['3 Foo 2027', undefined],
  ['next week', undefined],
])('the date in "%s" is %s', (text, date) => {
  expect(dateIn(text, { monthFirst: false, timeZone: 'UTC' }, NOW)).toBe(date);
});

test('a date is read month first where that is chosen, and today is that of the workflow', () => {
  expect(dateIn('04/05/2027', { monthFirst: true, timeZone: 'UTC' }, NOW)).toBe('2027-04-05');
  expect(dateIn('31/05/2027', { monthFirst: true, timeZone: 'UTC' }, NOW)).toBe('2027-05-31');
  expect(dateIn('today', { monthFirst: true, timeZone: 'Asia/Tokyo' }, NOW)).toBe('2027-03-01');
  // The next day has 23 hours.
  const late = new Date('2027-03-14T04:30:00Z');
  expect(dateIn('tomorrow', { monthFirst: true, timeZone: 'America/New_York' }, late)).toBe('2027-03-14');
});

test('an email address is found among words', () => {
  expect(emailIn('It is ana.souza+x@example.com.br, thanks')).toBe('ana.souza+x@example.com.br');
  expect(emailIn('none')).toBeUndefined();
});
