import { type Vault } from '../store/vault';
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
  const accounts = [account, ...others].slice(0, MOST_ACCOUNTS);
  return vault.seal('panel.known_browser', JSON.stringify({ id: known?.id ?? randomText(), accounts }));
};
