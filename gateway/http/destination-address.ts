import { isIP, type LookupFunction } from 'node:net';
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import ipaddr from 'ipaddr.js';
import { LruCache } from '../primitives/lru-cache';
import { semaphore } from '../primitives/semaphore';
import { SECOND } from '../time';
import { fact, type Fact } from '../wording/facts';
import { say } from '../wording/say';

/**
 * Rules for addresses that the gateway may call. Everything except public unicast addresses is refused, unless the
 * operator's allow list (`GATEWAY_ALLOW_DESTINATIONS`) contains the host or a network with the address, with or
 * without the port.
 */
export interface DestinationRules {
  /**
   * Why a URL may not be called; null if it may. Checks everything possible without DNS: scheme, port, literal
   * address.
   */
  refuseUrl(url: URL): Fact | null;
  /**
   * Why a connection to an address is not allowed for this host and port; null if it is. @param port null for any
   * port without its own rule
   */
  refuseAddress(address: string, host: string, port?: number | null): Fact | null;
  /**
   * A DNS look-up that fails if any of the host's addresses is not allowed.
   * @param port null for any port that the allow list does not contain
   */
  lookupAt(port: number | null): LookupFunction;
  /** The ports in the allow list. */
  ports: ReadonlySet<number>;
}

/** Thrown if a connection would leave the public network. Callers recognise it by name. */
export class AddressRefused extends Error {
  override name = 'AddressRefused';

  /** @param address the refused address */
  constructor(
    readonly because: Fact,
    readonly address: string,
  ) {
    super(say('en', because));
  }
}

/**
 * Networks that ipaddr.js classifies as unicast but that are no valid destinations: anycast relays, AS112, direct
 * delegation, a cloud's host agent, and IPv6 forms that embed an IPv4 address or lead nowhere.
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

/** The result for sockets' addresses, which repeat. */
const publicity = new LruCache<boolean>(1_000);

/** Whether a socket's address is public. */
export function isPublicAddress(text: string): boolean {
  const isKnown = publicity.get(text);
  if (isKnown !== undefined) return isKnown;
  const isOne = ipaddr.isValid(text) && isPublic(ipaddr.process(text));
  publicity.set(text, isOne);
  return isOne;
}

/** A host for comparison: without the brackets of an IPv6 address, and without a final dot. */
const plain = (host: string): string => host.replace(/^\[|\]$|\.$/g, '').toLowerCase();

/** The network of an allow list entry; an address is a network of one. Null for a host name. */
function networkOf(entry: string): Network | null {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (!isIP(entry)) return null;
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

type Resolved = (error: Error | null, addresses: LookupAddress[]) => void;
/** The system's resolver, which uses the hosts file as well as DNS. */
type Resolve = (host: string, options: LookupAllOptions, done: Resolved) => void;

/** A name server that takes longer may be silent for half a minute. */
const SLOW = 2 * SECOND;

/** The number of names whose last look-up time is remembered. */
const MOST_KNOWN = 10_000;

/**
 * Runs one look-up per name at a time, for all connections that wait for it. Each look-up occupies a thread
 * (`main.ts`), for half a minute if the name server is silent. So names that were quick, names that were slow, and
 * new names have separate threads, together 56 of the 64; the rest is for the platform and the database.
 */
function onceAtATime(resolve: Resolve): Resolve {
  const asked = new Map<string, Resolved[]>();
  const limits = { quick: semaphore(24), unknown: semaphore(24), slow: semaphore(8) };
  /** Least recently looked up first. */
  const known = new Map<string, 'quick' | 'slow'>();

  function learn(host: string, took: number): void {
    known.delete(host);
    known.set(host, took < SLOW ? 'quick' : 'slow');
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  return (host, options, done) => {
    const key = JSON.stringify([host, options.family, options.hints, options.order, options.verbatim]);
    const waiting = asked.get(key);
    if (waiting) {
      waiting.push(done);
      return;
    }
    const all = [done];
    asked.set(key, all);
    const answer = () =>
      new Promise<void>((answered) => {
        const began = performance.now();
        resolve(host, options, (error, addresses) => {
          learn(host, performance.now() - began);
          asked.delete(key);
          answered();
          for (const one of all) one(error, addresses);
        });
      });
    void limits[known.get(host) ?? 'unknown'].run(answer);
  };
}

/** Splits an allow list entry: a host or a network, and the port allowed there; null for every port. */
export function splitEntry(entry: string): { place: string; port: number | null } {
  const [, place, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(entry) ?? [];
  return place === undefined ? { place: entry, port: null } : { place, port: Number(port) };
}

/** Shared by all rules, because all names share the threads. */
const systemLookup = onceAtATime(lookup);

const LONGEST_URL = 2048;

/** How an operator allows an address. Never repeats existing entries, because tokens see this sentence too. */
export const howToAllow = (url: URL): Fact =>
  fact('address.allow', { entry: entryOf(plain(url.hostname), portOf(url)) });

/** The narrowest allow list entry for it: `n8n:5678`, `[fd00::5]:5678`. */
function entryOf(host: string, port: number | null): string {
  const place = isIP(host) === 6 ? `[${host}]` : host;
  return port === null ? place : `${place}:${port}`;
}

/**
 * @param allowed host names, addresses and CIDR networks, each with or without a port
 * @param isForOperators whether readers can change the allow list
 */
export function destinationRules(
  allowed: string[],
  resolve?: Resolve,
  isForOperators = true,
): DestinationRules {
  const entries = allowed.map(splitEntry).map(({ place, port }) => {
    const name = plain(place);
    return { name, network: networkOf(name), port };
  });
  const ports = new Set(entries.flatMap(({ port }) => port ?? []));

  function refuseAddress(text: string, host: string, port: number | null = null): Fact | null {
    const opened = entries.filter((entry) => entry.port === null || entry.port === port);
    const named = plain(host);
    if (opened.some(({ name, network }) => network === null && name === named)) return null;
    if (!ipaddr.isValid(text)) return fact('address.invalid', { address: text });
    const address = ipaddr.process(text);
    if (isPublic(address) || opened.some(({ network }) => network && within(address, network))) return null;
    return fact('address.private', {
      place: named === text ? text : `${host} (${text})`,
      entry: isForOperators ? entryOf(named, port) : null,
    });
  }

  function refuseUrl(url: URL): Fact | null {
    if (url.href.length > LONGEST_URL) return fact('url.long', { most: LONGEST_URL });
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      return fact('url.scheme', { scheme: url.protocol });
    if (url.username || url.password) return fact('url.user', {});
    const host = plain(url.hostname);
    const port = portOf(url);
    if (isIP(host)) return refuseAddress(host, host, port);
    const local = host === 'localhost' || host.endsWith('.localhost');
    return local ? refuseAddress('127.0.0.1', host, port) : null;
  }

  const addressesOf = resolve ? onceAtATime(resolve) : systemLookup;
  const lookupAt =
    (port: number | null): LookupFunction =>
    (host, options, done) => {
      addressesOf(host, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, '', 0);
        for (const { address } of addresses) {
          const reason = refuseAddress(address, host, port);
          if (reason !== null) return done(new AddressRefused(reason, address), '', 0);
        }
        if (options.all) return done(null, addresses);
        const [first] = addresses;
        return first
          ? done(null, first.address, first.family)
          : done(new Error(`${host} has no address`), '', 0);
      });
    };

  return {
    refuseUrl,
    refuseAddress,
    lookupAt,
    ports,
  };
}

/** The port of a URL, including a protocol's default port. */
export const portOf = ({ port, protocol }: { port: string; protocol: string }): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80);
