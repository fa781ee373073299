import { type SendResponse } from '../cloud-api/client';
import { normalizedRecipient } from '../cloud-api/validate/message-request';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type AliasChange } from '../store/commit/writes';
import { LruCache } from '../primitives/lru-cache';

/** Aliases known to be stored. Beyond this number, one may be written again without effect. */
const ALIASES_IN_MEMORY = 20_000;

/**
 * Finds identities of one contact. The platform's response to a send names the recipient (`contacts[].input`) and the
 * `wa_id` or `user_id` used in later events. An event may carry both a phone number and a user id, and the next event
 * only one of them. Spellings of one number need no alias (`phone-spellings.ts`).
 */
export function contactAliases() {
  const written = new LruCache<true>(ALIASES_IN_MEMORY);
  const keyOf = ({ line_id, contact, identity }: AliasChange) => `${line_id} ${contact} ${identity}`;

  return {
    /**
     * Aliases in the response to a send that are not known to be stored.
     * @param recipient as named in the send
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

    /** Like `newIn`, for several identities of one contact. */
    newAmong(lineId: number, identities: string[]): AliasChange[] {
      return identities.flatMap((one) => {
        const [contact] = spellingsOf(one);
        return identities
          .filter((identity) => spellingsOf(identity)[0] !== contact)
          .map((identity) => ({ line_id: lineId, contact, identity }))
          .filter((alias) => written.get(keyOf(alias)) === undefined);
      });
    },

    /** Called after the aliases are stored. */
    written: (aliases: AliasChange[]): void => aliases.forEach((alias) => written.set(keyOf(alias), true)),

    /** Called when the database may have lost aliases. */
    forget: (): void => written.clear(),
  };
}
