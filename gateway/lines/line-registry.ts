import { reaching, type Reach } from '../rights/reach';
import { type Store } from '../store/store';
import { decryptRows } from '../store/processes/decrypt-rows';
import { type RegistryChanges } from '../store/processes/registry';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';
import { scopesOf } from '../store/tables/tokens';
import { lineOf, type Line } from './line';
import { type LineToken } from './line-token';

/** All lines and their tokens, in memory. Changes reach it through `load`. */
export type LineRegistry = ReturnType<typeof lineRegistry>;

/** The lines that a reader may see. */
export type Lines = Pick<LineRegistry, 'all' | 'byId' | 'byPhoneNumberId' | 'ofBusinessAccount' | 'openedBy'>;

export function linesWithin(lines: LineRegistry, reach: Reach): Lines {
  if (reach === 'all') return lines;
  const reaches = reaching(reach);
  const seen = (line: Line | null) => (line && reaches(line.id) ? line : null);
  return {
    all: () => reach.flatMap((id) => lines.byId(id) ?? []),
    byId: (id) => seen(lines.byId(id)),
    byPhoneNumberId: (id) => seen(lines.byPhoneNumberId(id)),
    ofBusinessAccount: (id) => lines.ofBusinessAccount(id).filter(seen),
    openedBy(hash) {
      const opened = lines.openedBy(hash);
      return opened && seen(opened.line) && opened;
    },
  };
}

export function lineRegistry(
  store: Store,
  vault: Vault,
  clock: Clock,
  log: { error(fields: object, message: string): void },
) {
  let isLoaded = false;
  const byId = new Map<number, Line>();
  const byPhoneNumberId = new Map<string, Line>();
  const byTokenHash = new Map<string, { token: LineToken; lineId: number }>();

  /** Prepares to reload lines. Those that still exist keep their position in the order. */
  function forgetLines(ids: number[], lines: Line[]): void {
    const staying = new Set(lines.map(({ id }) => id));
    for (const id of ids) {
      const line = byId.get(id);
      if (line) byPhoneNumberId.delete(line.phoneNumberId);
      if (!staying.has(id)) byId.delete(id);
    }
  }

  return {
    /** @param changes the rows to read again; null for everything */
    async load(changes: RegistryChanges | null = null): Promise<void> {
      const [rows, tokens] = await Promise.all([
        changes ? store.lines.some(changes.lines) : store.lines.all(),
        changes ? store.tokens.some(changes.tokens) : store.tokens.active(isoTime(clock())),
      ]);
      const lines = decryptRows(
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
      forgetLines(changes ? changes.lines : [...byId.keys()], lines);
      for (const line of lines) {
        byId.set(line.id, line);
        byPhoneNumberId.set(line.phoneNumberId, line);
      }
      for (const [hash, { token }] of byTokenHash)
        if (!changes || changes.tokens.includes(token.id)) byTokenHash.delete(hash);
      for (const row of tokens.filter(({ revoked_at: revokedAt }) => revokedAt === null))
        byTokenHash.set(row.hash, {
          token: {
            kind: 'line',
            id: row.id,
            lastFour: row.last_four,
            scopes: scopesOf(row),
            answers: row.answers,
            firstId: row.first_id ?? row.id,
            expiresAt: row.expires_at,
          },
          lineId: row.line_id,
        });
    },

    all: (): Line[] => [...byId.values()],

    /** @param tid the phone number id, otherwise the line's own id */
    byTid: (tid: string): Line | null =>
      byPhoneNumberId.get(tid) ?? (/^[1-9]\d{0,9}$/.test(tid) ? byId.get(Number(tid)) : undefined) ?? null,

    byId: (id: number): Line | null => byId.get(id) ?? null,

    byPhoneNumberId: (phoneNumberId: string): Line | null => byPhoneNumberId.get(phoneNumberId) ?? null,

    ofBusinessAccount: (wabaId: string): Line[] =>
      [...byId.values()].filter((line) => line.wabaId === wabaId),

    /** The valid token with this hash, and its line; null if the token is unknown, revoked or expired. */
    openedBy(hash: string): { line: Line; token: LineToken } | null {
      const opened = byTokenHash.get(hash);
      const line = opened && byId.get(opened.lineId);
      if (!line) return null;
      const { token } = opened;
      return token.expiresAt !== null && token.expiresAt <= isoTime(clock()) ? null : { line, token };
    },
  };
}
