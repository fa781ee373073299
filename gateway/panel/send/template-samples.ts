import { entries, isObject, objects, type Json } from '../../cloud-api/json/json-value';
import { placeholdersOf } from '../../cloud-api/template';
import { samplesIn } from '../../templates/rules/texts';

/** The variables of a text, in the order of their samples: numbers by value, names as they appear. */
export function variablesOf(text: string): string[] {
  const names = placeholdersOf(text);
  return names.every((name) => /^\d+$/.test(name))
    ? names.toSorted((one, other) => Number(one) - Number(other))
    : names;
}

/**
 * The samples of a text's variables, by name; empty if missing. Reads samples of numbered and of named variables, so
 * that a change from one to the other keeps them.
 * @param field of `example`: `body_text` or `header_text`
 */
export function samplesOf(component: Json | undefined, field: string, text: string): Map<string, string> {
  const example = isObject(component?.example) ? component.example : {};
  const named = objects(example[`${field}_named_params`]);
  const given = entries(example[field]);
  const inOrder = Array.isArray(given[0]) ? (given[0] as unknown[]) : given;
  return new Map(
    variablesOf(text).map((name, index) => {
      const own = named.find(({ param_name }) => param_name === name);
      const [sample] = own ? samplesIn(own.example) : samplesIn(inOrder[index]);
      return [name, sample ?? ''];
    }),
  );
}
