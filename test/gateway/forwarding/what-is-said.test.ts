import { reasonOf } from '../../../gateway/forwarding/health';
import { onceInAWhile } from '../../../gateway/once-in-a-while';

describe('what is said of failures', () => {
  test('tells what most often stands behind an answer', () => {
    expect(reasonOf({ outcome: 'http_error', httpStatus: 404 })).toMatch(/^HTTP 404: .*n8n.*not active$/);
    expect(reasonOf({ outcome: 'http_error', httpStatus: 401 })).toMatch(/^HTTP 401: .*header/);
    expect(reasonOf({ outcome: 'http_error', httpStatus: 503 })).toBe('HTTP 503');
    expect(reasonOf({ outcome: 'timeout', httpStatus: null })).toBe('timeout');
  });

  test('is logged once, and not for each of many failures at the same time', () => {
    const logged: [object, string][] = [];
    const log = onceInAWhile((...line) => logged.push(line));
    for (let number = 0; number < 100; number++) log({ number }, 'attempt not recorded');
    log({}, 'deliveries not claimed');
    expect(logged).toEqual([
      [{ number: 0 }, 'attempt not recorded'],
      [{}, 'deliveries not claimed'],
    ]);
  });
});
