import { MINUTE } from '../time';
import { hashOfText } from './secret-text';

/** The period for which failed log-ins are counted. */
export const LOG_IN_PERIOD = 15 * MINUTE;
export const accountName = (typed: string): string => typed.trim().toLowerCase();

/** Hashes the name, because users may type a password as their name, of any length. */
export const accountHash = (name: string): string => hashOfText(accountName(name));
