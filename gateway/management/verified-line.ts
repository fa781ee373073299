import { type CloudApi } from '../cloud-api/client';
import { type PhoneNumberNode } from '../cloud-api/phone-number';
import { addLine, type EnteredLine } from '../lines/add-line';
import { checkCredentials } from '../lines/check-credentials';
import { editLine, type LineChange } from '../lines/edit-line';
import { lineOf } from '../lines/line';
import { lineInput } from '../lines/line-input';
import { Issues } from '../primitives/issues';
import { type By } from '../rights/grants';
import { type Actor } from '../store/tables/audit';
import { type LineRow } from '../store/tables/lines';
import { type AuditedDeps } from '../store/with-audit';
import { seedStarterTemplates } from '../templates/sync-templates';
import { isoTime } from '../time';

interface VerifyDeps extends AuditedDeps {
  cloudApi: CloudApi;
  /** Null: the real platform. The sandbox accepts any ids and credentials. */
  sandboxUrl: string | null;
}

/**
 * Adds a line after the platform has confirmed its ids and its access token.
 * @param given an empty `phoneNumber` is read from the platform
 * @param isForced whether to add it although the platform could not be asked
 * @throws Refusal with all issues, by field; under `save_anyway` if the platform could not be asked
 */
export async function addVerifiedLine(
  deps: VerifyDeps,
  actor: Actor,
  by: By,
  given: EnteredLine,
  isForced: boolean,
): Promise<LineRow> {
  lineInput({ ...given, phoneNumber: given.phoneNumber || undefined });
  const node = deps.sandboxUrl === null ? await verified(deps.cloudApi, given, isForced) : null;
  const line = { ...given, phoneNumber: given.phoneNumber || (node?.display_phone_number ?? '') };
  const added = await addLine(deps, actor, by, line, async ({ store }, { id }) => {
    await seedStarterTemplates(store, id);
    const at = isoTime(deps.clock());
    if (node)
      await store.lines.storeStatus(id, {
        ...{ phoneNumberId: line.phoneNumberId, node: JSON.stringify(node) },
        ...{ startedAt: at, checkedAt: at },
      });
    return {};
  });
  return added.row;
}

/** Changes a line, as `addVerifiedLine` adds one: changed ids and access tokens are confirmed first. */
export async function editVerifiedLine(
  deps: VerifyDeps,
  actor: Actor,
  by: By,
  row: LineRow,
  given: LineChange,
  isForced: boolean,
): Promise<LineRow> {
  const verify = async (change: LineChange): Promise<void> => {
    const { accessToken, phoneNumber, phoneNumberId, wabaId } = change;
    const isAnother = (accessToken ?? phoneNumber ?? phoneNumberId ?? wabaId) !== undefined;
    const token = accessToken ?? lineOf(row, deps.vault).accessToken;
    if (!isAnother || !token || deps.sandboxUrl !== null) return;
    const ids = {
      phoneNumberId: phoneNumberId ?? row.phone_number_id,
      phoneNumber: phoneNumber ?? row.phone_number,
      wabaId: wabaId ?? row.waba_id,
    };
    await verified(deps.cloudApi, { ...ids, accessToken: token }, isForced);
  };
  return (await editLine(deps, actor, by, row, given, verify)).row;
}

async function verified(
  cloudApi: CloudApi,
  credentials: Parameters<typeof checkCredentials>[1],
  isForced: boolean,
): Promise<PhoneNumberNode | null> {
  const { node, faults } = await checkCredentials(cloudApi, credentials);
  const issues = new Issues();
  for (const { field, fault } of faults)
    if (field !== null || !isForced) issues.add(field ?? 'save_anyway', 'platform', fault);
  issues.check();
  return node;
}
