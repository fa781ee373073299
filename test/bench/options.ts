/** Options after the names of sections, such as `--rounds 3`. */
export type Options = Record<string, string>;

/** @returns the usual sizes, overridden by the given options */
export const sizesOf = <Sizes extends Record<string, number>>(options: Options, usual: Sizes): Sizes =>
  Object.fromEntries(
    Object.entries(usual).map(([name, size]) => [name, name in options ? Number(options[name]) : size]),
  ) as Sizes;

/**
 * @returns the parts given by `--parts one,other`, or all
 * @throws Error for an unknown part
 */
export function partsOf<Part extends string>(options: Options, all: readonly Part[]): Part[] {
  const asked = options.parts?.split(',') ?? [...all];
  const unknown = asked.find((one) => !all.includes(one as Part));
  if (unknown !== undefined) throw new Error(`There is no part "${unknown}": it is one of ${all.join(', ')}`);
  return asked as Part[];
}
