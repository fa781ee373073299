import { hash, randomBytes } from 'node:crypto';

/** 256 random bits, for a cookie or a one-time link. */
export const randomText = (): string => randomBytes(32).toString('base64url');

/**
 * SHA-256 in hex, which the database stores. The duration of a look-up by hash reveals nothing about the
 * text.
 */
export const hashOfText = (text: string): string => hash('sha256', text, 'hex');
