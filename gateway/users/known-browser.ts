import { type Vault } from '../store/vault';
import { DAY, type Clock } from '../time';
import { accountHash } from './account-name';
import { randomText } from './secret-text';

/**
 * A browser in which somebody has logged in before. It keeps it in a cookie, sealed: whoever guesses elsewhere uses up
 * nothing of this browser's own guesses. The cookie opens nothing else: whoever steals it may guess as often as before.
 */
export interface KnownBrowser {
  id: string;
  /** Hashes of the names that logged in there, the latest first. */
  accounts: string[];
}

/** People who share a browser, as at a counter. */
const MOST_ACCOUNTS = 10;

/** The browser, from what its cookie holds; null where the gateway did not make that. */
export function openKnownBrowser(vault: Vault, sealed: string | undefined): KnownBrowser | null {
  if (sealed === undefined) return null;
  try {
    return JSON.parse(vault.open('panel.known_browser', sealed)) as KnownBrowser;
  } catch {
    // Made up, or sealed with a key that is gone: a browser like any other.
    return null;
  }
}

/** @param known what the browser held before @returns what its cookie holds once that user has logged in there */
export const sealKnownBrowser = (vault: Vault, known: KnownBrowser | null, name: string): string => {
  const account = accountHash(name);
  const others = known?.accounts.filter((one) => one !== account) ?? [];
  return sealed(vault, { id: known?.id ?? randomText(), accounts: [account, ...others] });
};

const sealed = (vault: Vault, { id, accounts }: KnownBrowser): string =>
  vault.seal('panel.known_browser', JSON.stringify({ id, accounts: accounts.slice(0, MOST_ACCOUNTS) }));

const LINK_LIFE = DAY;

/** What a link holds that makes the browser which opens it known to an account. */
interface KnownLink extends KnownBrowser {
  /** Milliseconds. */
  until: number;
}

export function sealKnownLink(vault: Vault, name: string, clock: Clock): string {
  const link: KnownLink = { id: randomText(), accounts: [accountHash(name)], until: clock() + LINK_LIFE };
  return vault.seal('panel.known_link', JSON.stringify(link));
}

/**
 * @param known what the browser held before: its own accounts stay
 * @returns what its cookie holds once the link is opened there; null if the link changes nothing, or is none, or too old
 */
export function openKnownLink(
  vault: Vault,
  link: string,
  known: KnownBrowser | null,
  clock: Clock,
): string | null {
  try {
    const { id, accounts, until } = JSON.parse(vault.open('panel.known_link', link)) as KnownLink;
    const before = known?.accounts ?? [];
    const added = accounts.filter((account) => !before.includes(account));
    if (until < clock() || !added.length) return null;
    return sealed(vault, { id: known?.id ?? id, accounts: [...before, ...added] });
  } catch {
    return null;
  }
}
