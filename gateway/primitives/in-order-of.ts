/** For `sort`: by code unit, as both databases order ids and ISO times. */
export function inOrderOf(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
