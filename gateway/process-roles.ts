/** What a process serves or does (`GATEWAY_ROLES`), in the order in which they are written. */
export const PROCESS_ROLES = ['api', 'inbound', 'deliver', 'panel'] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];

/** The roles of one process, or of all processes together. */
export type ProcessRoles = ReadonlySet<ProcessRole>;

export const ALL_ROLES: ProcessRoles = new Set(PROCESS_ROLES);

export const isProcessRole = (word: string): word is ProcessRole =>
  (PROCESS_ROLES as readonly string[]).includes(word);

export const hasAllRoles = (roles: ProcessRoles): boolean => roles.size === PROCESS_ROLES.length;

/** As in `GATEWAY_ROLES` and in the table of processes. */
export const roleText = (roles: ProcessRoles): string =>
  PROCESS_ROLES.filter((role) => roles.has(role)).join(',');

/** @param text from the table of processes; null for a process of a version without roles, which has all */
export const storedRoles = (text: string | null): ProcessRoles =>
  text === null ? ALL_ROLES : new Set(text.split(',').filter(isProcessRole));

const PATHS: [RegExp, ProcessRole][] = [
  [/^\/webhooks(\/|$)/, 'inbound'],
  [/^\/($|panel(\/|$))/, 'panel'],
  [/^\/((api\/)?v\d|docs(\/|$)|openapi\.json$)/i, 'api'],
];

/** The role whose processes serve a path; null for the paths that every process serves, and for unknown ones. */
export const roleOfPath = (path: string): ProcessRole | null =>
  PATHS.find(([paths]) => paths.test(path))?.[1] ?? null;
