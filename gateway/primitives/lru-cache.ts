/** What was used last, up to a number of entries; beyond it the longest unused is forgotten. */
export class LruCache<Value> {
  private readonly entries = new Map<string, Value>();

  constructor(private readonly most: number) {}

  get(key: string): Value | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.most) return;
    const { value: oldest } = this.entries.keys().next();
    if (oldest !== undefined) this.entries.delete(oldest);
  }

  clear(): void {
    this.entries.clear();
  }
}
