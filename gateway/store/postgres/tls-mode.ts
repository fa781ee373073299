/** `pg` treats these modes as `verify-full`, and Node prints a long warning for each. */
const SAME_AS_VERIFY_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/** The URL with the mode that `pg` applies, unless it requests the semantics of libpq. */
export const withTlsMode = (url: string): string =>
  /[?&]uselibpqcompat=true\b/.test(url) ? url : url.replace(SAME_AS_VERIFY_FULL, '$1verify-full');
