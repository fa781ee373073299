import { normalizedRecipient } from '../cloud-api/validate/message-request';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps } from '../store/with-audit';
import { type Store } from '../store/store';
import { type OptOutWords } from '../store/schema';
import { isoTime } from '../time';
import { saidBy } from './opt-out-words';

/** A line with the words of its contacts; null where it never had an opt-out list. */
interface ListedLine {
  id: number;
  optOutWords: OptOutWords | null;
}

interface Deps {
  store: Pick<Store, 'optOuts'>;
}

/** The one spelling by which a contact stands on the list. */
const keyOf = (contact: string): string => spellingsOf(contact)[0];

/** What a contact wrote, of which a word may say that no more messages are wanted. */
export interface Said {
  line: ListedLine;
  contact: string;
  text: string;
  /** Milliseconds. */
  at: number;
}

/**
 * Notes who wants no more messages, or wants them again, by the words of the line. Before what was said is recorded:
 * where this fails, the platform tells it again.
 */
export async function hearOptOuts({ store }: Deps, { line, contact, text, at }: Said): Promise<void> {
  const said = line.optOutWords && saidBy(text, line.optOutWords);
  if (!said) return;
  const { state, word } = said;
  const row = { line_id: line.id, contact: keyOf(contact), at: isoTime(at), word };
  await (state === 'out' ? store.optOuts.add(row) : store.optOuts.takeOff(row));
}

/** Whether a contact is on the opt-out list of a line. Nothing is looked up for a line that never had one. */
export const isOptedOut = async (
  { store }: Deps,
  { id, optOutWords }: ListedLine,
  contact: string,
): Promise<boolean> => optOutWords !== null && (await store.optOuts.isOut(id, keyOf(contact)));

const NO_WORDS: OptOutWords = { out: [], back: [] };

/**
 * Puts a contact on the list of a line, or takes it off, as somebody asks for.
 * @param contact a phone number as people write it, or a user id
 * @returns whether that changed anything
 */
export function setOptOut(
  deps: AuditedDeps,
  actor: Actor,
  line: ListedLine,
  contact: string,
  state: 'out' | 'back',
): Promise<boolean> {
  const key = keyOf(normalizedRecipient(contact));
  const row = { line_id: line.id, contact: key, at: isoTime(deps.clock()), word: null };
  return audited(
    deps,
    actor,
    (changed) =>
      changed
        ? {
            action: state === 'out' ? 'contact.opted_out' : 'contact.opted_in',
            lineId: line.id,
            // Who it was can be checked by whoever knows the number, and has the key.
            details: { contact: deps.vault.fingerprint(key) },
          }
        : null,
    async ({ store }) => {
      if (state === 'back') return store.optOuts.takeOff(row);
      if (line.optOutWords === null)
        await store.lines.update(line.id, { opt_out_words: JSON.stringify(NO_WORDS) });
      return !(await store.optOuts.isOut(line.id, key)) && store.optOuts.add(row);
    },
  );
}

/** Sets by which words contacts of a line leave and come back; without any they cannot, and the list stays as it is. */
export const setOptOutWords = (
  deps: AuditedDeps,
  actor: Actor,
  line: { id: number; name: string },
  words: OptOutWords,
): Promise<void> =>
  audited(
    deps,
    actor,
    {
      action: 'line.edited',
      lineId: line.id,
      details: { name: line.name, fields: ['opt-out words'], ...words },
    },
    ({ store }) => store.lines.update(line.id, { opt_out_words: JSON.stringify(words) }),
  );
