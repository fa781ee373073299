import { type VNode } from 'preact';
import { type Sayable } from '../../wording/facts';
import { type Refusal } from '../../errors';
import { isSaidIn, say } from '../../wording/say';
import { Breakable } from './breakable';
import { languageNow } from '../../wording/language';

/** The text in the language of the page. */
export const said = (what: Sayable | null): string => say(languageNow(), what);

/** The text as an element. Text without a translation, such as the platform's, is marked as English. */
export const Said = ({ children: what }: { children: Sayable | null }): VNode => {
  const text = <Breakable>{said(what)}</Breakable>;
  return what === null || isSaidIn(languageNow(), what) ? text : <span lang="en">{text}</span>;
};

/** A refusal as sentences: what happened, and what to do. */
export const saidOfRefusal = ({ said: sentences, message }: Refusal): string =>
  sentences
    ? [sentences.happened, sentences.action].flatMap((one) => (one ? said(one) : [])).join(' ')
    : message;
