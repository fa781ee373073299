/** What follows the names of sections on the command line, as `--rounds 3`. */
export type Options = Record<string, string>;

/** @returns the sizes, with those that were given in the place of the usual ones */
export const sizesOf = <Sizes extends Record<string, number>>(options: Options, usual: Sizes): Sizes =>
  Object.fromEntries(
    Object.entries(usual).map(([name, size]) => [name, name in options ? Number(options[name]) : size]),
  ) as Sizes;

/** @returns the parts that were asked for by `--parts one,other`, or all @throws Error for one that there is not */
export function partsOf<Part extends string>(options: Options, all: readonly Part[]): Part[] {
  const asked = options.parts?.split(',') ?? [...all];
  const unknown = asked.find((one) => !all.includes(one as Part));
  if (unknown !== undefined) throw new Error(`There is no part "${unknown}": it is one of ${all.join(', ')}`);
  return asked as Part[];
}
