/** What a user may do. Every route of the panel names the permission that it needs, or `own`. */
export const PERMISSIONS = [
  /** Settings, processes, backups, customers, alerts about the whole gateway. */
  'gateway',
  /** Add, edit, switch, remove lines; their credentials at the platform. */
  'lines.manage',
  /** Users and their roles, never above one's own. */
  'people.manage',
  'tokens.manage',
  'destinations.manage',
  'deliveries.replay',
  /** Lines, destinations, events and deliveries, without what people wrote. */
  'events.read',
  'alerts.read',
  'templates.read',
  'usage.read',
  /** What people wrote: conversations, messages, the bodies of events, exports of them. */
  'messages.read',
  /** The composer, replies, opt-outs. */
  'messages.send',
  'contacts.erase',
  'templates.write',
  /** Channels, rules and mutes of alerts. */
  'alerts.manage',
  'audit.read',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['owner', 'admin', 'developer', 'editor', 'agent', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

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

/** The permissions of each role. An owner has all. */
const OF_ROLE: Record<Role, ReadonlySet<Permission>> = {
  owner: new Set(PERMISSIONS),
  admin: new Set([...DEVELOPS, 'lines.manage', 'people.manage', 'contacts.erase', 'audit.read']),
  developer: new Set(DEVELOPS),
  editor: new Set([...READS, 'templates.write']),
  agent: new Set([...READS, 'deliveries.replay', 'messages.read', 'messages.send']),
  viewer: new Set([...READS, 'messages.read']),
};

export const roleMay = (role: Role, permission: Permission): boolean => OF_ROLE[role].has(permission);

/** Whether a role has no permission that another lacks: nobody gives or changes a role above their own. */
export const isWithin = (role: Role, other: Role): boolean =>
  [...OF_ROLE[role]].every((permission) => roleMay(other, permission));
