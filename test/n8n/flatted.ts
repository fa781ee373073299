/**
 * Reads the format in which n8n stores what an execution did: a JSON array, the first entry the value itself,
 * in which every string inside an object or an array is the index of the entry meant. So one object that is
 * held in two places, or that holds itself, comes back as one object.
 */
export function parseFlatted(text: string): unknown {
  const table = JSON.parse(text) as unknown[];
  const finished = new Set<unknown>();

  const valueAt = (index: number): unknown => {
    const entry = table[index];
    if (typeof entry !== 'object' || entry === null || finished.has(entry)) return entry;
    finished.add(entry);
    const holder = entry as Record<string, unknown>;
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === 'string') holder[key] = valueAt(Number(value));
    }
    return entry;
  };

  return valueAt(0);
}
