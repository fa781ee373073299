import { find } from './page';

/** Gives the token that this page shows to the API reference, which tries operations with it. */
export function giveToken(): void {
  const token = find('#token, #demo-token');
  if (!token) return;
  const tokens = new BroadcastChannel('token');
  tokens.onmessage = ({ data }) => data || tokens.postMessage(token.textContent);
}
