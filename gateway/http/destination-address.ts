import { type LookupFunction } from 'node:net';
import { lookup } from 'node:dns';
import ipaddr from 'ipaddr.js';

/**
 * Which addresses may be called. Everything that is not a public unicast address is refused, unless the operator's
 * allow list (`GATEWAY_ALLOW_DESTINATIONS`) names the host or a network that holds the address.
 */
export interface DestinationRules {
  /** Says why a URL may not be called, or null. Judges what can be judged without DNS: scheme, port, literal address. */
  refuseUrl(url: URL): string | null;
  /** Says why an address may not be connected to for this host, or null. */
  refuseAddress(address: string, host: string): string | null;
  /** A DNS look-up that yields only addresses that may be connected to; fails when one of a host's addresses may not. */
  lookup: LookupFunction;
}

/** Thrown, by name, where a connection would have left the public network. */
export class AddressRefused extends Error {
  override name = 'AddressRefused';
}

/**
 * Networks that ipaddr.js calls unicast, and that are nonetheless no place to send events to: anycast relays, AS112,
 * direct delegation, a cloud's host agent, and the IPv6 forms that embed an IPv4 address or lead nowhere.
 */
const NOT_PUBLIC = [
  '192.88.99.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.175.48.0/24',
  '168.63.129.16/32',
  '2001::/23',
  '2002::/16',
  '3fff::/20',
  '2620:4f:8000::/48',
].map((network) => ipaddr.parseCIDR(network));

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

type Network = ReturnType<typeof ipaddr.parseCIDR>;

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv6' && !within(address, GLOBAL_UNICAST_V6)) return false;
  return !NOT_PUBLIC.some((network) => within(address, network));
}

const unbracketed = (host: string): string => host.replace(/^\[|\]$/g, '').toLowerCase();

/** @param allowed host names, addresses and CIDR networks, in lower case. */
export function destinationRules(allowed: string[]): DestinationRules {
  const networks = allowed
    .filter((entry) => ipaddr.isValidCIDR(entry))
    .map((entry) => ipaddr.parseCIDR(entry));
  const hosts = new Set(allowed.filter((entry) => !ipaddr.isValidCIDR(entry)).map(unbracketed));

  function refuseAddress(text: string, host: string): string | null {
    if (hosts.has(unbracketed(host)) || hosts.has(unbracketed(text))) return null;
    if (!ipaddr.isValid(text)) return `${text} is not an address.`;
    const address = ipaddr.process(text);
    if (isPublic(address) || networks.some((network) => within(address, network))) return null;
    const named = unbracketed(host) === text ? text : `${host} (${text})`;
    return `${named} is not a public address. If it is a machine of yours, name it in GATEWAY_ALLOW_DESTINATIONS.`;
  }

  function refuseUrl(url: URL): string | null {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      return `A destination starts with https:// or http://, not ${url.protocol}//`;
    }
    if (url.username || url.password)
      return 'A destination holds no user name or password. Use a custom header.';
    const host = unbracketed(url.hostname);
    if (ipaddr.isValid(host)) return refuseAddress(host, host);
    const local = host === 'localhost' || host.endsWith('.localhost');
    return local && !hosts.has(host) && !allowsLoopback() ? refuseAddress('127.0.0.1', host) : null;
  }

  const allowsLoopback = () => refuseAddress('127.0.0.1', '127.0.0.1') === null;

  const checkedLookup: LookupFunction = (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      const refused = addresses
        .map(({ address }) => refuseAddress(address, host))
        .find((reason) => reason !== null);
      if (refused) return done(new AddressRefused(refused), '', 0);
      if (options.all) return done(null, addresses);
      const [first] = addresses;
      return first
        ? done(null, first.address, first.family)
        : done(new Error(`${host} has no address`), '', 0);
    });
  };

  return { refuseUrl, refuseAddress, lookup: checkedLookup };
}
