import { MINUTE } from '../time';
import { hashOfText } from './secret-text';

/** The time in which so many may be wrong. */
export const LOG_IN_PERIOD = 15 * MINUTE;
export const accountName = (typed: string): string => typed.trim().toLowerCase();

/** Names are hashed: what is typed as a name may be a password, and any length. */
export const accountHash = (name: string): string => hashOfText(accountName(name));
