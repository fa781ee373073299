import { type Command } from '../command';

export const ADMIN_TOKEN_COMMANDS: Omit<Command, 'name'>[] = [
  {
    usage:
      'admin-token create --name NAME [--permissions a,b] [--customer ID]… [--line TID]… [--expires-in DAYS] [--json]',
    does: 'Creates a token for several lines and for the management API, and shows it once. Without --customer and --line, it reaches everything.',
    options: [
      '[--permissions a,b]                 what it may do: permissions, such as lines.manage, and scopes, such as send;',
      '                                    without them, all permissions and no scope',
      '[--customer ID]                     only for this customer; can be given several times',
      '[--line TID]                        only for this line; can be given several times',
      '[--expires-in DAYS]                 up to 365, which is the default',
    ],
    run: async (...given) => (await import('./admin-token.js')).adminTokenCreate(...given),
  },
  {
    usage: 'admin-token list [--json]',
    does: 'Lists the admin tokens: what they may do and reach, and when each was last used.',
    run: async (...given) => (await import('./admin-token.js')).adminTokenList(...given),
  },
  {
    usage: 'admin-token revoke ID [--with-destinations]',
    does: 'Revokes an admin token, which a running gateway then refuses immediately, and shows what it registered.',
    options: [
      '[--with-destinations]               also removes the destinations and webhooks that it registered',
    ],
    run: async (...given) => (await import('./admin-token.js')).adminTokenRevoke(...given),
  },
];
