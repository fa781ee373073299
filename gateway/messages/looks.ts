import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Grant } from '../rights/grants';
import { type AuditedLooks } from '../store/schema';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps } from '../store/with-audit';
import { HOUR, isoTime } from '../time';

/** Pages that show the messages of one contact, and lists. */
export type LookedAt = 'conversation' | 'message' | 'event' | 'file' | ListLookedAt;
type ListLookedAt = (typeof LISTS)[number];

const LISTS = ['conversations', 'messages', 'events', 'search', 'opt-outs', 'blocked', 'export'] as const;

/** What a page shows: a message of a line, from or to a contact. */
export interface Shown {
  line_id: number | null;
  contact: string | null;
}

interface LineOfCustomer {
  id: number;
  customerId: number | null;
  customerName: string | null;
  auditLooks: AuditedLooks;
}

interface Reader {
  id: number;
  grants: readonly Grant[];
}

/** Whether looks at the line by this user are recorded. */
const isAudited = ({ auditLooks }: LineOfCustomer, { grants }: Reader): boolean =>
  auditLooks === 'everybody' ||
  (auditLooks === 'agency' && grants.some(({ customerId }) => customerId === null));

/**
 * Records in the audits of customers that a user looks at messages: one entry per user, contact and hour, and for lists
 * one per user, list and hour. Call it before the page is sent: if this fails, the user sees nothing.
 */
export async function recordLook(
  deps: AuditedDeps & { lines: { byId(id: number): LineOfCustomer | null } },
  actor: Actor,
  reader: Reader,
  page: LookedAt,
  shown: readonly Shown[],
): Promise<void> {
  const looks = shown.flatMap(({ line_id: id, contact }) => {
    const line = id === null ? null : deps.lines.byId(id);
    return line && line.customerId !== null && isAudited(line, reader)
      ? [{ line, customerId: line.customerId, contact }]
      : [];
  });
  const isList = (LISTS as readonly string[]).includes(page);
  const kinds = Map.groupBy(looks, ({ line, customerId, contact }) => {
    if (isList) return `${customerId} ${page}`;
    return `${customerId} ${contact === null ? `${page} of ${line.id}` : fingerprintOf(deps, contact)}`;
  });
  const hour = isoTime(Math.floor(deps.clock() / HOUR) * HOUR);
  for (const [subject, [first]] of kinds) {
    if (!first) continue;
    const { line, customerId: id, contact } = first;
    const look = { user_id: reader.id, subject, hour };
    // Each export is recorded.
    const isRepeated = page === 'export';
    if (!isRepeated && (await deps.store.lookedAt.has(look))) continue;
    const details = {
      page,
      ...(isList && { customers: [line.customerName] }),
      ...(!isList && contact !== null && { contact: fingerprintOf(deps, contact) }),
    };
    const entry = {
      ...{ action: 'messages.looked', details, customers: [{ id }] },
      lineId: isList ? null : line.id,
    };
    await audited(
      deps,
      actor,
      (isNew) => (isNew || isRepeated ? entry : null),
      ({ store }) => store.lookedAt.add(look),
    );
  }
}

const fingerprintOf = ({ vault }: Pick<AuditedDeps, 'vault'>, contact: string): string =>
  vault.fingerprint(spellingsOf(contact)[0]);
