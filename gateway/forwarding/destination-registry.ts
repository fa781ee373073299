import { type Store } from '../store/database';
import { openRows } from '../store/open-rows';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';
import { destinationOf, type Destination } from './destination';

/** All active destinations, in memory. Changes reach it through `load`. */
export type DestinationRegistry = ReturnType<typeof destinationRegistry>;

export function destinationRegistry(
  store: Store,
  vault: Vault,
  clock: Clock,
  log: { error(fields: object, message: string): void },
) {
  let isLoaded = false;
  let byId = new Map<number, Destination>();
  let byLine = new Map<number, Destination[]>();

  const hasExpired = ({ expiresAt }: Destination) => expiresAt !== null && expiresAt <= isoTime(clock());

  return {
    async load(): Promise<void> {
      const rows = await store.destinations.active(isoTime(clock()));
      const destinations = openRows(
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
      byId = new Map(destinations.map((destination) => [destination.id, destination]));
      byLine = Map.groupBy(destinations, ({ lineId }) => lineId);
    },

    /** Null for one that was removed or has expired. */
    byId(id: number): Destination | null {
      const destination = byId.get(id);
      return destination && !hasExpired(destination) ? destination : null;
    },

    ofLine: (lineId: number): Destination[] => (byLine.get(lineId) ?? []).filter((one) => !hasExpired(one)),

    /** The line's forwarding URL. */
    forwardingUrlOf: (lineId: number): Destination | null =>
      byLine.get(lineId)?.find(({ origin }) => origin === 'forwarding') ?? null,
  };
}
