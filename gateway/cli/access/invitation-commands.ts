import { type Command } from '../command';

export const INVITATION_COMMANDS: Omit<Command, 'name'>[] = [
  {
    usage: 'invitation create --role ROLE [--customer ID]… [--email ADDRESS] [--name NAME] [--json]',
    does: 'Invites a person, who chooses a name and a password, by a link that works once, for 72 hours.',
    options: [
      '[--customer ID]                     only for this customer; can be given several times',
      '[--email ADDRESS]                   sends the link, by the mail server of an alert channel, instead of printing it',
      '[--name NAME]                       a note for the list',
    ],
    run: async (...given) => (await import('./invitation.js')).invitationCreate(...given),
  },
  {
    usage: 'invitation list [--json]',
    does: 'Lists the invitations that nobody has accepted yet.',
    run: async (...given) => (await import('./invitation.js')).invitationList(...given),
  },
  {
    usage: 'invitation renew ID [--json]',
    does: 'Makes a new link for another 72 hours. The previous one stops working.',
    run: async (...given) => (await import('./invitation.js')).invitationRenew(...given),
  },
  {
    usage: 'invitation revoke ID',
    does: 'Revokes an invitation. Its link stops working.',
    run: async (...given) => (await import('./invitation.js')).invitationRevoke(...given),
  },
];
