import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The client's address: that of the connection, or the one reported by a trusted proxy (`GATEWAY_TRUSTED_PROXIES`).
 */
export const callerAddress = ({ ip, socket }: { ip: string; socket: { remoteAddress?: string } }): string =>
  isIP(ip) ? ip : (socket.remoteAddress ?? '');

/**
 * The key for counting a client: an IPv4 address, even if written as IPv6; for an IPv6 address its /64, which one
 * subscriber has.
 */
export function rateLimitKey(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
