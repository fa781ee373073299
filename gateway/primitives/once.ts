/** What is made when it is first asked for, and kept. A start does not wait for what few requests need. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
