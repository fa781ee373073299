import { addressInAudit } from '../../store/tables/audit';
import { type RequestContext } from '../request-context';

/**
 * An address of a receiver: to operators with its path, which tells n8n's apart; without what follows, which may hold a
 * password. To viewers without the path as well: whoever knows that of n8n or Slack can write there.
 */
export function shownAddress({ user }: Pick<RequestContext, 'user'>, address: string): string {
  const url = URL.parse(address);
  return url && user?.role === 'operator' ? `${url.origin}${url.pathname}` : addressInAudit(address);
}

/** Enough of it to tell it from others; the path tells n8n's apart. */
export function shortAddress(context: Pick<RequestContext, 'user'>, address: string): string {
  const text = shownAddress(context, address).replace(/^https?:\/\//, '');
  return text.length > 60 ? `${text.slice(0, 36)}…${text.slice(-20)}` : text;
}
