import { type Line } from '../../lines/line';
import { type LineRegistry } from '../../lines/line-registry';

/** A business account to which drafts are submitted. */
export interface DraftAccount {
  wabaId: string;
  /** The customer's lines on it, in the order in which they were added. */
  lines: Line[];
  /** The line whose access token is used: an active one if possible. Null if none has an access token. */
  acting: Line | null;
}

/** The business accounts of a customer's lines. @param customerId null: of the lines without a customer */
export function draftAccounts(lines: Pick<LineRegistry, 'all'>, customerId: number | null): DraftAccount[] {
  const own = lines.all().filter((line) => line.customerId === customerId);
  return [...Map.groupBy(own, ({ wabaId }) => wabaId)].map(([wabaId, some]) => {
    const able = some.filter(({ accessToken }) => accessToken !== null);
    return { wabaId, lines: some, acting: able.find(({ isActive }) => isActive) ?? able[0] ?? null };
  });
}
