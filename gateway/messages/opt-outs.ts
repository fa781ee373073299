import { enteredRecipient } from '../cloud-api/validate/message-request';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Actor } from '../store/tables/audit';
import { audited, changesIn, type AuditedDeps } from '../store/with-audit';
import { type Store } from '../store/store';
import { type OptOutWords } from '../store/schema';
import { isoTime } from '../time';
import { saidBy, wordsInput, type EnteredWords } from './opt-out-words';

/** A line with its opt-out words; null if the line never had an opt-out list. */
interface ListedLine {
  id: number;
  optOutWords: OptOutWords | null;
}

interface Deps {
  store: Pick<Store, 'optOuts' | 'windows'>;
}

/** The spelling under which a contact is listed. */
const keyOf = (contact: string): string => spellingsOf(contact)[0];

/** A contact's message, which may be a word to opt out or in. */
export interface ReceivedText {
  line: ListedLine;
  contact: string;
  /** All identities in the event; the stored aliases may lack some. */
  identities: string[];
  text: string;
  /** Milliseconds. */
  at: number;
}

/**
 * Opts a contact out or in if the message is one of the line's words. Called before the event is stored: if this
 * fails, the platform resends the event.
 */
export async function hearOptOuts({ store }: Deps, said: ReceivedText): Promise<void> {
  const { line, contact, identities, text, at } = said;
  const found = line.optOutWords && saidBy(text, line.optOutWords);
  if (!found) return;
  const row = { line_id: line.id, contact: keyOf(contact), at: isoTime(at), word: found.word };
  const names = await store.windows.identitiesOf(line.id, [contact, ...identities], spellingsOf);
  if (found.state === 'back') await store.optOuts.takeOff(row, names);
  else await addUnlessKnown({ store }, row, names);
}

/**
 * Adds a contact unless one of its identities is already listed, or opted in later. @returns whether the contact was
 * added
 */
async function addUnlessKnown(
  { store }: { store: Pick<Store, 'optOuts'> },
  row: Parameters<Store['optOuts']['add']>[0],
  names: string[],
): Promise<boolean> {
  const known = await store.optOuts.of(row.line_id, names);
  return !known.some(({ state, at }) => state === 'out' || at > row.at) && store.optOuts.add(row);
}

/**
 * Whether a contact opted out of a line under any identity. Skips the query for lines that never had a list, and the
 * look-up of identities while the list is empty.
 */
export async function isOptedOut(
  { store }: Deps,
  { id, optOutWords }: ListedLine,
  contact: string,
): Promise<boolean> {
  if (optOutWords === null || !(await store.optOuts.hasAny(id))) return false;
  const names = await store.windows.identitiesOf(id, [contact], spellingsOf);
  return (await store.optOuts.of(id, names)).some(({ state }) => state === 'out');
}

const NO_WORDS: OptOutWords = { out: [], back: [] };

/**
 * Adds a contact to a line's list, or removes it, on request.
 * @param contact a phone number in any usual notation, or a user id
 * @returns whether this changed the list
 * @throws Refusal if the contact is neither
 */
export async function setOptOut(
  deps: AuditedDeps,
  actor: Actor,
  line: ListedLine,
  contact: string,
  state: 'out' | 'back',
): Promise<boolean> {
  const key = keyOf(enteredRecipient(contact));
  const row = { line_id: line.id, contact: key, at: isoTime(deps.clock()), word: null };
  return audited(
    deps,
    actor,
    (changed) =>
      changed
        ? {
            action: state === 'out' ? 'contact.opted_out' : 'contact.opted_in',
            lineId: line.id,
            // A fingerprint, which can be verified with the number and the key.
            details: { contact: deps.vault.fingerprint(key) },
          }
        : null,
    async ({ store }) => {
      const names = await store.windows.identitiesOf(line.id, [key], spellingsOf);
      if (state === 'back') return store.optOuts.takeOff(row, names);
      if (line.optOutWords === null)
        await store.lines.update(line.id, { opt_out_words: JSON.stringify(NO_WORDS) });
      return addUnlessKnown({ store }, row, names);
    },
  );
}

/**
 * Sets the words with which contacts opt out and in. Without words they cannot, and the list stays unchanged.
 * @throws Refusal with all issues, by field
 */
export async function setOptOutWords(
  deps: AuditedDeps,
  actor: Actor,
  line: { id: number; name: string },
  given: EnteredWords,
): Promise<OptOutWords> {
  const words = wordsInput(given);
  await audited<OptOutWords | null>(
    deps,
    actor,
    (before) => ({
      action: 'line.edited',
      lineId: line.id,
      details: {
        name: line.name,
        changes: changesIn({
          'opt-out words': [before?.out ?? [], words.out],
          'words to come back': [before?.back ?? [], words.back],
        }),
      },
    }),
    async ({ store }) => {
      const before = (await store.lines.find(line.id))?.opt_out_words ?? null;
      await store.lines.update(line.id, { opt_out_words: JSON.stringify(words) });
      return before === null ? null : (JSON.parse(before) as OptOutWords);
    },
  );
  return words;
}
