import { normalizedRecipient } from '../../cloud-api/validate/message-request';
import { SettingError } from '../../errors';
import { forgetContact, namesOf } from '../../lines/forget';
import { confirmed } from '../confirmed';
import { beyondReach, copiesBeside, roomToScrub, sandboxFileWith, scrubbed } from './scrub';
import { commandActor, offline } from '../offline';
import { wordsAndOptions } from '../options';
import { print } from '../print';

/** Deletes all data about a contact on all lines, under all their names. */
export async function contactForget(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['yes', 'json'] });
  const contact = normalizedRecipient(words.join(' '));
  if (!/^(\d{5,20}|[A-Z]{2}\.[A-Za-z0-9.]{1,128})$/.test(contact))
    throw new SettingError(
      'Which contact? Give one telephone number with its country code, for example "+1 650-555-1234".',
    );
  await offline(env, async (deps) => {
    const { store } = deps;
    const pause = await roomToScrub(store);
    await confirmed(
      values.yes,
      `All that is known of ${contact} is removed from every line, for good.${pause}`,
    );
    const identities = await namesOf(deps, contact);
    const report = await forgetContact(deps, commandActor(), null, contact, identities);
    const sentence = await scrubbed(store);
    const left = copiesBeside(env);
    const sandbox = sandboxFileWith(env, identities);
    if (values.json)
      return print(
        JSON.stringify({ removed: report, left_in: [...left, ...(sandbox === null ? [] : [sandbox])] }),
      );
    Object.entries(report).forEach(([what, count]) => print(what.replaceAll('_', ' '), count));
    print(sentence);
    if (report.still_owed)
      print(
        `${report.still_owed} events of others name the contact and are still to be delivered. Once they are, run this again.`,
      );
    if (sandbox !== null)
      print(
        `The sandbox keeps the contact in ${sandbox}: choose "Forget this contact" beside its phone, then start the gateway again.`,
      );
    print(beyondReach(left));
  });
}
