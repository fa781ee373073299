/** Callers during the work share its result, so that the database is asked once, however many call. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
