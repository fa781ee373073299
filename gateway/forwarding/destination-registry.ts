import { reaching, type Reach } from '../rights/reach';
import { type Store } from '../store/store';
import { decryptRows } from '../store/processes/decrypt-rows';
import { type RegistryChanges } from '../store/processes/registry';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';
import { destinationOf, isOfQuestions, type Destination } from './destination';

/** All active destinations, in memory. Changes reach it through `load`. */
export type DestinationRegistry = ReturnType<typeof destinationRegistry>;

/** The destinations that a reader may see. */
export type Destinations = Pick<DestinationRegistry, 'byId' | 'ofLine' | 'forwardingUrlOf'>;

export function destinationsWithin(destinations: DestinationRegistry, reach: Reach): Destinations {
  if (reach === 'all') return destinations;
  const reaches = reaching(reach);
  const seen = (destination: Destination | null) =>
    destination && reaches(destination.lineId) ? destination : null;
  return {
    byId: (id) => seen(destinations.byId(id)),
    ofLine: (lineId) => (reaches(lineId) ? destinations.ofLine(lineId) : []),
    forwardingUrlOf: (lineId) => seen(destinations.forwardingUrlOf(lineId)),
  };
}

export function destinationRegistry(
  store: Store,
  vault: Vault,
  clock: Clock,
  log: { error(fields: object, message: string): void },
) {
  let isLoaded = false;
  const byId = new Map<number, Destination>();
  /** By line, in the order of their ids. */
  const byLine = new Map<number, Destination[]>();

  /** By line, the destinations that deliver answers to questions. */
  const ofQuestions = new Map<number, Destination[]>();

  function forget(id: number): void {
    const known = byId.get(id);
    if (!known) return;
    byId.delete(id);
    const lists = isOfQuestions(known) ? ofQuestions : byLine;
    lists.set(known.lineId, lists.get(known.lineId)?.filter((one) => one !== known) ?? []);
  }

  function add(destination: Destination): void {
    byId.set(destination.id, destination);
    const lists = isOfQuestions(destination) ? ofQuestions : byLine;
    const ofLine = lists.get(destination.lineId);
    if (!ofLine) return void lists.set(destination.lineId, [destination]);
    const place = ofLine.findLastIndex(({ id }) => id < destination.id) + 1;
    ofLine.splice(place, 0, destination);
  }

  const hasExpired = ({ expiresAt }: Destination) => expiresAt !== null && expiresAt <= isoTime(clock());

  return {
    /** @param changes the rows to read again; null for everything */
    async load(changes: RegistryChanges | null = null): Promise<void> {
      const rows = changes
        ? (await store.destinations.some(changes.destinations)).filter((row) => row.removed_at === null)
        : await store.destinations.active(isoTime(clock()));
      const destinations = decryptRows(
        rows,
        (row) => destinationOf(row, vault),
        isLoaded ? byId : null,
        (id, error) =>
          log.error(
            { error, destination: id },
            'the secrets of a destination cannot be opened: name the key that sealed them in GATEWAY_OLD_SECRET_KEYS, or give it another secret',
          ),
      );
      isLoaded = true;
      if (changes) changes.destinations.forEach(forget);
      else {
        byId.clear();
        byLine.clear();
        ofQuestions.clear();
      }
      destinations.forEach(add);
    },

    /** Null if the destination was removed or has expired. */
    byId(id: number): Destination | null {
      const destination = byId.get(id);
      return destination && !hasExpired(destination) ? destination : null;
    },

    /** The line's destinations, except those for answers to questions. */
    ofLine: (lineId: number): Destination[] => (byLine.get(lineId) ?? []).filter((one) => !hasExpired(one)),

    ofQuestions: (lineId: number): readonly Destination[] => ofQuestions.get(lineId) ?? [],

    /** Whether any destination groups messages until contacts pause. */
    someWait: (): boolean => [...byId.values()].some(({ quietSeconds }) => quietSeconds !== null),

    /** The line's forwarding URL. */
    forwardingUrlOf: (lineId: number): Destination | null =>
      byLine.get(lineId)?.find(({ origin }) => origin === 'forwarding') ?? null,
  };
}
