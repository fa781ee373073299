import { randomBytes } from 'node:crypto';
import { typedNumber } from '../cloud-api/phone-spellings';
import { existingCustomers } from '../customers/manage-customers';
import { customerMissing, customerUnknown } from '../errors';
import { mayIn, type By } from '../rights/grants';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps, type Transaction } from '../store/with-audit';
import { type Tables } from '../store/store';
import { type CustomerRow } from '../store/tables/customers';
import { type LineRow } from '../store/tables/lines';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';
import { type Line } from './line';
import { lineInput, numberIdTaken } from './line-input';

/** Dependencies inside a transaction. */
export interface LineDeps {
  store: Pick<Tables, 'lines' | 'customers'>;
  vault: Vault;
  clock: Clock;
}

/** The fields of a new line. */
export type NewLine = Pick<
  Line,
  'name' | 'phoneNumberId' | 'phoneNumber' | 'wabaId' | 'accessToken' | 'appSecret' | 'windowMode'
> &
  Partial<Pick<Line, 'customerId'>>;
/** The fields as text, as entered. */
export type EnteredLine = Record<Exclude<keyof NewLine, 'customerId'>, string> & Pick<NewLine, 'customerId'>;

/**
 * Adds a line and an audit entry.
 * @param also adds other data of the line in the same transaction; its `details` are added to the entry
 * @param verify further checks of the valid fields, before the transaction
 * @throws Refusal with all issues, by field
 */
export async function addLine<T extends { details?: Record<string, unknown> }>(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  given: EnteredLine,
  also: (transaction: Transaction, row: LineRow) => Promise<T>,
  verify: (line: EnteredLine) => Promise<void> = async () => undefined,
): Promise<{ row: LineRow } & T> {
  const line = lineInput(given);
  await verify(line);
  return audited<{ row: LineRow; customer: string | null } & T>(
    deps,
    actor,
    (added) => ({
      action: 'line.added',
      lineId: added.row.id,
      details: {
        name: line.name,
        phone_number_id: line.phoneNumberId,
        ...(added.customer !== null && { customers: [added.customer] }),
        ...added.details,
      },
    }),
    async (transaction) => {
      const customer = await customerFor(transaction.store, by, line.customerId ?? null);
      const row = await registerLine({ ...deps, ...transaction }, line, by);
      return { row, customer: customer && customer.name, ...(await also(transaction, row)) };
    },
  );
}

/**
 * The customer of a line that is added or moved. It stays until the transaction ends.
 * @param customerId null: no customer
 * @throws Refusal if `by` may not add lines to it; the same if it does not exist
 */
export async function customerFor(
  store: Pick<Tables, 'customers'>,
  by: By,
  customerId: number | null,
): Promise<CustomerRow | null> {
  if (by && !mayIn(by, 'lines.manage', customerId))
    throw customerId === null ? customerMissing() : customerUnknown();
  const [customer] = customerId === null ? [] : await existingCustomers(store, [customerId]);
  return customer ?? null;
}

/** Inserts a line inside a transaction. @throws Refusal if another line has the phone number id */
export async function registerLine(
  { store, vault, clock }: LineDeps,
  line: NewLine,
  by: By = null,
): Promise<LineRow> {
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
    customer_id: line.customerId ?? null,
    created_at: isoTime(clock()),
  });
  if (row) return row;
  const other = (await store.lines.all()).find((one) => one.phone_number_id === line.phoneNumberId);
  throw numberIdTaken(by, other);
}
