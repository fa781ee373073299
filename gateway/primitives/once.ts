/** Creates a value on first use and keeps it, so that the start does not wait for rarely needed values. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
