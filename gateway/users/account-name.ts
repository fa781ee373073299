import { MINUTE } from '../time';
import { hashOfText } from './secret-text';

/** Failed log-ins are counted over this period. */
export const LOG_IN_PERIOD = 15 * MINUTE;
export const accountName = (typed: string): string => typed.trim().toLowerCase();

/** Hashes the name, because users may type a password as their name, of any length. */
export const accountHash = (name: string): string => hashOfText(accountName(name));
