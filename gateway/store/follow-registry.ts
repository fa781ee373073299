import { type Store } from './store';
import { type RegistryChanges } from './processes/registry';

/** Keeps lines, tokens and destinations in memory the same as in the database. */
export interface FollowedRegistry {
  /** Reads the changes. Awaited after each change of this process, so that it applies at once. */
  refresh(): Promise<void>;
}

/**
 * Loads the registry, and again whenever this or another process has changed something.
 * @param load reads the changes into memory, or everything if they are unknown (null)
 * @param onFailure called if the registry could not be read; memory then stays as it was until the next check
 */
export async function followRegistry(
  store: Store,
  load: (changes: RegistryChanges | null) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<FollowedRegistry> {
  let loaded = -1;
  /** Revision up to which waiting callers were notified. */
  let told = -1;
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;

  async function loadIfChanged(): Promise<void> {
    // Reads the revision first: a change in between is loaded twice rather than missed.
    const revision = await store.registry.revision();
    if (revision !== loaded) await load(loaded < 0 ? null : await store.registry.changes(loaded, revision));
    loaded = revision;
    if (revision === told) return;
    await store.followed(revision);
    told = revision;
  }

  /** One load after the other, so that an older one never replaces a newer one. Callers share a load that has not begun. */
  function refresh(): Promise<void> {
    if (waiting) return waiting;
    const next = running.then(() => {
      waiting = null;
      return loadIfChanged();
    });
    waiting = next;
    running = next.catch(() => undefined);
    return next;
  }

  await refresh();
  store.listen(() => void refresh().catch(onFailure));
  return { refresh };
}
