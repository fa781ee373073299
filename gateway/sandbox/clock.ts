/**
 * The sandbox's clock: the machine's time plus the time that the user skipped. It only moves forward, like
 * the timestamps that were already reported.
 */
import { ControlRefusal } from './control/refusal';
import { durationText } from './control/duration';

/** The furthest that the clock can be ahead, in milliseconds. */
const AHEAD_MOST = 10 * 365 * 86_400_000;

export class SandboxClock {
  /** Milliseconds that the `Date` header of every answer is ahead of the machine. */
  headerAhead = 0;

  /** @param ahead milliseconds ahead of the machine, as last saved */
  constructor(
    private readonly machine: () => Date,
    private ahead = 0,
  ) {}

  readonly now = (): Date => new Date(this.machine().getTime() + this.ahead);

  /** Milliseconds that the clock is ahead of the machine. */
  get aheadBy(): number {
    return this.ahead;
  }

  /** Moves the clock forward; refuses to exceed `AHEAD_MOST`. */
  advance(milliseconds: number): void {
    if (this.ahead + milliseconds > AHEAD_MOST) {
      throw new ControlRefusal(
        `The sandbox's clock is ${durationText(this.ahead)} ahead already; ${durationText(AHEAD_MOST)} is the most.`,
      );
    }
    this.ahead += milliseconds;
  }
}
