import { GONE_MARK } from '../../store/processes/processes';
import { DAY, MINUTE } from '../../time';
import { type Kinds, type Rules } from './kind';
import { type Condition } from './condition';
import { type Mark } from './lines';

export const processKinds = {
  process_gone: { threshold: { of: 'minutes', default: 1, most: 1_440 } },
} satisfies Kinds;

/** A process that was not replaced for this long is no longer expected. */
export const MISSED_FOR = DAY;

/** Processes that vanished without being stopped. */
export const processConditions = (marks: Iterable<Mark>, rules: Rules, now: number): Condition[] =>
  Array.from(marks)
    .filter(({ kind, at }) => {
      const goneFor = now - Date.parse(at);
      return kind === GONE_MARK && goneFor >= rules.process_gone.threshold * MINUTE && goneFor < MISSED_FOR;
    })
    .map(({ subject, at }) => ({
      kind: 'process_gone',
      values: { process: subject },
      subject,
      lineId: null,
      wabaId: null,
      severity: 'warning',
      since: at,
      waiting: null,
      isTold: true,
    }));
