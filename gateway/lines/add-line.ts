import { randomBytes } from 'node:crypto';
import { typedNumber } from '../cloud-api/phone-spellings';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps, type Transaction } from '../store/with-audit';
import { type Tables } from '../store/store';
import { type LineRow } from '../store/tables/lines';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';
import { type Line } from './line';
import { lineInput, numberIdTaken } from './line-input';

/** Dependencies inside a transaction. */
export interface LineDeps {
  store: Pick<Tables, 'lines'>;
  vault: Vault;
  clock: Clock;
}

/** The fields of a new line. */
export type NewLine = Pick<
  Line,
  'name' | 'phoneNumberId' | 'phoneNumber' | 'wabaId' | 'accessToken' | 'appSecret' | 'windowMode'
>;
/** The fields as text, as entered. */
export type EnteredLine = Record<keyof NewLine, string>;

/**
 * Adds a line and an audit entry.
 * @param also adds other data of the line in the same transaction; its `details` are added to the entry
 * @throws Refusal with all issues, by field
 */
export async function addLine<T extends { details?: Record<string, unknown> }>(
  deps: AuditedDeps,
  actor: Actor,
  given: EnteredLine,
  also: (transaction: Transaction, row: LineRow) => Promise<T>,
): Promise<{ row: LineRow } & T> {
  const line = lineInput(given);
  return audited<{ row: LineRow } & T>(
    deps,
    actor,
    (added) => ({
      action: 'line.added',
      lineId: added.row.id,
      details: { name: line.name, phone_number_id: line.phoneNumberId, ...added.details },
    }),
    async (transaction) => {
      const row = await registerLine({ ...deps, ...transaction }, line);
      return { row, ...(await also(transaction, row)) };
    },
  );
}

/** Inserts a line inside a transaction. @throws Refusal if another line has the phone number id */
export async function registerLine({ store, vault, clock }: LineDeps, line: NewLine): Promise<LineRow> {
  const row = await store.lines.insert({
    name: line.name,
    phone_number_id: line.phoneNumberId,
    phone_number: typedNumber(line.phoneNumber),
    waba_id: line.wabaId,
    access_token_sealed:
      line.accessToken === null ? null : vault.seal('lines.access_token', line.accessToken),
    app_secret_sealed: line.appSecret === null ? null : vault.seal('lines.app_secret', line.appSecret),
    verify_token: randomBytes(16).toString('hex'),
    window_mode: line.windowMode,
    quality_mode: 'normal',
    created_at: isoTime(clock()),
  });
  if (!row) throw numberIdTaken();
  return row;
}
