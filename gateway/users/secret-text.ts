import { hash, randomBytes } from 'node:crypto';

/** 256 random bits: what a cookie or a one-time link holds. */
export const randomText = (): string => randomBytes(32).toString('base64url');

/** What the database keeps of it: SHA-256, hex. Looking up by it tells nothing by the time it takes. */
export const hashOfText = (text: string): string => hash('sha256', text, 'hex');
