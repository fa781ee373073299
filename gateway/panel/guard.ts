import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { DAY, SECOND } from '../time';

interface Cookie {
  read(request: FastifyRequest): string | undefined;
  /** The `Set-Cookie` header; if null, the header that deletes the cookie. */
  write(key: string | null): string;
}

/** The panel's cookies. */
export interface PanelCookies {
  /** The key of a session, or of a visitor before the log-in. Deleted when the browser closes. */
  session: Cookie;
  /** See `users/known-browser.ts`. */
  known: Cookie;
  /** See `ui/frame/look.ts`. */
  look: Cookie;
  /** See `users/oidc/attempts.ts`. Deleted when the browser closes. */
  attempt: Cookie;
}

const LASTING = (400 * DAY) / SECOND;

export const panelCookies = (publicUrl: string | null): PanelCookies => ({
  session: cookieOf('panel', publicUrl),
  known: cookieOf('panel-known', publicUrl, LASTING),
  look: cookieOf('panel-look', publicUrl, LASTING),
  attempt: cookieOf('panel-attempt', publicUrl),
});

/**
 * `__Host-` over https: no other host, path or plain connection can set the cookie. `Lax`: links in mails work,
 * and POSTs from other sites come without the cookie.
 * @param life seconds; without it, the cookie lasts until the browser closes
 */
function cookieOf(called: string, publicUrl: string | null, life?: number): Cookie {
  const isSecure = publicUrl?.startsWith('https:') === true;
  const name = isSecure ? `__Host-${called}` : called;
  const lasting = life === undefined ? '' : `; Max-Age=${life}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: ({ headers }) =>
      (headers.cookie ?? '')
        .split(';')
        .map((pair) => pair.trim().split('='))
        .find(([found]) => found === name)?.[1],
    write: (key) =>
      key === null ? `${name}=; ${attributes}; Max-Age=0` : `${name}=${key}; ${attributes}${lasting}`,
  };
}

/** A field of every form, derived from the cookie's key, so that other sites cannot know it. */
export const formTokenOf = (key: string): string => tokenBytes(key).toString('base64url');

const tokenBytes = (key: string): Buffer => createHash('sha256').update(`form of the panel ${key}`).digest();

/**
 * Masks the form token with new random bytes on each page. Otherwise an attacker who can add text to a page
 * could guess the token from the compressed length (BREACH).
 */
export function withMaskedToken(html: string, formToken: string): string {
  const mask = randomBytes(TOKEN_LENGTH);
  const masked = Buffer.concat([mask, exclusiveOr(mask, Buffer.from(formToken, 'base64url'))]);
  return html.replaceAll(formToken, masked.toString('base64url'));
}

const TOKEN_LENGTH = 32;

const exclusiveOr = (one: Buffer, other: Buffer): Buffer =>
  Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)));

export function isFormToken(key: string | undefined, given: FormDataEntryValue | null): boolean {
  if (key === undefined || typeof given !== 'string') return false;
  const bytes = Buffer.from(given, 'base64url');
  if (bytes.length !== 2 * TOKEN_LENGTH) return false;
  const token = exclusiveOr(bytes.subarray(0, TOKEN_LENGTH), bytes.subarray(TOKEN_LENGTH));
  return timingSafeEqual(token, tokenBytes(key));
}

/**
 * Whether a POST comes from a page of this panel. Every browser sends the origin of a POST, so a request
 * without one is refused.
 */
export function isOwnOrigin({ headers }: FastifyRequest, publicUrl: string | null): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = URL.parse(headers.origin ?? '');
  if (!origin || origin.origin === 'null') return false;
  return origin.host === headers.host || (publicUrl !== null && origin.origin === new URL(publicUrl).origin);
}

/** Allows only resources of this host, nothing inline, and no framing by other sites. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Sent with every answer. `same-origin` instead of `no-referrer`, because browsers would then hide a POST's
 * origin.
 */
export const SAFE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Headers of assets and live parts. Opened directly, they cannot run scripts. */
const PART_HEADERS = {
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** Replaces the page headers with shorter ones, which saves a kilobyte on a first visit. */
export function withPartHeaders(reply: FastifyReply): FastifyReply {
  for (const name of Object.keys(SAFE_HEADERS)) reply.removeHeader(name);
  return reply.headers(PART_HEADERS);
}
