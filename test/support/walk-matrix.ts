/** The answers of a route or operation, by who gets them, with "others" for the largest group. */
export function asLines(groups: Map<string, string[]>): string[] {
  const largest = [...groups].toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0];
  return [...groups]
    .toSorted(([words]) => (words === largest ? 1 : -1))
    .map(([words, who]) => {
      const all = groups.size > 1 ? 'others' : 'everybody';
      return `  ${words.padEnd(12)} ${words === largest ? all : who.join(' ')}`;
    });
}
