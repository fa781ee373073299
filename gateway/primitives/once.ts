/**
 * A value that is made when it is first needed, and then kept. So a start does not wait for what few requests
 * need.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
