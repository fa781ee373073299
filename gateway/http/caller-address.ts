import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The address that a request comes from: that of the connection, or the one that a trusted proxy names
 * (`GATEWAY_TRUSTED_PROXIES`).
 */
export const callerAddress = ({ ip, socket }: { ip: string; socket: { remoteAddress?: string } }): string =>
  isIP(ip) ? ip : (socket.remoteAddress ?? '');

/**
 * Under what a caller is counted: an IPv4 address itself, also where it is written as IPv6; of an IPv6 address its
 * /64, because that is what one subscriber has.
 */
export function rateLimitKey(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
