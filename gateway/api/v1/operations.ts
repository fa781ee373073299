import { type TSchema } from 'typebox';
import { Template } from '../templates/list-templates';
import {
  AlertChannel,
  changeAlertChannel,
  createAlertChannel,
  getAlertChannel,
  listAlertChannels,
  removeAlertChannel,
  testAlertChannel,
} from './alerts/channels';
import {
  AlertMute,
  createAlertMute,
  Incident,
  listAlertMutes,
  listIncidents,
  removeAlertMute,
} from './alerts/incidents';
import { AlertRule, changeAlertRule, getAlertRule, listAlertRules } from './alerts/rules';
import { AuditEntry, CustomerAuditEntry, listAudit, listCustomerAudit } from './audit/audit';
import {
  changeCustomer,
  createCustomer,
  Customer,
  getCustomer,
  listCustomers,
  putCustomer,
  removeCustomerOperation,
} from './customers/customers';
import { getMe, Me } from './me';
import {
  changeTemplateDraft,
  createTemplateDraft,
  deleteTemplateDraft,
  duplicateTemplateDraft,
  getTemplateDraft,
  listTemplateDrafts,
  TemplateDraft,
} from './templates/drafts';
import { getTemplateSubmissions, submitTemplateDraft, TemplateSubmissions } from './templates/submissions';
import { deleteLineTemplate, listLineTemplates } from './templates/templates';
import { type AdminOperation } from './operation';

/** The headings, in the order of the page at /v1/docs. */
export const ADMIN_TAGS: Record<string, string> = {
  Customers: 'The companies whose lines you run.',
  Templates: 'Templates at the platform, and drafts of new ones.',
  Alerts: 'What is wrong, and who is notified.',
  Audit: 'Who changed what, and when.',
  'Admin tokens': 'The tokens of this API.',
};

/** The schemas of objects, by the names under which operations refer to them. */
export const ADMIN_SCHEMAS: Record<string, TSchema> = {
  Customer,
  AlertChannel,
  AlertMute,
  AlertRule,
  AuditEntry,
  CustomerAuditEntry,
  Incident,
  Me,
  Template,
  TemplateDraft,
  TemplateSubmissions,
};

/**
 * Every operation of the management API, in the order of the page at /v1/docs. Like `OPERATIONS`: the server registers
 * this list, the OpenAPI document and the page are generated from it, and tests compare every response with it.
 *
 * To add a resource, create a folder with a file that exports its operations, made by the functions of `described.ts`;
 * `customers/customers.ts` is a complete example. Operations only translate: their rules are in use cases, which the
 * panel and the commands call too.
 */
export const ADMIN_OPERATIONS: AdminOperation[] = [
  getMe,
  listCustomers,
  createCustomer,
  putCustomer,
  getCustomer,
  changeCustomer,
  removeCustomerOperation,
  listLineTemplates,
  deleteLineTemplate,
  listTemplateDrafts,
  createTemplateDraft,
  getTemplateDraft,
  changeTemplateDraft,
  duplicateTemplateDraft,
  deleteTemplateDraft,
  getTemplateSubmissions,
  submitTemplateDraft,
  listIncidents,
  listAlertChannels,
  createAlertChannel,
  getAlertChannel,
  changeAlertChannel,
  removeAlertChannel,
  testAlertChannel,
  listAlertRules,
  getAlertRule,
  changeAlertRule,
  listAlertMutes,
  createAlertMute,
  removeAlertMute,
  listAudit,
  listCustomerAudit,
];
