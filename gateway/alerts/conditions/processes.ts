import { GONE_MARK } from '../../store/processes/processes';
import { DAY, MINUTE } from '../../time';
import { type Rules } from '../rules';
import { type Condition } from './condition';
import { type Mark } from './lines';

/** One that nobody has replaced for so long is missed no longer. */
export const MISSED_FOR = DAY;

/** Processes that are gone without having been stopped. */
export const processConditions = (marks: Iterable<Mark>, rules: Rules, now: number): Condition[] =>
  Array.from(marks)
    .filter(({ kind, at }) => {
      const goneFor = now - Date.parse(at);
      return kind === GONE_MARK && goneFor >= rules.process_gone.threshold * MINUTE && goneFor < MISSED_FOR;
    })
    .map(({ subject, at }) => ({
      kind: 'process_gone',
      subject,
      lineId: null,
      wabaId: null,
      severity: 'warning',
      title: `The process ${subject} is gone`,
      text: 'It was not stopped, and no other has taken its place. The processes that still run deliver its events.',
      over: `The process ${subject} runs again, or another has taken its place`,
      action: 'See in its log why it ended, and start it again.',
      path: '/panel/overview',
      remedy: 'Look at the overview',
      since: at,
      waiting: null,
      isTold: true,
    }));
