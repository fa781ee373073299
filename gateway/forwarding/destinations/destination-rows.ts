import { invalidField } from '../../errors';
import { type Said } from '../../wording/facts';
import { say } from '../../wording/say';
import { type DestinationRules } from '../../http/destination-address';
import { type Tables } from '../../store/store';
import { type FollowedRegistry } from '../../store/follow-registry';
import { type Vault } from '../../store/vault';
import { isoTime, isoTimeOrNull, SECOND, type Clock } from '../../time';
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
 * The database changes of the destination use cases beside this file. The use case opens the transaction, which also
 * writes the audit entry.
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
  /** The first token in the replacement chain of the line token that adds the destination. */
  tokenId?: number | null;
  /** The admin token that adds it. */
  adminTokenId?: number | null;
}

/**
 * Adds a destination to a line. It receives the events that arrive from then on.
 * @throws Refusal with all issues, by field
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
    admin_token_id: given.adminTokenId ?? null,
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

/** @returns null if there are none */
const sealedHeaders = (vault: Vault, headers: Record<string, string>): string | null =>
  Object.keys(headers).length ? vault.seal('destinations.headers', JSON.stringify(headers)) : null;

const RESUMED = { paused_at: null, paused_because: null, paused_fact: null };

/** Neither paused nor failing: the state of a URL without history. */
const UNKNOWN = { ...RESUMED, ...WORKS };

/** After this time every process has read the new URL. Attempts before it may still use the previous URL. */
const HEARD = 3 * SECOND;

/** The fields that change with the URL. The URL may be the current one. */
function changeOfAddress(now: number, before: string, url: string) {
  return {
    url,
    ...(url !== before && { url_changed_at: isoTime(now) }),
    ...UNKNOWN,
    try_now_at: isoTime(now + HEARD),
  };
}

/**
 * Sets a line's forwarding URL. The forwarding URL is the line's first destination, and keeps its queue when the URL
 * changes. Deliveries that wait for a retry are sent now.
 * @throws Refusal if the URL is not allowed, or is on another server while the destination has custom headers
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

/** Marks a destination as removed. The process that owns it then cancels its pending deliveries. */
export async function markRemoved(
  { store, registry, clock }: Omit<DestinationDeps, 'vault' | 'rules'>,
  id: number,
): Promise<void> {
  await store.destinations.remove(id, isoTime(clock()));
  await registry.refresh();
}

/** @param at the URL that failed: a destination whose URL has changed since is not paused */
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
 * Resumes a paused destination and sends its waiting events immediately (`makeDueNow`). A failing destination remains
 * marked as failing until it accepts an event, unless no event is waiting.
 */
export async function markResumed(deps: Omit<DestinationDeps, 'vault' | 'rules'>, id: number): Promise<void> {
  const waits = await deps.store.deliveries.waitsFor(id);
  await deps.store.destinations.update(id, waits ? RESUMED : UNKNOWN);
  await makeDueNow(deps, id);
}

/**
 * Called when the destination accepts a test event. Sends its waiting deliveries now; without any, the destination is
 * marked as working.
 */
export async function markRepaired(deps: TryNowDeps, id: number): Promise<void> {
  if (!(await deps.store.deliveries.waitsFor(id))) await deps.store.destinations.update(id, WORKS);
  await makeDueNow(deps, id);
}

/**
 * Changes a destination. A new URL also resumes it, and sends deliveries that wait for a retry now.
 * @throws Refusal with all issues, by field
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
      // An SQL update needs at least one column.
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

/**
 * Replaces a destination's secret. The previous secret also signs for `overlap`, and earlier ones until their own
 * expiry.
 * @param secret generated if omitted
 * @param overlap milliseconds; 0 (after a leak) makes all earlier secrets stop signing
 * @returns the new secret, which is shown only once
 */
export async function replaceSecret(
  { store, vault, registry, clock }: Omit<DestinationDeps, 'rules'>,
  id: number,
  secret: string | null,
  overlap: number,
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
