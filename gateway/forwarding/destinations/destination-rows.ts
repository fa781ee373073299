import { invalidField } from '../../errors';
import { type Said } from '../../wording/facts';
import { say } from '../../wording/say';
import { type DestinationRules } from '../../http/destination-address';
import { type Tables } from '../../store/store';
import { type FollowedRegistry } from '../../store/follow-registry';
import { type Vault } from '../../store/vault';
import { DAY, isoTime, isoTimeOrNull, SECOND, type Clock } from '../../time';
import {
  DEFAULT_EVENT_KINDS,
  destinationOf,
  MOST_PREVIOUS_SECRETS,
  stillSigning,
  type Destination,
} from '../destination';
import { WORKS } from '../queue/health';
import { createSecret } from '../signatures';
import { destinationInput, faultOfSecret, type DestinationInput } from './destination-input';
import { makeDueNow, type TryNowDeps } from './try-now';

/**
 * What the changes of a destination do in the database. They work inside the transaction that also writes the entry in
 * the audit; the use cases beside this file open it.
 */
export interface DestinationDeps {
  store: Pick<Tables, 'destinations' | 'deliveries'>;
  vault: Vault;
  rules: DestinationRules;
  registry: Pick<FollowedRegistry, 'refresh'>;
  clock: Clock;
}

export interface NewDestination extends DestinationInput {
  url: string;
  origin: Destination['origin'];
  /** The first of the tokens that have replaced each other, of the one that adds it. */
  tokenId?: number;
}

/**
 * Adds a destination to a line; events that come from now on go there.
 * @throws Refusal with all that is wrong, by field
 */
export async function insertDestination(
  deps: DestinationDeps,
  lineId: number,
  given: NewDestination,
): Promise<Destination> {
  const { store, vault, registry, clock } = deps;
  const values = destinationInput(deps.rules, given);
  const { url = given.url, headers = {}, expiresIn } = values;
  const now = clock();
  const row = await store.destinations.insert({
    line_id: lineId,
    url,
    secret_sealed: vault.seal('destinations.secret', values.secret ?? createSecret()),
    previous_secret_sealed: null,
    previous_secret_until: null,
    headers_sealed: sealedHeaders(vault, headers),
    origin: given.origin,
    token_id: given.tokenId ?? null,
    mode: values.mode ?? 'split',
    events: JSON.stringify(values.events ?? DEFAULT_EVENT_KINDS),
    quiet_seconds: values.quietSeconds ?? null,
    created_at: isoTime(now),
    expires_at: isoTimeOrNull(expiresIn ? now + expiresIn * SECOND : null),
    ...UNKNOWN,
    removed_at: null,
  });
  await registry.refresh();
  return destinationOf(row, vault);
}

/** @returns null where there are none */
const sealedHeaders = (vault: Vault, headers: Record<string, string>): string | null =>
  Object.keys(headers).length ? vault.seal('destinations.headers', JSON.stringify(headers)) : null;

const RESUMED = { paused_at: null, paused_because: null, paused_fact: null };

/** Neither paused nor known to fail: so is an address of which nothing is known. */
const UNKNOWN = { ...RESUMED, ...WORKS };

/** By then every process has heard of another address: what goes out before still goes to the one before. */
const HEARD = 3 * SECOND;

/** What follows from giving a destination this address, which may be the one that it has. */
function changeOfAddress(now: number, before: string, url: string) {
  return {
    url,
    ...(url !== before && { url_changed_at: isoTime(now) }),
    ...UNKNOWN,
    try_now_at: isoTime(now + HEARD),
  };
}

/**
 * Sets a line's forwarding URL: the first of its destinations, which keeps its queue when its address changes. What
 * waits for a later attempt is sent now.
 * @throws Refusal for an address that may not be called, or one at another server if the destination has headers
 */
export async function setForwardingUrl(
  deps: DestinationDeps,
  lineId: number,
  current: Destination | null,
  { url, secret }: { url: string; secret: string | null },
): Promise<Destination> {
  if (!current) return insertDestination(deps, lineId, { url, secret, origin: 'forwarding' });
  const row = await deps.store.destinations.find(current.id);
  const address = destinationInput(deps.rules, { url, secret }, row).url ?? url;
  const change = {
    ...changeOfAddress(deps.clock(), current.url, address),
    ...(secret !== null && {
      secret_sealed: deps.vault.seal('destinations.secret', secret),
      previous_secret_sealed: null,
      previous_secret_until: null,
    }),
  };
  await deps.store.destinations.update(current.id, change);
  await deps.store.deliveries.makeDueBy(current.id, change.try_now_at);
  await deps.registry.refresh();
  return {
    ...current,
    url: change.url,
    ...(secret !== null && { secret, previousSecrets: [] }),
    pausedAt: null,
    pausedBecause: null,
    failingSince: null,
    lastFailure: null,
    lastTriedAt: null,
    failingSeconds: 0,
    tryNowAt: change.try_now_at,
  };
}

