/** `pg` treats these modes as `verify-full`, and Node prints a warning of eight lines for each. */
const SAME_AS_VERIFY_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/** The address with the mode that applies, unless it asks for the modes of libpq. */
export const withTlsMode = (url: string): string =>
  /[?&]uselibpqcompat=true\b/.test(url) ? url : url.replace(SAME_AS_VERIFY_FULL, '$1verify-full');
