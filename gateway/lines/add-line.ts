import { randomBytes } from 'node:crypto';
import { typedNumber } from '../cloud-api/phone-spellings';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps, type Transaction } from '../store/with-audit';
import { type Tables } from '../store/store';
import { type LineRow } from '../store/tables/lines';
import { type QualityMode, type WindowMode } from '../store/schema';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';
import { type Line } from './line';
import { checkSecrets, lineIssues } from './line-faults';

/** What works inside a transaction. */
export interface LineDeps {
  store: Pick<Tables, 'lines'>;
  vault: Vault;
  clock: Clock;
}

export const WINDOW_MODES: readonly WindowMode[] = ['text', 'all', 'upstream'];
export const QUALITY_MODES: readonly QualityMode[] = ['normal', 'strict'];

/** What a new line is made of. */
export type NewLine = Pick<
  Line,
  'name' | 'phoneNumberId' | 'phoneNumber' | 'wabaId' | 'accessToken' | 'appSecret'
> & { window: WindowMode };

/**
 * Adds a line, and an audit entry.
 * @param also adds more data of the line in the same transaction. Its `details` are added to the entry
 * @returns null if another line has its phone number id
 * @throws Refusal for an invalid field
 */
export async function addLine<T extends { details?: Record<string, unknown> }>(
  deps: AuditedDeps,
  actor: Actor,
  line: NewLine,
  also: (transaction: Transaction, row: LineRow) => Promise<T>,
): Promise<({ row: LineRow } & T) | null> {
  lineIssues(line).check();
  checkSecrets(line);
  return audited<({ row: LineRow } & T) | null>(
    deps,
    actor,
    (added) =>
      added && {
        action: 'line.added',
        lineId: added.row.id,
        details: { name: line.name, phone_number_id: line.phoneNumberId, ...added.details },
      },
    async (transaction) => {
      const row = await registerLine({ ...deps, ...transaction }, line);
      return row && { row, ...(await also(transaction, row)) };
    },
  );
}

/**
 * Registers a line inside a transaction.
 * @returns null if another has its phone number id
 */
export const registerLine = ({ store, vault, clock }: LineDeps, line: NewLine): Promise<LineRow | null> =>
  store.lines.insert({
    name: line.name,
    phone_number_id: line.phoneNumberId,
    phone_number: typedNumber(line.phoneNumber),
    waba_id: line.wabaId,
    access_token_sealed:
      line.accessToken === null ? null : vault.seal('lines.access_token', line.accessToken),
    app_secret_sealed: line.appSecret === null ? null : vault.seal('lines.app_secret', line.appSecret),
    verify_token: randomBytes(16).toString('hex'),
    window_mode: line.window,
    quality_mode: 'normal',
    created_at: isoTime(clock()),
  });
