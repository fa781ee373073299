import { invalidPayload, tokenNotPermitted, type Refusal } from '../../errors';

/** Names of fields in a request, by the names that use cases have for them. */
export type FieldNames = Readonly<Record<string, string>>;

/** A refusal of a use case in the words of this API: with the fields of the request, and of a token instead of a user. */
export function refusedHere(error: Refusal, fields: FieldNames = {}): Refusal {
  if (error.errorCode === 'not_permitted') return tokenNotPermitted();
  const names = new Map(Object.entries(fields));
  if (!error.issues?.some(({ path }) => names.has(path))) return error;
  return invalidPayload(
    error.issues.map((issue) => {
      const path = names.get(issue.path) ?? issue.path;
      return { ...issue, path, message: issue.message.replace(`${issue.path}: `, `${path}: `) };
    }),
  );
}
