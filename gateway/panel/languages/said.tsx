import { type VNode } from 'preact';
import { type Said as Fact } from '../../wording/facts';
import { say } from '../../wording/say';
import { Breakable } from './breakable';
import { languageNow } from '../../wording/language';
import { Told } from './told';

/** A fact in the language of the page. */
export const said = (fact: Fact | null): string => say(languageNow(), fact);

/** The same on a page. A sentence that is not a fact is marked as English: an earlier version or another program wrote it. */
export const Said = ({ children: fact }: { children: Fact | null }): VNode =>
  typeof fact === 'string' ? <Told>{fact}</Told> : <Breakable>{said(fact)}</Breakable>;
