import { type Store } from '../store/store';
import { type LinkRow } from '../store/tables/sessions';
import { DAY, isoTime, type Clock } from '../time';
import { hashOfText, randomText } from './secret-text';

/** The lifetime of a one-time link. */
const LINK_LIFE = DAY;

interface LinkDeps {
  store: Pick<Store, 'links'>;
  clock: Clock;
}

/**
 * @param userId whose password the link sets; null: the link sets up the first user @returns the link's key
 */
export async function createLink({ store, clock }: LinkDeps, userId: number | null): Promise<string> {
  const key = randomText();
  const now = clock();
  await store.links.removeExpired(isoTime(now));
  await store.links.insert({
    hash: hashOfText(key),
    user_id: userId,
    created_at: isoTime(now),
    expires_at: isoTime(now + LINK_LIFE),
  });
  return key;
}

/** Finds a link by its key; null if the link is used, expired or unknown. */
export const findLink = ({ store, clock }: LinkDeps, key: string): Promise<LinkRow | null> =>
  store.links.find(hashOfText(key), isoTime(clock()));
