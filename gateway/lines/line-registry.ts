import { type Store } from '../store/database';
import { openRows } from '../store/open-rows';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';
import { lineOf, type Line } from './line';

/** All lines and their tokens, in memory. Changes reach it through `load`. */
export type LineRegistry = ReturnType<typeof lineRegistry>;

export function lineRegistry(
  store: Store,
  vault: Vault,
  clock: Clock,
  log: { error(fields: object, message: string): void },
) {
  let isLoaded = false;
  let byId = new Map<number, Line>();
  let byPhoneNumberId = new Map<string, Line>();
  let byTokenHash = new Map<string, { tokenId: number; lineId: number; expiresAt: string | null }>();

  return {
    async load(): Promise<void> {
      const [rows, tokens] = await Promise.all([store.lines.all(), store.tokens.active(isoTime(clock()))]);
      const lines = openRows(
        rows,
        (row) => lineOf(row, vault),
        isLoaded ? byId : null,
        (id, error) =>
          log.error(
            { error, line: id },
            'the secrets of a line cannot be opened: name the key that sealed them in GATEWAY_OLD_SECRET_KEYS, or enter them again',
          ),
      );
      isLoaded = true;
      byId = new Map(lines.map((line) => [line.id, line]));
      byPhoneNumberId = new Map(lines.map((line) => [line.phoneNumberId, line]));
      byTokenHash = new Map(
        tokens.map((token) => [
          token.hash,
          { tokenId: token.id, lineId: token.line_id, expiresAt: token.expires_at },
        ]),
      );
    },

    all: (): Line[] => [...byId.values()],

    /** @param tid the phone number id, or else the line's own id */
    byTid: (tid: string): Line | null =>
      byPhoneNumberId.get(tid) ?? (/^[1-9]\d{0,9}$/.test(tid) ? byId.get(Number(tid)) : undefined) ?? null,

    byId: (id: number): Line | null => byId.get(id) ?? null,

    byPhoneNumberId: (phoneNumberId: string): Line | null => byPhoneNumberId.get(phoneNumberId) ?? null,

    ofBusinessAccount: (wabaId: string): Line[] =>
      [...byId.values()].filter((line) => line.wabaId === wabaId),

    /** The line that a token opens, and the token's id; null for a token that is unknown, revoked or expired. */
    openedBy(hash: string): { line: Line; tokenId: number } | null {
      const token = byTokenHash.get(hash);
      const line = token && byId.get(token.lineId);
      if (!line || (token.expiresAt !== null && token.expiresAt <= isoTime(clock()))) return null;
      return { line, tokenId: token.tokenId };
    },
  };
}
