import { enteredRecipient } from '../cloud-api/validate/message-request';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Actor } from '../store/tables/audit';
import { audited, changesIn, type AuditedDeps } from '../store/with-audit';
import { type Store } from '../store/store';
import { type OptOutWords } from '../store/schema';
import { isoTime } from '../time';
import { saidBy, wordsInput, type EnteredWords } from './opt-out-words';

/** A line with its opt-out words; null if it never had an opt-out list. */
interface ListedLine {
  id: number;
  optOutWords: OptOutWords | null;
}

interface Deps {
  store: Pick<Store, 'optOuts' | 'windows'>;
}

/** The spelling under which a contact is on the list. */
const keyOf = (contact: string): string => spellingsOf(contact)[0];

/** What a contact wrote, which may be a word to opt out or back in. */
export interface ReceivedText {
  line: ListedLine;
  contact: string;
  /** All identities in the event; the aliases may not have them yet. */
  identities: string[];
  text: string;
  /** Milliseconds. */
  at: number;
}

/**
 * Opts a contact out or back in if the message is one of the line's words. Called before the event is stored: if this
 * fails, the platform sends the event again.
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

/** Adds a contact unless one of its identities is on the list already, or came back later. @returns whether added */
async function addUnlessKnown(
  { store }: { store: Pick<Store, 'optOuts'> },
  row: Parameters<Store['optOuts']['add']>[0],
  names: string[],
): Promise<boolean> {
  const known = await store.optOuts.of(row.line_id, names);
  return !known.some(({ state, at }) => state === 'out' || at > row.at) && store.optOuts.add(row);
}

/**
 * Whether a contact opted out of a line under any of its identities. Reads nothing for a line that never had a list, and
 * no identities while the list is empty.
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
 * @param contact a phone number as people write it, or a user id
 * @returns whether that changed anything
 * @throws Refusal for what is neither
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
            // A fingerprint, which a person with the number and the key can check.
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
 * Sets the words by which contacts opt out and back in. Without words they cannot, and the list stays as it is.
 * @throws Refusal with all that is wrong, by field
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
