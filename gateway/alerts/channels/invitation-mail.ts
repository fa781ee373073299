import { type DestinationRules } from '../../http/destination-address';
import { type Store } from '../../store/store';
import { type Vault } from '../../store/vault';
import { fact, type Said } from '../../wording/facts';
import { type Language } from '../../wording/language';
import { say } from '../../wording/say';
import { ChannelFailure, type ChannelSettings } from './channel-kind';
import { NO_REPLIES, sendMail } from './email';
import { settingsOf } from '../outbox';

interface MailDeps {
  store: Pick<Store, 'alerts'>;
  vault: Vault;
  rules: DestinationRules;
}

/** Sends invitations by the mail server of the alerts. */
export interface InvitationMail {
  /** Whether there is a mail server: a channel sends alerts about everything by e-mail. */
  isPossible(): Promise<boolean>;
  /**
   * @param link the whole URL
   * @returns null if the mail server accepted the mail; else why it was not sent
   */
  send(to: string, link: string, language: Language): Promise<Said | null>;
}

export function mailer({ store, vault, rules }: MailDeps): InvitationMail {
  async function server(): Promise<ChannelSettings | null> {
    const channel = (await store.alerts.channels()).find(
      ({ kind, scope, origin, paused_at: paused }) =>
        kind === 'email' && scope === 'gateway' && origin === 'operator' && paused === null,
    );
    return channel ? settingsOf(vault, channel) : null;
  }
  return {
    isPossible: async () => (await server()) !== null,
    async send(to, link, language) {
      const settings = await server();
      if (!settings) return fact('mail.no_server', {});
      try {
        await sendMail(rules, settings, {
          to: [to],
          subject: say(language, fact('invitation.subject', {})),
          text: say(language, fact('invitation.text', { link })),
          headers: NO_REPLIES,
        });
        return null;
      } catch (error) {
        if (error instanceof ChannelFailure) return error.said;
        throw error;
      }
    },
  };
}
