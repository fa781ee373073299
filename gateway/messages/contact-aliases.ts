import { type SendResponse } from '../cloud-api/client';
import { normalizedRecipient } from '../cloud-api/validate/message-request';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type AliasChange } from '../store/commit/writes';
import { LruCache } from '../primitives/lru-cache';

/** Aliases that need not be written again; one beyond them is written once more, which changes nothing. */
const ALIASES_IN_MEMORY = 20_000;

/**
 * Under which identity the platform reports a contact whom customers address by another one, as its answers to sends
 * tell: `contacts[].input` is reported as `wa_id` or `user_id`; and as events tell that carry a phone number and a user
 * id, of which the next may carry only one. What is only another spelling of the same number is known without being
 * told (`phone-spellings.ts`).
 */
export function contactAliases() {
  const written = new LruCache<true>(ALIASES_IN_MEMORY);
  const keyOf = ({ line_id, contact, identity }: AliasChange) => `${line_id} ${contact} ${identity}`;

  return {
    /**
     * What an answer tells that is not in the database as far as this process knows. @param recipient whom the send
     * named
     */
    newIn(lineId: number, recipient: string, contacts: SendResponse['contacts'] = []): AliasChange[] {
      return contacts.flatMap(({ input, wa_id: waId, user_id: userId }) => {
        const addressed =
          contacts.length > 1 && typeof input === 'string' ? normalizedRecipient(input) : recipient;
        const [contact] = spellingsOf(addressed);
        return [waId, userId]
          .filter((identity) => typeof identity === 'string')
          .filter((identity) => spellingsOf(identity)[0] !== contact)
          .map((identity) => ({ line_id: lineId, contact, identity }))
          .filter((alias) => written.get(keyOf(alias)) === undefined);
      });
    },

    /** The same of one contact who is known by several identities: whoever is addressed by one of them has them all. */
    newAmong(lineId: number, identities: string[]): AliasChange[] {
      return identities.flatMap((one) => {
        const [contact] = spellingsOf(one);
        return identities
          .filter((identity) => spellingsOf(identity)[0] !== contact)
          .map((identity) => ({ line_id: lineId, contact, identity }))
          .filter((alias) => written.get(keyOf(alias)) === undefined);
      });
    },

    /** Told after the database holds them. */
    written: (aliases: AliasChange[]): void => aliases.forEach((alias) => written.set(keyOf(alias), true)),

    /** Told where the database may hold them no longer. */
    forget: (): void => written.clear(),
  };
}
