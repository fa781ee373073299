import { parseArgs } from 'node:util';
import { normalizedRecipient } from '../cloud-api/validate/message-request';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { SettingError } from '../errors';
import { audited } from '../store/with-audit';
import { confirmed } from './confirmed';
import {
  beyondReach,
  copiesBeside,
  emptyEventsOf,
  emptyMentionsOf,
  roomToScrub,
  sandboxFileWith,
  scrubbed,
  type Forgotten,
} from './forget';
import { commandActor, offline } from './offline';
import { print } from './print';

/** Removes all that is known of a person, on all lines, by whatever names the person is known. */
export async function contactForget(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { yes: { type: 'boolean' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const contact = normalizedRecipient(positionals.join(' '));
  if (!/^(\d{5,20}|[A-Z]{2}\.[A-Za-z0-9.]{1,128})$/.test(contact))
    throw new SettingError(
      'Which contact? Give one telephone number with its country code, for example "+1 650-555-1234".',
    );
  await offline(env, async (world) => {
    const { store, vault } = world;
    const pause = await roomToScrub(store);
    await confirmed(
      values.yes,
      `All that is known of ${contact} is removed from every line, for good.${pause}`,
    );
    const identities = await store.traces.identitiesOf(spellingsOf(contact));
    const whose = { identities: [...new Set(identities.flatMap(spellingsOf))] };
    const events = await emptyEventsOf(world, whose);
    const mentions = await emptyMentionsOf(world, whose.identities);
    const report = await audited<Forgotten & typeof mentions>(
      world,
      commandActor(),
      // Who it was can be checked by whoever knows the number, and has the key.
      (removed) => ({
        action: 'contact.forgotten',
        details: { contact: vault.fingerprint(spellingsOf(contact)[0]), ...removed },
      }),
      async (inside) => {
        // Last, because they tell the other names: broken off before that, it can be repeated.
        const { answers, ...rest } = await inside.store.traces.removeRest(whose);
        await inside.store.registry.forgot();
        return { ...events, ...rest, idempotency_answers: answers, ...mentions };
      },
    );
    const sentence = await scrubbed(store);
    const left = copiesBeside(env);
    const sandbox = sandboxFileWith(env, whose.identities);
    if (values.json)
      return print(
        JSON.stringify({ removed: report, left_in: [...left, ...(sandbox === null ? [] : [sandbox])] }),
      );
    Object.entries(report).forEach(([what, count]) => print(`${what.replaceAll('_', ' ')}\t${count}`));
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
