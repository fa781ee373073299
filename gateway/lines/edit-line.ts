import { typedNumber } from '../cloud-api/phone-spellings';
import { type Actor, type ConcernedCustomer } from '../store/tables/audit';
import {
  audited,
  changesIn,
  type AuditedDeps,
  type FieldChange,
  type Transaction,
} from '../store/with-audit';
import { isFaultOfData } from '../store/fault-of-data';
import { ownedLine, type LineRow } from '../store/tables/lines';
import { isoTime } from '../time';
import { notPermitted } from '../errors';
import { mayFor, type By } from '../rights/grants';
import { type Tables } from '../store/store';
import { customerFor, type LineDeps } from './add-line';
import { type Line } from './line';
import { lineInput, numberIdTaken, type LineInput } from './line-input';

/** The changes to a line; omitted fields stay. */
export type LineChange = LineInput & Partial<Pick<Line, 'keepsSent' | 'isActive' | 'apiEnabled'>>;
type JudgedChange = ReturnType<typeof lineInput<LineChange>>;

/**
 * Changes a line, with the old and new value of each field in the audit entry.
 * @param verify further checks of the valid change, before the transaction
 * @param also other changes in the same transaction; its `changes` are added to the entry
 * @returns the changed line
 * @throws Refusal with all issues, by field
 */
export async function editLine<T extends { changes?: FieldChange[] }>(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  row: LineRow,
  given: LineChange,
  verify: (change: LineChange) => Promise<void> = async () => undefined,
  also: (transaction: Transaction) => Promise<T> = async () => ({}) as T,
): Promise<{ row: LineRow } & T> {
  if (by && !mayFor(by, 'lines.manage', ownedLine(row))) throw notPermitted();
  const change = lineInput(given, row);
  await verify(change);
  return audited<{ row: LineRow } & T>(
    deps,
    actor,
    (edited) => {
      const changes = [
        // For a switch, the action says everything.
        ...(actionOf(change) === 'line.edited' ? changesOf(row, edited.row, change) : []),
        ...(edited.changes ?? []),
      ];
      if (actionOf(change) === 'line.edited' && !changes.length) return null;
      return {
        action: actionOf(change),
        lineId: row.id,
        details: detailsOf(edited.row, changes),
        ...(row.customer_id !== edited.row.customer_id && {
          customers: movedBetween(row, edited.row, changes),
        }),
      };
    },
    async (transaction) => {
      const moved = await move(transaction.store, by, row, change.customerId);
      const updated = await updateLine({ ...deps, ...transaction }, by, { ...row, ...moved.columns }, change);
      const others = await also(transaction);
      return { row: updated, ...others, changes: [...moved.changes, ...(others.changes ?? [])] };
    },
  );
}

/** The audit action: activating and deactivating have their own. */
function actionOf({ isActive, apiEnabled, ...others }: LineChange): string {
  const isSwitch = Object.values(others).every((value) => value === undefined);
  if (isSwitch && isActive !== undefined && apiEnabled === undefined)
    return isActive ? 'line.activated' : 'line.deactivated';
  if (isSwitch && apiEnabled !== undefined && isActive === undefined)
    return apiEnabled ? 'line.api_enabled' : 'line.api_disabled';
  return 'line.edited';
}

const detailsOf = ({ name }: LineRow, changes: FieldChange[]) => ({
  name,
  ...(changes.length && { changes }),
});

/** The entry of a move for both customers, neither of which learns the name of the other. */
const movedBetween = (before: LineRow, after: LineRow, changes: FieldChange[]): ConcernedCustomer[] =>
  [before, after].flatMap(({ customer_id: id }) => {
    if (id === null) return [];
    const other = id === after.customer_id ? { from: null } : { to: null };
    const seen = changes.map((one) => (one.field === 'customer' ? { ...one, ...other } : one));
    return [{ id, details: detailsOf(after, seen) }];
  });