/** Removes it. What was still to be delivered there is canceled after that, by the gateway that sends to it. */
export async function markRemoved(
  { store, registry, clock }: Omit<DestinationDeps, 'vault' | 'rules'>,
  id: number,
): Promise<void> {
  await store.destinations.remove(id, isoTime(clock()));
  await registry.refresh();
}

/** @param at the address that gives the reason: where it has another by now it goes on */
export async function markPaused(
  { store, registry, clock }: Omit<DestinationDeps, 'vault' | 'rules'>,
  id: number,
  reason: Said,
  at?: string,
): Promise<void> {
  const paused = {
    paused_at: isoTime(clock()),
    paused_because: say('en', reason),
    paused_fact: typeof reason === 'string' ? null : JSON.stringify(reason),
  };
  await store.destinations.updateBy(id, ({ url }) => (url === (at ?? url) ? paused : { url }));
  await registry.refresh();
}

/**
 * Lets a paused destination go on, with all that has waited for it, at once (`makeDueNow`). Whether it accepts anything
 * by now is not known: where it failed before, that stands until it does, or nothing waits that could show it.
 */
export async function markResumed(deps: Omit<DestinationDeps, 'vault' | 'rules'>, id: number): Promise<void> {
  const waits = await deps.store.deliveries.waitsFor(id);
  await deps.store.destinations.update(id, waits ? RESUMED : UNKNOWN);
  await makeDueNow(deps, id);
}

/** It has accepted a test: what waits goes out at once, which shows whether it accepts that too; else it works. */
export async function markRepaired(deps: TryNowDeps, id: number): Promise<void> {
  if (!(await deps.store.deliveries.waitsFor(id))) await deps.store.destinations.update(id, WORKS);
  await makeDueNow(deps, id);
}

/**
 * Changes a destination. Where it gets an address it also goes on, and what waits for a later attempt is sent now.
 * @throws Refusal with all that is wrong, by field
 */
export async function updateDestination(
  { store, vault, rules, registry, clock }: DestinationDeps,
  id: number,
  given: DestinationInput,
): Promise<void> {
  const now = clock();
  await store.destinations.updateBy(id, (row) => {
    const { url, events, mode, quietSeconds, headers } = destinationInput(rules, given, row);
    return {
      // An update has to change something.
      ...(url === undefined ? { url: row.url } : changeOfAddress(now, row.url, url)),
      ...(events && { events: JSON.stringify(events) }),
      ...(mode && { mode }),
      ...(quietSeconds !== undefined && { quiet_seconds: quietSeconds }),
      ...(headers && { headers_sealed: sealedHeaders(vault, headers) }),
    };
  });
  if (given.url !== undefined) await store.deliveries.makeDueBy(id, isoTime(now + HEARD));
  await registry.refresh();
}

/** How long a secret that is replaced signs as well where nothing else is said. */
export const SECRET_OVERLAP = DAY;

/**
 * Gives a destination another secret. The one before goes on signing beside it for a while, as do those before that one
 * for as long as each was given.
 * @param secret one is made where none is given
 * @param overlap milliseconds; 0 after a theft: no secret from before signs any longer
 * @returns the new secret, which is told here and never again
 */
export async function replaceSecret(
  { store, vault, registry, clock }: Omit<DestinationDeps, 'rules'>,
  id: number,
  secret: string | null,
  overlap: number = SECRET_OVERLAP,
): Promise<string> {
  const fresh = secret ?? createSecret();
  const fault = faultOfSecret(fresh);
  if (fault !== null) throw invalidField('secret', 'secret', fault);
  const now = clock();
  await store.destinations.updateBy(id, (row) => {
    const before = destinationOf(row, vault);
    const replaced = { secret: before.secret, until: isoTime(now + overlap) };
    const previous = [replaced, ...stillSigning(before, now)].slice(0, MOST_PREVIOUS_SECRETS);
    return {
      secret_sealed: vault.seal('destinations.secret', fresh),
      previous_secret_sealed:
        overlap > 0 ? vault.seal('destinations.secret', JSON.stringify(previous)) : null,
      previous_secret_until: null,
    };
  });
  await registry.refresh();
  return fresh;
}
