import { hash, randomBytes } from 'node:crypto';

/** 256 random bits, for a cookie or a one-time link. */
export const randomText = (): string => randomBytes(32).toString('base64url');

/** SHA-256, hex: what the database stores. A look-up by the hash leaks nothing through its duration. */
export const hashOfText = (text: string): string => hash('sha256', text, 'hex');
