/** The lines whose data a reader may see: all, or those with these ids. */
export type Reach = 'all' | readonly number[];

/** @param lineId null for something that belongs to no line */
export const reaches = (reach: Reach, lineId: number | null): boolean =>
  reach === 'all' || (lineId !== null && reach.includes(lineId));
