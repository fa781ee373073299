import { normalizedRecipient } from '../cloud-api/validate/message-request';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { endOf, type EndInput } from '../primitives/end-input';
import { LONGEST_PAUSE_HOURS } from '../store/schema';
import { type Store } from '../store/store';
import { type Actor } from '../store/tables/audit';
import { type AutomationPauseRow } from '../store/tables/automation-pauses';
import { audited, changesIn, type AuditedDeps } from '../store/with-audit';
import { HOUR, isoTime, type Clock } from '../time';

/**
 * Automations are paused for a contact while a colleague talks to the contact. Events are still sent, with a mark,
 * and nothing is refused: the receiver decides.
 */
interface PausingLine {
  id: number;
  /** As `LineTable.automation_pause_hours`. */
  automationPauseHours: number | null;
}

interface Deps {
  store: Pick<Store, 'automationPauses' | 'windows'>;
  clock: Clock;
}

export interface AutomationPause {
  since: string;
  /** Null: until an explicit resume. */
  until: string | null;
}

/** The spelling under which a contact is stored. */
const keyOf = (contact: string): string => spellingsOf(contact)[0];

const pauseIn = (row: AutomationPauseRow | null, now: string): AutomationPause | null =>
  row?.state === 'paused' && (row.until === null || row.until > now)
    ? { since: row.at, until: row.until }
    : null;

/**
 * The contact's current pause; null if there is none. Skips the query for lines that never had a pause, and the
 * look-up of identities while no contact is paused.
 */
export async function automationPauseOf(
  { store, clock }: Deps,
  { id, automationPauseHours }: PausingLine,
  contact: string,
): Promise<AutomationPause | null> {
  const now = isoTime(clock());
  if (automationPauseHours === null || !(await store.automationPauses.hasAny(id, now))) return null;
  const names = await store.windows.identitiesOf(id, [contact], spellingsOf);
  return pauseIn(await store.automationPauses.latest(id, names), now);
}

/** Names per query. */
const NAMES_AT_ONCE = 1000;

/** All names of the currently paused contacts. @param names from the events of several contacts */
export async function pausedNames(
  { store, clock }: Deps,
  { id, automationPauseHours }: PausingLine,
  names: string[],
): Promise<Set<string>> {
  const now = isoTime(clock());
  const found = new Set<string>();
  if (automationPauseHours === null || !(await store.automationPauses.hasAny(id, now))) return found;
  for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
    const some = names.slice(from, from + NAMES_AT_ONCE);
    const all = await store.windows.identitiesOf(id, some, spellingsOf);
    for (const { contact } of await store.automationPauses.among(id, all, now)) {
      const own = await store.windows.identitiesOf(id, [contact], spellingsOf);
      if (pauseIn(await store.automationPauses.latest(id, own), now)) own.forEach((name) => found.add(name));
    }
  }
  return found;
}

/**
 * Starts or extends a pause after a colleague's reply, on lines with this setting. A reply that is reported late does
 * not undo a later change.
 * @param names of the contact; the pause is stored under the first
 * @param at milliseconds
 */
export async function pauseByAnswer(
  { store, clock }: Deps,
  { id, automationPauseHours }: PausingLine,
  [contact, ...others]: [string, ...string[]],
  at = clock(),
): Promise<void> {
  if (!automationPauseHours) return;
  const said = isoTime(at);
  const until = isoTime(at + automationPauseHours * HOUR);
  const names = await store.windows.identitiesOf(id, [contact, ...others], spellingsOf);
  const known = await store.automationPauses.latest(id, names);
  if (known && known.at >= said) return;
  const current = pauseIn(known, said);
  if (current && (current.until === null || current.until >= until)) return;
  await store.automationPauses.set(
    { line_id: id, contact: keyOf(contact), state: 'paused', at: said, until },
    names,
  );
}

/** The value for the audit entry. */
const wordOf = (pause: AutomationPause | null): string | null => pause && (pause.until ?? 'resumed');

/**
 * Pauses automations for a contact on request.
 * @param contact a phone number in any usual notation, or a user id
 * @param end omitted: until an explicit resume
 * @throws Refusal with all issues, by field
 */
export async function pauseAutomation(
  deps: AuditedDeps,
  actor: Actor,
  line: PausingLine,
  contact: string,
  end: EndInput,
): Promise<AutomationPause | null> {
  const until = endOf(end, deps.clock(), LONGEST_PAUSE_HOURS);
  return change(deps, actor, line, contact, { state: 'paused', until });
}

/** Ends the pause of a contact, if there is one. */
export const resumeAutomation = async (
  deps: AuditedDeps,
  actor: Actor,
  line: PausingLine,
  contact: string,
): Promise<void> => {
  await change(deps, actor, line, contact, { state: 'resumed', until: null });
};

function change(
  deps: AuditedDeps,
  actor: Actor,
  line: PausingLine,
  contact: string,
  wanted: Pick<AutomationPauseRow, 'state' | 'until'>,
): Promise<AutomationPause | null> {
  const key = keyOf(normalizedRecipient(contact));
  const at = isoTime(deps.clock());
  const row: AutomationPauseRow = { line_id: line.id, contact: key, at, ...wanted };
  const after = pauseIn(row, at);
  return audited<AutomationPause | null>(
    deps,
    actor,
    (before) => {
      const changes = changesIn({ 'paused until': [wordOf(before), wordOf(after)] });
      return changes.length
        ? {
            action: after ? 'contact.automation_paused' : 'contact.automation_resumed',
            lineId: line.id,
            // A fingerprint, which can be verified with the number and the key.
            details: { contact: deps.vault.fingerprint(key), changes },
          }
        : null;
    },
    async ({ store }) => {
      const names = await store.windows.identitiesOf(line.id, [key], spellingsOf);
      const before = pauseIn(await store.automationPauses.latest(line.id, names), at);
      if (!before && !after) return null;
      if (line.automationPauseHours === null)
        await store.lines.update(line.id, { automation_pause_hours: 0 });
      await store.automationPauses.set(row, names);
      return before;
    },
  ).then(() => after);
}
