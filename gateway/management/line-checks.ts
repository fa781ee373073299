import { type CloudApi } from '../cloud-api/client';
import { UpstreamRefused } from '../cloud-api/failures';
import { digitsOf } from '../cloud-api/phone-spellings';
import { invalidField, notPermitted, sharedBusinessAccount } from '../errors';
import { upstreamStatusOf, type Line } from '../lines/line';
import { judgeLine, type CheckResult, type Repair } from '../lines/checks/judge';
import { storedChecks } from '../lines/checks/line-checks';
import { readLineChecks } from '../lines/checks/read-checks';
import { pollLineStatus } from '../lines/line-status';
import { mayFor, type By } from '../rights/grants';
import { type Store } from '../store/store';
import { type Actor } from '../store/tables/audit';
import { ownedLine, type LineRow } from '../store/tables/lines';
import { audited, type AuditedDeps } from '../store/with-audit';
import { isoTime, type Clock } from '../time';
import { fact } from '../wording/facts';
import { forwardChange, type ChangeAtPlatform } from './change-at-platform';
import { callbackSet, changeNumber, registered, type NumberChange } from './number';

export interface ResultDeps {
  store: Store;
  clock: Clock;
  /** Without a trailing slash; null if not set. */
  publicUrl: string | null;
}

export interface RepairDeps extends AuditedDeps {
  cloudApi: CloudApi;
  changeAtPlatform: ChangeAtPlatform;
  publicUrl: string | null;
}

/** The results of a line's checks, from what was last read from the platform and what the gateway knows now. */
export async function lineCheckResults(
  { store, clock, publicUrl }: ResultDeps,
  row: LineRow,
): Promise<CheckResult[]> {
  const now = clock();
  const [destinations, lastEvents, uncalled, hasMessage] = await Promise.all([
    store.destinations.active(isoTime(now), row.id),
    store.glance.lastEvents([row.id]),
    store.glance.notCalled(row.id),
    store.glance.hasMessage(row.id),
  ]);
  return judgeLine({
    line: {
      accessToken: row.access_token_sealed,
      upstream: upstreamStatusOf(row).upstream,
      phoneNumber: `+${digitsOf(row.phone_number)}`,
      signatureFailedAt: row.signature_failed_at,
    },
    isRefused: row.credentials_refused_at !== null,
    checks: storedChecks(row),
    now,
    isCalled: uncalled.length === 0,
    hasPublicUrl: publicUrl !== null,
    lastEventAt: lastEvents.get(row.id) ?? null,
    hasMessage,
    destinations: {
      count: destinations.length,
      failing: destinations.filter((one) => one.paused_at !== null || one.failing_since !== null).length,
    },
  });
}

/**
 * Reads everything that a line's checks need from the platform now, and stores it.
 * @throws the errors of every call
 */
export async function checkLine(deps: AuditedDeps & { cloudApi: CloudApi }, line: Line): Promise<void> {
  const readChecks = async () => (await readLineChecks(deps, line))(line);
  await Promise.all([readChecks(), pollLineStatus(deps, line).catch(unlessRefused)]);
}

/** What the platform refuses, the checks of the access token and the number explain. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof UpstreamRefused)) throw error;
}

/**
 * Repairs what a check found, by a change at the platform.
 * @param pin the six digits of two-step verification, which only `register` needs. It is neither stored nor logged.
 * @throws the errors of every call, and Refusal, also if the repair concerns lines that `by` may not manage
 */
export async function repairLine(
  deps: RepairDeps,
  actor: Actor,
  by: By,
  line: Line,
  repair: Repair,
  pin = '',
): Promise<void> {
  if (by && !mayFor(by, 'lines.manage', line)) throw notPermitted();
  if (repair === 'subscribe') await subscribe(deps, actor, by, line);
  else
    await changeNumber(
      deps,
      actor,
      by,
      line,
      repair === 'register' ? registered(pin) : callbackOf(deps, line),
    );
}

/** @throws Refusal without a public URL */
function callbackOf({ publicUrl }: RepairDeps, { phoneNumberId, verifyToken }: Line): NumberChange {
  if (publicUrl === null) throw invalidField('public_url', 'required', fact('public_url.missing', {}));
  return callbackSet(`${publicUrl}/webhooks/platform/${encodeURIComponent(phoneNumberId)}`, verifyToken);
}

async function subscribe(deps: RepairDeps, actor: Actor, by: By, line: Line): Promise<void> {
  if (by) await refuseShared(deps, actor, by, line);
  const path = `${encodeURIComponent(line.wabaId)}/subscribed_apps`;
  await forwardChange(deps, actor, line, { method: 'post', path, query: {}, names: [] });
}

/** @throws Refusal if the business account has lines that the user may not manage */
async function refuseShared(deps: AuditedDeps, actor: Actor, by: NonNullable<By>, line: Line): Promise<void> {
  // The store of a user has the user's lines only, the transaction has all.
  const lines = await audited(
    deps,
    actor,
    () => null,
    ({ store }) => store.lines.all(),
  );
  const isOthers = (row: LineRow) =>
    row.waba_id === line.wabaId && !mayFor(by, 'lines.manage', ownedLine(row));
  if (lines.some(isOthers)) throw sharedBusinessAccount();
}
