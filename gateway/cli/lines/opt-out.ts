import { typedNumber } from '../../cloud-api/phone-spellings';
import { quoted, SettingError } from '../../errors';
import { lineOf } from '../../lines/line';
import { USUAL_WORDS } from '../../messages/opt-out-words';
import { setOptOut, setOptOutWords } from '../../messages/opt-outs';
import { type OptOutWords } from '../../store/schema';
import { commandActor, lineByTid, offline } from '../offline';
import { byOptions, wordsAndOptions } from '../options';
import { print } from '../print';

const A_PAGE = 1_000;

/** Lists contacts who opted out of a line, with the time. */
export async function optOutList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  await offline(env, async ({ store }) => {
    const { id } = await lineByTid(store, words);
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = await store.optOuts.page(id, after, A_PAGE);
      for (const { contact, at, word } of page)
        print(
          values.json
            ? JSON.stringify({ contact, since: at, word })
            : [contact, `since ${at}`, word === null ? 'added by hand' : `by ${quoted(word)}`].join('\t'),
        );
      after = page.at(-1)?.contact;
    }
  });
}

export const optOutAdd = (args: string[], env: NodeJS.ProcessEnv): Promise<void> => set(args, env, 'out');
export const optOutRemove = (args: string[], env: NodeJS.ProcessEnv): Promise<void> => set(args, env, 'back');

async function set(args: string[], env: NodeJS.ProcessEnv, state: 'out' | 'back'): Promise<void> {
  const { words } = wordsAndOptions(args);
  const contact = typedNumber(words.slice(1).join(' '));
  await offline(env, async (deps) => {
    const line = lineOf(await lineByTid(deps.store, words.slice(0, 1)), deps.vault);
    const setting = setOptOut(deps, commandActor(), line, contact, state);
    const isNew = await setting.catch(byOptions({ contact: '' }));
    const [done, before] = {
      out: ['gets no more messages', 'was on the opt-out list already'],
      back: ['is off the opt-out list', 'was not on the opt-out list'],
    }[state] as [string, string];
    print(`${contact} ${isNew ? done : before}: line ${line.id} "${line.name}".`);
  });
}

/** Shows or sets the words by which contacts opt out of a line and opt in again. */
export async function optOutWords(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words: tid } = wordsAndOptions(args, { text: ['out', 'back'], flags: ['usual', 'none'] });
  const { usual, none, out, back } = values;
  const isWords = out !== undefined || back !== undefined;
  if ([usual, none, isWords].filter(Boolean).length > 1)
    throw new SettingError('Give one of --usual, --none, or words of your own with --out and --back.');
  await offline(env, async (deps) => {
    const line = lineOf(await lineByTid(deps.store, tid), deps.vault);
    const now: OptOutWords = line.optOutWords ?? { out: [], back: [] };
    if (!usual && !none && !isWords) return print(shown(now));
    const kept: OptOutWords = none ? { out: [], back: [] } : now;
    const given = usual ? USUAL_WORDS : { out: out ?? kept.out, back: back ?? kept.back };
    print(shown(await setOptOutWords(deps, commandActor(), line, given)));
  });
}

const shown = ({ out, back }: OptOutWords): string =>
  out.length
    ? `out\t${out.join(', ')}\nback\t${back.join(', ')}`
    : 'No word: contacts cannot leave by writing. Set the usual ones in English, Portuguese and Spanish with --usual.';
