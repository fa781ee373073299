import { hash } from 'node:crypto';
import { preconditionFailed } from '../../errors';
import { type Store, type Tables } from '../../store/store';

/** The ETag of an object as GET shows it. */
export const tagOf = (object: object): string =>
  `"${hash('sha256', JSON.stringify(object), 'base64url').slice(0, 22)}"`;

/** @param ifMatch the header @param object as GET shows it; null if there is none @throws Refusal */
export function refuseChanged(ifMatch: string, object: object | null): void {
  const tag = object && tagOf(object);
  if (!tag || !ifMatch.split(',').some((one) => ['*', tag].includes(one.trim()))) throw preconditionFailed();
}

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
  object: ((tables: Tables) => Promise<object | null>) | undefined,
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
          refuseChanged(ifMatch, await object(tables));
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
