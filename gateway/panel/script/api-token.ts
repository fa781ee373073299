import { find } from './page';

/** Passes the token on this page to the API reference, which sends test requests with it. */
export function giveToken(): void {
  const token = find('#token, #demo-token');
  if (!token) return;
  const tokens = new BroadcastChannel('token');
  tokens.onmessage = ({ data }) => data || tokens.postMessage(token.textContent);
}
