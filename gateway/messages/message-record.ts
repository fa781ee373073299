import { failureReason } from '../cloud-api/failure-reasons';
import { type MessageRow } from '../store/tables/messages';

/** The states of a message, in order. */
export const REACHED = ['accepted', 'sent', 'delivered', 'read', 'played'] as const;

export type MessageState = (typeof REACHED)[number] | 'failed';

export const MESSAGE_STATES: MessageState[] = [...REACHED, 'failed'];

/**
 * The state of a message: the furthest reached, in any order of statuses. A failed message is `failed` unless a
 * status reports its delivery anyway, for example if only one of the contact's devices refused it. The failure is
 * reported in both cases.
 */
export function messageState(row: MessageRow): MessageState {
  const furthest = REACHED.findLast((state) => row[`${state}_at`] !== null) ?? 'accepted';
  const isDelivered = REACHED.indexOf(furthest) >= REACHED.indexOf('delivered');
  return row.failed_at !== null && !isDelivered ? 'failed' : furthest;
}

/**
 * Why a message failed; null if it did not. `code` is the platform's integer, or null; `errors` are the platform's,
 * unchanged.
 */
export function messageFailure(row: MessageRow) {
  if (row.failed_at === null) return null;
  const errors = row.failure === null ? [] : (JSON.parse(row.failure) as unknown[]);
  const code = errors.map(codeOf).find((one) => one !== null) ?? null;
  const { word, reason, action } = failureReason(code, errors);
  return { error_code: word, code, reason, action, errors };
}

function codeOf(error: unknown): number | null {
  const { code } = (error ?? {}) as { code?: unknown };
  const number = typeof code === 'string' && code !== '' ? Number(code) : code;
  return Number.isInteger(number) ? (number as number) : null;
}