/** Changed values for the audit entry; of a secret, only the fact that it changed. */
const changesOf = (
  before: LineRow,
  after: LineRow,
  { accessToken, appSecret }: LineChange,
): FieldChange[] => [
  ...changesIn({
    name: [before.name, after.name],
    'phone number': [before.phone_number, after.phone_number],
    'phone number id': [before.phone_number_id, after.phone_number_id],
    'waba id': [before.waba_id, after.waba_id],
    active: [before.deactivated_at === null, after.deactivated_at === null],
    API: [before.api_disabled_at === null, after.api_disabled_at === null],
    window: [before.window_mode, after.window_mode],
    quality: [before.quality_mode, after.quality_mode],
    'automation pause hours': [before.automation_pause_hours || null, after.automation_pause_hours || null],
    'what is sent is kept': [before.sent_kept_at !== null, after.sent_kept_at !== null],
  }),
  ...(accessToken ? [{ field: 'access token' }] : []),
  ...(appSecret ? [{ field: 'app secret' }] : []),
];

/** Gives the line to another customer. @param customerId null: to none; undefined: it stays */
async function move(
  store: Pick<Tables, 'customers' | 'lines' | 'templates'>,
  by: By,
  row: LineRow,
  customerId: number | null | undefined,
): Promise<{ columns: Partial<LineRow>; changes: FieldChange[] }> {
  if (customerId === undefined || customerId === row.customer_id) return { columns: {}, changes: [] };
  const before = row.customer_id === null ? null : await store.customers.find(row.customer_id);
  const after = await customerFor(store, by, customerId);
  await store.lines.update(row.id, { customer_id: customerId });
  const others = (await store.lines.all()).filter(
    (line) => line.waba_id === row.waba_id && line.customer_id === row.customer_id,
  );
  // The last line of a customer on a business account takes the customer's templates along.
  if (!others.length)
    await store.templates.giveTo({ wabaId: row.waba_id, customerId: row.customer_id }, customerId);
  return {
    columns: { customer_id: customerId, customer_suspended_at: after && after.suspended_at },
    changes: changesIn({ customer: [before && before.name, after && after.name] }),
  };
}

async function updateLine(
  { store, vault, clock }: LineDeps,
  by: By,
  row: LineRow,
  change: JudgedChange,
): Promise<LineRow> {
  const { phoneNumberId } = change;
  const lines = phoneNumberId === undefined ? [] : await store.lines.all();
  const other = lines.find((one) => one.phone_number_id === phoneNumberId && one.id !== row.id);
  if (other) throw numberIdTaken(by, other);
  const now = isoTime(clock());
  const columns = {
    ...(change.name && { name: change.name }),
    ...(phoneNumberId && { phone_number_id: phoneNumberId }),
    ...(change.phoneNumber && { phone_number: typedNumber(change.phoneNumber) }),
    ...(change.wabaId && { waba_id: change.wabaId }),
    ...(change.accessToken && { access_token_sealed: vault.seal('lines.access_token', change.accessToken) }),
    ...(change.appSecret && { app_secret_sealed: vault.seal('lines.app_secret', change.appSecret) }),
    ...(change.windowMode && { window_mode: change.windowMode }),
    ...(change.qualityMode && { quality_mode: change.qualityMode }),
    ...(change.keepsSent !== undefined && {
      sent_kept_at: change.keepsSent ? (row.sent_kept_at ?? now) : null,
    }),
    ...(change.automationPauseHours !== undefined && {
      automation_pause_hours: change.automationPauseHours,
    }),
    ...(change.isActive !== undefined && {
      deactivated_at: change.isActive ? null : (row.deactivated_at ?? now),
    }),
    ...(change.apiEnabled !== undefined && {
      api_disabled_at: change.apiEnabled ? null : (row.api_disabled_at ?? now),
    }),
  };
  if (Object.keys(columns).length)
    await store.lines.update(row.id, columns).catch((error: unknown) => {
      // Another line got the ID after the check.
      throw phoneNumberId !== undefined && isFaultOfData(error) ? numberIdTaken(by, undefined) : error;
    });
  return { ...row, ...columns };
}
