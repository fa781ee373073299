import { type Role } from '../../../rights/roles';
import { t } from '../../languages/t';

const WORDS: Record<Role, () => string> = {
  owner: () => t('Owner'),
  admin: () => t('Admin'),
  developer: () => t('Developer'),
  agent: () => t('Agent'),
  viewer: () => t('Viewer'),
};

export const roleWord = (role: Role): string => WORDS[role]();
