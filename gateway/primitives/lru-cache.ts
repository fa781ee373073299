/**
 * A cache of the most recently used entries, between half its size and its size. It keeps two generations instead of
 * an exact order: using an entry of the younger one costs nothing.
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
