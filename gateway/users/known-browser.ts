import { type Vault } from '../store/vault';
import { DAY, type Clock } from '../time';
import { accountHash } from './account-name';
import { randomText } from './secret-text';

/**
 * A browser in which the user has logged in before, recognized by an encrypted cookie. Its failed log-ins are
 * counted separately, so that guesses from elsewhere don't lock the user out. The cookie grants no access.
 */
export interface KnownBrowser {
  id: string;
  /** Hashes of the names that logged in with this browser, latest first. */
  accounts: string[];
}

/** Most users remembered per browser. Several people may share one, for example at a counter. */
const MOST_ACCOUNTS = 10;

/** Decrypts the cookie; null if it is missing or invalid. */
export function openKnownBrowser(vault: Vault, sealed: string | undefined): KnownBrowser | null {
  if (sealed === undefined) return null;
  try {
    return JSON.parse(vault.open('panel.known_browser', sealed)) as KnownBrowser;
  } catch {
    // Forged, or sealed with a removed key: the browser counts as unknown.
    return null;
  }
}

/** @param known the browser's current cookie @returns the new cookie, which includes this user */
export const sealKnownBrowser = (vault: Vault, known: KnownBrowser | null, name: string): string => {
  const account = accountHash(name);
  const others = known?.accounts.filter((one) => one !== account) ?? [];
  return sealed(vault, { id: known?.id ?? randomText(), accounts: [account, ...others] });
};

const sealed = (vault: Vault, { id, accounts }: KnownBrowser): string =>
  vault.seal('panel.known_browser', JSON.stringify({ id, accounts: accounts.slice(0, MOST_ACCOUNTS) }));

const LINK_LIFE = DAY;

/** The content of a link that makes a browser known to an account. */
interface KnownLink extends KnownBrowser {
  /** Expiry, in milliseconds. */
  until: number;
}

export function sealKnownLink(vault: Vault, name: string, clock: Clock): string {
  const link: KnownLink = { id: randomText(), accounts: [accountHash(name)], until: clock() + LINK_LIFE };
  return vault.seal('panel.known_link', JSON.stringify(link));
}

/**
 * @param known the browser's current cookie, whose accounts are kept
 * @returns the new cookie; null if the link is invalid, has expired, or changes nothing
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
