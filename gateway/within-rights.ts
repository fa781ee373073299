import {
  destinationsWithin,
  type DestinationRegistry,
  type Destinations,
} from './forwarding/destination-registry';
import { linesWithin, type LineRegistry, type Lines } from './lines/line-registry';
import { type Rights } from './rights/grants';
import { type Permission } from './rights/roles';
import { type Store, type WholeStore } from './store/store';

/** What the gateway has of all customers. */
export interface WholeParts {
  store: WholeStore;
  lines: LineRegistry;
  destinations: DestinationRegistry;
}

/** The part of it that a reader may see. */
export interface SeenParts {
  store: Store;
  lines: Lines;
  destinations: Destinations;
}

/**
 * Narrows dependencies to what a reader may see with a permission.
 * @param lines the reader's lines with the permission, or some of them
 */
export function withinRights<Deps extends WholeParts>(
  whole: Deps,
  rights: Rights,
  permission: Permission,
  lines = rights.reach(permission),
): Omit<Deps, keyof WholeParts> & SeenParts {
  const customers = rights.customers(permission);
  return {
    ...whole,
    store: whole.store.within({
      lines,
      content: rights.reach('messages.read'),
      customers: customers === 'all' ? 'all' : [...customers],
    }),
    lines: linesWithin(whole.lines, lines),
    destinations: destinationsWithin(whole.destinations, lines),
  };
}
