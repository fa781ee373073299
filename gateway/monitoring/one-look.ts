/** Whoever asks while a look is under way is told what that one finds: however many ask, the database is asked once. */
export function oneLook<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= look().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
