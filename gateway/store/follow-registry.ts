import { type Store } from './store';
import { type RegistryChanges } from './processes/registry';

/** Keeps what is in memory of lines, tokens and destinations the same as in the database. */
export interface FollowedRegistry {
  /** Reads again what has changed. Awaited after a change of one's own, so that it counts at once. */
  refresh(): Promise<void>;
}

/**
 * Loads once, and again whenever this or another process has changed something.
 * @param load reads the registry into memory: what has changed, or all of it where that is not known (null)
 * @param onFailure told when it could not be read; what is in memory then stays as it was until the next glance
 */
export async function followRegistry(
  store: Store,
  load: (changes: RegistryChanges | null) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<FollowedRegistry> {
  let loaded = -1;
  /** Which of them those who wait for it have been told of. */
  let told = -1;
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;

  async function loadIfChanged(): Promise<void> {
    // The revision is read first: a change that comes in between is loaded twice rather than missed.
    const revision = await store.registry.revision();
    if (revision !== loaded) await load(loaded < 0 ? null : await store.registry.changes(loaded, revision));
    loaded = revision;
    if (revision === told) return;
    await store.followed(revision);
    told = revision;
  }

  /** One after the other, so that an older reading never replaces a newer one; one that has not begun serves all. */
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
