import { type Permission } from '../../../rights/roles';
import { t } from '../../languages/t';

/** What admin tokens can be allowed under `/v1/`. */
export const permissionWords = (): Record<Permission, { label: string; hint?: string }> => ({
  gateway: { label: t('Manage customers and the gateway') },
  'lines.manage': {
    label: t('Manage lines'),
    hint: t('Add, edit, switch and remove them, with their credentials at the platform.'),
  },
  'people.manage': { label: t('Manage users') },
  'tokens.manage': { label: t('Manage tokens'), hint: t('Make tokens that can do what this one can do.') },
  'destinations.manage': { label: t('Manage destinations'), hint: t('They receive messages of contacts.') },
  'deliveries.replay': { label: t('Resend events') },
  'events.read': { label: t('See lines, destinations and events'), hint: t('Without message content.') },
  'alerts.read': { label: t('See alerts') },
  'templates.read': { label: t('See templates') },
  'usage.read': { label: t('See usage') },
  'messages.read': { label: t('See messages') },
  'messages.send': { label: t('Send messages and change opt-outs') },
  'contacts.erase': { label: t('Erase contacts') },
  'templates.write': { label: t('Write and submit templates') },
  'alerts.manage': { label: t('Manage alerts') },
  'audit.read': { label: t('Read the audit log') },
});
