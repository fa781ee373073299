/**
 * A cache of the most recently used entries: at least half of its size, at most its size. Two generations
 * instead of one exact order: using an entry costs nothing while it is in the younger one.
 */
export class LruCache<Value> {
  private recent = new Map<string, Value>();
  private older = new Map<string, Value>();

  constructor(private readonly most: number) {}

  get(key: string): Value | undefined {
    const value = this.recent.get(key);
    if (value !== undefined) return value;
    const again = this.older.get(key);
    if (again !== undefined) this.set(key, again);
    return again;
  }

  set(key: string, value: Value): void {
    this.recent.set(key, value);
    if (this.recent.size * 2 < this.most) return;
    this.older = this.recent;
    this.recent = new Map();
  }

  clear(): void {
    this.recent.clear();
    this.older.clear();
  }
}
