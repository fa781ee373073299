import { MINUTE } from '../time';
import { hashOfText } from './secret-text';

/** The period for which failed log-ins are counted. */
export const LOG_IN_PERIOD = 15 * MINUTE;
export const accountName = (typed: string): string => typed.trim().toLowerCase();

/** A hash, because what is typed as a name may be a password, and of any length. */
export const accountHash = (name: string): string => hashOfText(accountName(name));
