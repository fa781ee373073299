import { type CloudApi, type ForwardedRequest } from '../cloud-api/client';
import { isOutcomeUnknown, UpstreamRefused, UpstreamSilent } from '../cloud-api/failures';
import { accessTokenOf, type Line } from '../lines/line';
import { semaphore } from '../primitives/semaphore';
import { type Store } from '../store/store';
import { type Actor, type AuditEntry } from '../store/tables/audit';
import { audited, type AuditedDeps } from '../store/with-audit';
import { isoTime, type Clock } from '../time';

export interface PlatformChangeDeps extends AuditedDeps {
  cloudApi: Pick<CloudApi, 'forward'>;
}

/** A change of something that the platform manages, as a customer's request. */
export interface PlatformChange extends ForwardedRequest {
  /** The audit entry, which contains no secret such as a PIN. */
  entry: AuditEntry;
}

/** A change that the gateway neither checks nor follows up. */
export interface PlainChange extends ForwardedRequest {
  /** The fields that the request sets, for the audit entry, which has no values. */
  names: string[];
}

/** Makes a change. @returns the platform's answer @throws the errors of every call, and Refusal */
export type ChangeAtPlatform = (actor: Actor, line: Line, change: PlatformChange) => Promise<string>;

/**
 * Changes at the platform are made one at a time for each business account, and never again after a time-out, because
 * the platform may have made them. Those that it made or may have made are audited.
 */
export function changesAtPlatform(deps: PlatformChangeDeps): ChangeAtPlatform {
  const turns = new Map<string, ReturnType<typeof semaphore>>();

  async function inTurn<T>(wabaId: string, work: () => Promise<T>): Promise<T> {
    const turn = turns.get(wabaId) ?? semaphore(1);
    turns.set(wabaId, turn);
    try {
      return await turn.run(work);
    } finally {
      if (!turn.waiting() && turns.get(wabaId) === turn) turns.delete(wabaId);
    }
  }

  return async (actor, line, { entry, ...request }) => {
    const accessToken = accessTokenOf(line);
    const record = (result?: 'unknown') => {
      const details = { ...entry.details, ...(result && { result }) };
      return audited(deps, actor, { lineId: line.id, ...entry, details }, async () => {});
    };
    return inTurn(line.wabaId, async () => {
      const answer = await deps.cloudApi.forward(request, accessToken).catch(async (error: unknown) => {
        if (!isSilence(error)) throw error;
        const silent = new UpstreamSilent('The platform did not answer', { cause: error });
        silent.said = {
          happened: 'The platform was asked to make this change and did not answer. It may have made it.',
          action: 'Read it from the platform before you ask again.',
        };
        await record('unknown');
        throw silent;
      });
      await record();
      return answer;
    });
  };
}

/** Whether the platform may have made the change: it did not answer, or a proxy answered in its place. */
const isSilence = (error: unknown): boolean =>
  error instanceof UpstreamSilent || (error instanceof UpstreamRefused && isOutcomeUnknown(error.answer));

export interface PlainChangeDeps {
  changeAtPlatform: ChangeAtPlatform;
  store: { lines: Pick<Store['lines'], 'wantRefresh'> };
  clock: Clock;
}

/** Changes that the status or the checks of a line show: of the number itself, its registration and subscription. */
const IS_SHOWN = /^[^/]+(\/(register|deregister|verify_code|subscribed_apps))?$/;

/** Makes a change of which the audit entry has the request and the names of its fields. */
export async function forwardChange(
  { changeAtPlatform, store, clock }: PlainChangeDeps,
  actor: Actor,
  line: Line,
  { names, ...request }: PlainChange,
): Promise<string> {
  const { method, path, query } = request;
  const fields = [...Object.keys(query), ...names].filter((name) => name !== 'messaging_product');
  const answer = await changeAtPlatform(actor, line, {
    ...request,
    entry: {
      action: 'platform.changed',
      details: { request: `${method.toUpperCase()} /${path}`, ...(fields.length && { fields }) },
    },
  });
  if (IS_SHOWN.test(path))
    for (const of of ['status', 'checks'] as const)
      await store.lines.wantRefresh([line.id], of, isoTime(clock()));
  return answer;
}
