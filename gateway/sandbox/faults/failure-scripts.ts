/**
 * Failures on demand: by the number that is written to, or by a script for what is asked next.
 *
 * Numbers that fail begin with 1 555, an area code that no telephone has, so that none of them is ever somebody's:
 *
 *   1555 0 CCCCCC   the send is refused with the error code C
 *   1555 1 CCCCCC   the message is accepted and sent, and then it fails with the error code C
 *   1555 2 000SSS   a proxy answers in the platform's place: HTTP S and a web page
 *   1555 2 000000   the connection is cut, nothing is sent
 *   1555 2 000001   the message is sent, but no answer ever comes
 *
 * Only codes that the platform documents count; every other number beginning with 1 555 is a contact like any other.
 */
import { ControlRefusal } from '../control/refusal';
import { DOCUMENTED_ERRORS, type DocumentedError, documentedError } from '../platform/documented-errors';
import { type JsonObject } from '../platform/json';
import { type Fault } from './transport-fault';

export type Failure =
  /** The request is refused. */
  | { as: 'answer'; error: DocumentedError }
  /** The message is accepted, sent, and fails then. */
  | { as: 'status'; error: DocumentedError }
  /** No answer of the platform's arrives. */
  | { as: 'fault'; fault: Fault };

const FAULT_NUMBERS: readonly (readonly [string, Fault])[] = [
  ['000000', 'cut'],
  ['000001', 'silent'],
  ['000500', 500],
  ['000502', 502],
  ['000503', 503],
  ['000504', 504],
];

/** What the number provokes, given in digits. */
export function failureOfNumber(number: string): Failure | undefined {
  const [, how, rest] = /^1555([012])(\d{6})$/.exec(number) ?? [];
  if (how === undefined) return undefined;
  if (how === '2') {
    const fault = FAULT_NUMBERS.find(([digits]) => digits === rest)?.[1];
    return fault === undefined ? undefined : { as: 'fault', fault };
  }
  const error = documentedError(Number(rest));
  return error && { as: how === '0' ? 'answer' : 'status', error };
}

/** Every error with the numbers that provoke it. */
export const failingNumbers = (): JsonObject => ({
  errors: DOCUMENTED_ERRORS.map(({ code, httpStatus, title, details }) => ({
    code,
    http_status: httpStatus,
    title,
    details,
    refused: `15550${String(code).padStart(6, '0')}`,
    fails_later: `15551${String(code).padStart(6, '0')}`,
  })),
  faults: FAULT_NUMBERS.map(([digits, fault]) => ({ fault, number: `15552${digits}` })),
});

/** The next requests on a line fail, or only the sends to a given contact. */
export interface FailureScript {
  failure: Failure;
  times: number;
  /** Only sends, or every request about a line: its templates, its state. */
  on: 'sends' | 'everything';
  line: string;
  contact?: string;
}

/** More at a time would be confusing. */
const SCRIPTS_MOST = 100;

export class FailureScripts {
  private scripts: FailureScript[] = [];

  add(script: FailureScript): void {
    if (this.scripts.length >= SCRIPTS_MOST) {
      throw new ControlRefusal(
        `There are ${SCRIPTS_MOST} scripts already; remove them with DELETE /sandbox/failures.`,
      );
    }
    this.scripts.push(script);
  }

  /** The next failure for a request on one of these lines; it counts as used. */
  next(on: FailureScript['on'], lines: readonly string[], contact?: string): Failure | undefined {
    const script = this.scripts.find(
      (each) =>
        each.on === on &&
        lines.includes(each.line) &&
        (each.contact === undefined || each.contact === contact),
    );
    if (!script) return undefined;
    script.times -= 1;
    this.scripts = this.scripts.filter((each) => each.times > 0);
    return script.failure;
  }

  remove(concerns: (script: FailureScript) => boolean): void {
    this.scripts = this.scripts.filter((script) => !concerns(script));
  }

  all(): readonly FailureScript[] {
    return this.scripts;
  }
}
