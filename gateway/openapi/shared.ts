import { type Json } from '../cloud-api/json/json-value';

type Kind = 'responses' | 'examples' | 'parameters';

/** Collects definitions that several operations share into `components`. */
export class Shared {
  /** The name of each definition, by its JSON. */
  readonly #names: Record<Kind, Map<string, string>> = {
    responses: new Map(),
    examples: new Map(),
    parameters: new Map(),
  };

  /**
   * @param name gets a number if it is in use
   * @returns a reference to the shared definition
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
