import { type Store } from './store';
import { type RegistryChanges } from './processes/registry';

/** Keeps the copy of lines, tokens and destinations in memory up to date. */
export interface FollowedRegistry {
  /** Reads changes. Awaited after each change by this process, so that the change applies immediately. */
  refresh(): Promise<void>;
}

/**
 * Loads the registry, and reloads it when any process has changed it.
 * @param load reads the changes into memory; null: reads everything
 * @param onFailure called if the registry could not be read; memory stays as it was until the next check
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
    // The revision is read first, so that a concurrent change is loaded twice rather than missed.
    const revision = await store.registry.revision();
    if (revision !== loaded) await load(loaded < 0 ? null : await store.registry.changes(loaded, revision));
    loaded = revision;
    if (revision === told) return;
    await store.followed(revision);
    told = revision;
  }

  /**
   * Loads run one after the other, so that an older one never overwrites a newer one. Callers share a load that has
   * not begun.
   */
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
