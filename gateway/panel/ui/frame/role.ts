import { type Role } from '../../../rights/roles';
import { rolesOf, type Roles } from '../../../rights/grants';
import { t } from '../../languages/t';

const WORDS: Record<Role, () => string> = {
  owner: () => t('Owner'),
  admin: () => t('Admin'),
  developer: () => t('Developer'),
  editor: () => t('Editor'),
  agent: () => t('Agent'),
  viewer: () => t('Viewer'),
};

export const roleWord = (role: Role): string => WORDS[role]();

/** The words for all roles of a user, the role in all customers first. */
export const rolesWord = (user: Roles): string =>
  [...new Set(rolesOf(user).map(({ role }) => roleWord(role)))].join(', ');
