import { PROCESS_ROLES, storedRoles, type ProcessRole } from '../../process-roles';
import { GONE_MARK } from '../../store/processes/processes';
import { DAY, isoTime, MINUTE } from '../../time';
import { type Kinds, type Rules } from './kind';
import { type Condition } from './condition';
import { markKey, type LineFacts, type Mark } from './lines';

export const processKinds = {
  process_gone: { threshold: { of: 'minutes', default: 1, most: 1_440 } },
  role_missing: { threshold: { of: 'minutes', default: 1, most: 1_440 } },
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

/** The kind of marks for process roles: whether any process had the role at the last check, and since when. */
const ROLE_MARK = 'role_missing';

interface RoleFacts extends Pick<LineFacts, 'marks' | 'now'> {
  /** The running processes. */
  processes: { roles: string | null }[];
}

const isMissing = (role: ProcessRole, { processes }: RoleFacts): boolean =>
  !processes.some(({ roles }) => storedRoles(roles).has(role));

const markOf = (role: ProcessRole, { marks }: RoleFacts): Mark | undefined =>
  marks.get(markKey({ kind: ROLE_MARK, subject: role }));

/** The marks to store after a check, for roles that have lost their last process or have one again. */
export const newRoleMarks = (facts: RoleFacts): Mark[] =>
  PROCESS_ROLES.flatMap((role) => {
    const value = isMissing(role, facts) ? 'missing' : 'present';
    if ((markOf(role, facts)?.value ?? 'present') === value) return [];
    return [{ kind: ROLE_MARK, subject: role, value, at: isoTime(facts.now) }];
  });

/** Roles that no running process has had for a while. */
export const roleConditions = (facts: RoleFacts, rules: Rules): Condition[] =>
  PROCESS_ROLES.flatMap((role) => {
    const mark = markOf(role, facts);
    if (mark?.value !== 'missing' || !isMissing(role, facts)) return [];
    if (facts.now - Date.parse(mark.at) < rules.role_missing.threshold * MINUTE) return [];
    return [
      {
        kind: 'role_missing',
        values: { role },
        subject: role,
        lineId: null,
        wabaId: null,
        severity: role === 'panel' ? 'warning' : 'critical',
        since: mark.at,
        waiting: null,
        isTold: true,
      },
    ];
  });
