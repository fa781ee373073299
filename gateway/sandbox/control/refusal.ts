/** A refusal by a control route: a sentence for the user. The platform has no such refusals. */
export class ControlRefusal extends Error {
  constructor(
    message: string,
    readonly httpStatus = 400,
  ) {
    super(message);
  }
}
