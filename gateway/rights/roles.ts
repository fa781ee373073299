/** Permissions of users. Every route of the panel names the permission it needs, or `own`. */
export const PERMISSIONS = [
  /** Settings, processes, backups and customers, and alerts about the whole gateway. */
  'gateway',
  /** Add, edit, switch and remove lines, and their platform credentials. */
  'lines.manage',
  /** Users and their roles, up to the user's own role. */
  'people.manage',
  'tokens.manage',
  'destinations.manage',
  'deliveries.replay',
  /** Lines, destinations, events and deliveries, without message content. */
  'events.read',
  'alerts.read',
  'templates.read',
  'usage.read',
  /** Message content: conversations, messages, event bodies, and exports. */
  'messages.read',
  /** Send messages and replies, and change opt-outs. */
  'messages.send',
  'contacts.erase',
  'templates.write',
  /** Alert channels, rules and mutes. */
  'alerts.manage',
  'audit.read',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['owner', 'admin', 'developer', 'editor', 'agent', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** The roles that a user can have in one customer. Owners manage the whole gateway. */
export type MemberRole = Exclude<Role, 'owner'>;

const READS = ['events.read', 'alerts.read', 'templates.read', 'usage.read'] as const;

const DEVELOPS = [
  ...READS,
  'tokens.manage',
  'destinations.manage',
  'deliveries.replay',
  'messages.read',
  'messages.send',
  'templates.write',
  'alerts.manage',
] as const;

/** The permissions of each role. */
export const PERMISSIONS_OF: Record<Role, ReadonlySet<Permission>> = {
  owner: new Set(PERMISSIONS),
  admin: new Set([...DEVELOPS, 'lines.manage', 'people.manage', 'contacts.erase', 'audit.read']),
  developer: new Set(DEVELOPS),
  editor: new Set([...READS, 'templates.write']),
  agent: new Set([...READS, 'deliveries.replay', 'messages.read', 'messages.send']),
  viewer: new Set([...READS, 'messages.read']),
};
