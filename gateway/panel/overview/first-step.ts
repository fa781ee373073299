import { type ComponentChildren, type VNode } from 'preact';

export interface StepWords {
  title: string;
  /** The instruction or, if done, the result. */
  text: ComponentChildren;
  /** The button or link; null or false if this user may not use it. */
  button: VNode | false | null;
}

/** A link that is primary if its step is the next one. */
export type StepLink<Name extends string> = (step: Name, href: string, label: string) => VNode;
