/**
 * Failures on demand: by the recipient's number, or by a script for the next requests.
 *
 * Failing numbers begin with 1 555, an area code without telephones, so that none belongs to a real person:
 *
 *   1555 0 CCCCCC   the send is refused with the error code C
 *   1555 1 CCCCCC   the message is accepted and sent, and later fails with the error code C
 *   1555 2 000SSS   a proxy answers instead of the platform: HTTP status S and a web page
 *   1555 2 000000   the connection is closed, nothing is sent
 *   1555 2 000001   the message is sent, but no answer arrives
 *
 * Only documented codes work. Any other number beginning with 1 555 is an ordinary contact.
 */
import { ControlRefusal } from '../control/refusal';
import { DOCUMENTED_ERRORS, type DocumentedError, documentedError } from '../platform/documented-errors';
import { type JsonObject } from '../platform/json';
import { type Fault } from './transport-fault';

export type Failure =
  /** The request is refused. */
  | { as: 'answer'; error: DocumentedError }
  /** The message is accepted and sent, and fails afterwards. */
  | { as: 'status'; error: DocumentedError }
  /** No answer from the platform arrives. */
  | { as: 'fault'; fault: Fault };

const FAULT_NUMBERS: readonly (readonly [string, Fault])[] = [
  ['000000', 'cut'],
  ['000001', 'silent'],
  ['000500', 500],
  ['000502', 502],
  ['000503', 503],
  ['000504', 504],
];

/** Returns the failure for a number in digits. */
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

/** Lists every error with the numbers that cause it. */
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

/** Makes the next requests on a line fail, or only sends to one contact. */
export interface FailureScript {
  failure: Failure;
  times: number;
  /** Only sends, or also every other request about the line. */
  on: 'sends' | 'everything';
  line: string;
  contact?: string;
}

/** The most active scripts. */
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

  /** Returns the next scripted failure for a request on one of these lines, and counts it as used. */
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
