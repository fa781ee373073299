/**
 * The sandbox's own time: that of the machine, and ahead of it by as much as a person has let it pass. It only ever
 * goes forward, as the timestamps that were already reported do.
 */
import { ControlRefusal } from './control/refusal';
import { durationText } from './control/duration';

/** Beyond this no date of the platform's would make sense any more. */
const AHEAD_MOST = 10 * 365 * 86_400_000;

export class SandboxClock {
  /** @param ahead milliseconds by which it was ahead when it was last seen */
  constructor(
    private readonly machine: () => Date,
    private ahead = 0,
  ) {}

  readonly now = (): Date => new Date(this.machine().getTime() + this.ahead);

  /** Milliseconds by which it is ahead of the machine. */
  get aheadBy(): number {
    return this.ahead;
  }

  /** Refuses to go further than years ahead. */
  advance(milliseconds: number): void {
    if (this.ahead + milliseconds > AHEAD_MOST) {
      throw new ControlRefusal(
        `The sandbox's clock is ${durationText(this.ahead)} ahead already; ${durationText(AHEAD_MOST)} is the most.`,
      );
    }
    this.ahead += milliseconds;
  }
}
