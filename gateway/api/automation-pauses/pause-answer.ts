import * as Type from 'typebox';
import { type AutomationPause } from '../../messages/automation-pauses';
import { TimeOrNull } from '../http/answer-parts';

export const PauseAnswer = Type.Object({
  success: Type.Literal(true),
  /** Digits, or a user id. */
  contact: Type.String(),
  paused: Type.Boolean(),
  since: TimeOrNull,
  /** Null: until an explicit resume. */
  until: TimeOrNull,
});
export type PauseAnswer = Type.Static<typeof PauseAnswer>;

export const pauseAnswer = (contact: string, pause: AutomationPause | null): PauseAnswer => ({
  success: true,
  contact,
  paused: pause !== null,
  since: pause?.since ?? null,
  until: pause?.until ?? null,
});
