/**
 * A refusal of the sandbox's own control routes, which the platform does not have: a sentence for the person at the
 * keyboard.
 */
export class ControlRefusal extends Error {
  constructor(
    message: string,
    readonly httpStatus = 400,
  ) {
    super(message);
  }
}
