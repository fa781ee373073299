import { type Json } from '../cloud-api/json/json-value';

type Kind = 'responses' | 'examples' | 'parameters';

/** Definitions that several operations share are in `components`; operations refer to them. */
export class Shared {
  /** The name of each part, by its text. */
  readonly #names: Record<Kind, Map<string, string>> = {
    responses: new Map(),
    examples: new Map(),
    parameters: new Map(),
  };

  /**
   * @param name followed by a number if the name is in use
   * @returns the reference to it
   */
  refer(kind: Kind, part: Json, name: string): Json {
    const names = this.#names[kind];
    const text = JSON.stringify(part);
    const taken = new Set(names.values());
    const free = (number: number): string => {
      const numbered = number === 1 ? name : `${name}_${number}`;
      return taken.has(numbered) ? free(number + 1) : numbered;
    };
    const own = names.get(text) ?? free(1);
    names.set(text, own);
    return { $ref: `#/components/${kind}/${own}` };
  }

  components(): Record<Kind, Json> {
    const of = (kind: Kind): Json =>
      Object.fromEntries(Array.from(this.#names[kind], ([text, name]) => [name, JSON.parse(text) as Json]));
    return { responses: of('responses'), examples: of('examples'), parameters: of('parameters') };
  }
}
