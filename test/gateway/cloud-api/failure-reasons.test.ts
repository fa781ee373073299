import { DOCUMENTED_CODES, failureReason } from '../../../gateway/cloud-api/failure-reasons';
import { refusalOfUpstream } from '../../../gateway/cloud-api/failures';

/** The platform's page of error codes, as it stood in May 2026. */
const ON_THE_PAGE = [
  [0, 3, 10, 190, 200, 299],
  [368, 130497, 131031],
  [4, 80007, 130429, 131048, 131056, 133016],
  [1, 2, 33, 100, 130472, 131000, 131005, 131008, 131009, 131016, 131021, 131026, 131037, 131042],
  [131045, 131047, 131049, 131050, 131051, 131052, 131053, 131055, 131057, 131062, 131063],
  [132000, 132001, 132005, 132007, 132012, 132015, 132016, 132018, 132068, 132069],
  [133000, 133004, 133005, 133006, 133008, 133009, 133010, 133015, 134011, 134100, 134101, 134102, 135000],
  [2388012, 2388019, 2388039, 2388040, 2388047, 2388072, 2388073, 2388091, 2388093, 2388103, 2388293],
  [2388299, 2494100, 2593107, 2593108, 1752041],
].flat();

const UNKNOWN = failureReason(null);

describe('the reason of a failure', () => {
  test.each(ON_THE_PAGE)('is known for code %i', (code) => {
    const { word, reason, action } = failureReason(code);
    if (code !== 131000) expect(reason).not.toBe(UNKNOWN.reason);
    expect(word).toMatch(/^[a-z0-9_]+$/);
    for (const sentence of [reason, action]) expect(sentence).toMatch(/^[A-Z].{10,}\.$/);
  });

  test('is told in words and sentences for every code that is told apart', () => {
    for (const code of DOCUMENTED_CODES) {
      const { word, reason, action } = failureReason(code);
      expect([code, word]).toEqual([code, expect.stringMatching(/^[a-z0-9_]+$/)]);
      expect([code, reason, action]).toEqual([
        code,
        expect.stringMatching(/^[A-Z].*\.$/),
        expect.stringMatching(/^[A-Z].*\.$/),
      ]);
    }
  });

  test.each([null, -1, 7, 199, 300, 131046, 1e9])('is unknown for %s', (code) => {
    expect(failureReason(code)).toBe(UNKNOWN);
  });

  test.each<[unknown[], string]>([
    [
      [{ code: 131014, title: 'Request for url failed with error: 404' }],
      'Request for url failed with error: 404',
    ],
    [
      [{ title: 'Odd', message: 'Odd', error_data: { details: 'The header is red.' } }],
      'Odd: The header is red.',
    ],
    [[{ title: 'Odd', error_data: { details: 'Odd it is.' } }], 'Odd it is.'],
    [[null, { message: 'Later' }], 'Later'],
    [[{ error_data: { details: 'Alone' } }], 'Alone'],
  ])('of a code that is not documented is in the words of the platform: %j', (errors, words) => {
    const { reason, action } = failureReason(131014, errors);
    expect(reason).toBe(words);
    for (const { action: said } of [{ action }, UNKNOWN])
      expect(said).not.toMatch(/send it|once more|again/i);
    expect(failureReason(131047, errors).reason).not.toContain(words);
  });

  test('of a refused template is found by its subcode, because all have code 100', () => {
    const actionFor = (code: number, error_subcode: number) => {
      const verbatim = JSON.stringify({ message: 'Invalid parameter', code, error_subcode });
      const { error } = refusalOfUpstream({ status: 400, code, message: '', verbatim, retryAfter: null });
      return JSON.parse('verbatim' in error ? error.verbatim : '{}').error_data?.action;
    };
    expect(actionFor(100, 2388024)).toBe('Edit it, or choose another name.');
    expect(actionFor(100, 2388299)).toBe(failureReason(2388299).action);
    expect(actionFor(100, 7)).toBe(failureReason(100).action);
    expect(actionFor(131009, 2388024)).toBe(failureReason(131009).action);
  });

  test('has the word that the answer to a send has for the same code, where that has one', () => {
    for (const code of [...DOCUMENTED_CODES, 200, 299]) {
      const answered = refusalOfUpstream({
        status: 400,
        code,
        message: '',
        verbatim: '{}',
        retryAfter: null,
      }).errorCode;
      if (answered !== 'upstream_error') expect([code, failureReason(code).word]).toEqual([code, answered]);
    }
  });
});
