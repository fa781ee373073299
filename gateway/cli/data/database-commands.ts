import { type Command } from '../command';

export const DATABASE_COMMANDS: Omit<Command, 'name'>[] = [
  {
    usage: 'rekey [--json]',
    does: 'Encrypts all secrets again with GATEWAY_SECRET_KEY. GATEWAY_OLD_SECRET_KEYS has the previous keys.',
    options: [
      'Set both for the gateway first and restart it: it reads with all keys. You can stop and repeat this command.',
    ],
    run: async (...given) => (await import('./rekey.js')).rekey(...given),
  },
  {
    usage: 'backup FILE',
    does: 'Copies the SQLite database while the gateway runs. The copy is consistent.',
    run: async (...given) => (await import('./backup.js')).backup(...given),
  },
  {
    usage: 'restore FILE [--check]',
    does: 'Replaces the SQLite database with a backup and keeps the old one beside it. Stop the gateway first.',
    options: [
      '[--check]                           only says what it would bring back, and what is sent again',
    ],
    run: async (...given) => (await import('./restore.js')).restore(...given),
  },
  {
    usage: 'migrate-to URL | --url-file FILE',
    does: 'Copies the SQLite database to an empty PostgreSQL database. Stop the gateway first. If the copy is interrupted, repeat the command: it continues.',
    options: [
      'URL                                 postgres://USER@HOST/DATABASE; the password comes from ~/.pgpass or PGPASSFILE',
      '[--url-file FILE]                   reads the URL from there, for a URL with a password',
    ],
    run: async (...given) => (await import('./migrate-to.js')).migrateTo(...given),
  },
];
