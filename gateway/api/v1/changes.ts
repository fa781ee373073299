import { hash } from 'node:crypto';
import { preconditionFailed } from '../../errors';
import { type Store, type Tables } from '../../store/store';

/** The ETag of an object as GET shows it. */
export const tagOf = (object: object): string =>
  `"${hash('sha256', JSON.stringify(object), 'base64url').slice(0, 22)}"`;

/** Whether a header `If-Match` names the tag. */
const isMatch = (header: string, tag: string): boolean =>
  header.split(',').some((one) => ['*', tag].includes(one.trim()));

const ROLLED_BACK = Symbol('rolled back');

/**
 * A store whose changes are refused if the object has changed, and that rolls them back for a dry run. Use cases then
 * check and answer as usual.
 * @param ifMatch the header; undefined: any state
 * @param object the object as GET shows it, read within the transaction
 */
export function storeForChanges(
  store: Store,
  ifMatch: string | undefined,
  object: ((tables: Tables) => Promise<object>) | undefined,
  isDryRun: boolean,
): Store {
  if (ifMatch === undefined && !isDryRun) return store;
  let isChecked = false;
  return {
    ...store,
    async audited<T>(...[vault, at, actor, entry, change]: Parameters<typeof store.audited<T>>): Promise<T> {
      const result: { changed?: T } = {};
      const checked = async (tables: Tables): Promise<T> => {
        if (ifMatch !== undefined && object && !isChecked) {
          // Every other change waits for this lock or has committed, so the object stays as it is read.
          await tables.audit.lock();
          if (!isMatch(ifMatch, tagOf(await object(tables)))) throw preconditionFailed();
        }
        const changed = await change(tables);
        if (!isDryRun) return changed;
        result.changed = changed;
        throw ROLLED_BACK;
      };
      const changed = await store.audited<T>(vault, at, actor, entry, checked).catch((error: unknown) => {
        if (error !== ROLLED_BACK) throw error;
        return result.changed as T;
      });
      isChecked = true;
      return changed;
    },
  };
}
