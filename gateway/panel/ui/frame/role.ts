import { type Role } from '../../../store/schema';
import { t } from '../../languages/t';

export const roleWord = (role: Role): string => (role === 'operator' ? t('Operator') : t('Viewer'));
