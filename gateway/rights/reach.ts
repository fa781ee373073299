/** The lines whose data a reader may see: all, or those with these ids. */
export type Reach = 'all' | readonly number[];

/** @returns whether a line is within the reach; null: something that belongs to no line */
export function reaching(reach: Reach): (lineId: number | null) => boolean {
  if (reach === 'all') return () => true;
  const ids = new Set(reach);
  return (lineId) => lineId !== null && ids.has(lineId);
}
