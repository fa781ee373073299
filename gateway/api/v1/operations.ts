import { type TSchema } from 'typebox';
import { Template } from '../templates/list-templates';
import {
  AdminTokenObject,
  createAdminTokenOperation,
  getAdminToken,
  listAdminTokens,
  revokeAdminTokenOperation,
} from './admin-tokens/admin-tokens';
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
import { replayDeliveries } from './deliveries/replay';
import {
  pauseDestinationOperation,
  resumeDestinationOperation,
  rotateDestinationSecret,
  testDestinationOperation,
} from './destinations/destination-actions';
import {
  changeDestination,
  createDestination,
  DestinationObject,
  getDestination,
  listDestinations,
  removeDestinationOperation,
} from './destinations/destinations';
import { getLineChecks, LineChecks, repairLineOperation, runLineChecks } from './lines/line-checks';
import { changeLine, createLine, getLine, LineObject, listLines, removeLineOperation } from './lines/lines';
import {
  createTokenOperation,
  getToken,
  LineTokenObject,
  listTokens,
  revokeTokenOperation,
  rotateTokenOperation,
} from './lines/tokens';
import { getMe, Me } from './me';
import {
  createInvitation,
  getInvitation,
  Invitation,
  listInvitations,
  renewInvitationOperation,
  revokeInvitationOperation,
} from './people/invitations';
import {
  createUser,
  endAllSessions,
  endSession,
  getUser,
  listSessions,
  listUsers,
  putMembership,
  removeMembership,
  removeUserOperation,
  resetUser,
  User,
  UserSessions,
} from './people/users';
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
import {
  createRateCard,
  getRateCard,
  listRateCards,
  RateCard,
  RateCardImport,
  RateCardPrices,
  removeRateCardOperation,
} from './usage/rate-cards';
import { getUsage, Usage } from './usage/usage';
import { type AdminOperation } from './operation';

/** The headings, in the order of the page at /v1/docs. */
export const ADMIN_TAGS: Record<string, string> = {
  Customers: 'The companies whose lines you run.',
  Lines: 'Phone numbers with their credentials, and the checks of their setup.',
  'Tokens of lines': 'The tokens with which programs use one line.',
  Destinations: 'The URLs that receive the events of a line.',
  Deliveries: 'Events on their way to destinations.',
  Users: 'Who can use the panel, and their roles.',
  Invitations: 'Links with which people choose a name and a password.',
  Templates: 'Templates at the platform, and drafts of new ones.',
  Usage: 'What lines sent and received, and what it cost.',
  Alerts: 'What is wrong, and who is notified.',
  Audit: 'Who changed what, and when.',
  'Admin tokens': 'The tokens of this API.',
};

/** The schemas of objects, by the names under which operations refer to them. */
export const ADMIN_SCHEMAS: Record<string, TSchema> = {
  Customer,
  Line: LineObject,
  LineChecks,
  LineToken: LineTokenObject,
  Destination: DestinationObject,
  AdminToken: AdminTokenObject,
  AlertChannel,
  AlertMute,
  AlertRule,
  AuditEntry,
  CustomerAuditEntry,
  Incident,
  Invitation,
  Me,
  RateCard,
  RateCardImport,
  RateCardPrices,
  Template,
  TemplateDraft,
  TemplateSubmissions,
  Usage,
  User,
  UserSessions,
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
  listLines,
  createLine,
  getLine,
  changeLine,
  removeLineOperation,
  getLineChecks,
  runLineChecks,
  repairLineOperation,
  listTokens,
  createTokenOperation,
  getToken,
  rotateTokenOperation,
  revokeTokenOperation,
  listDestinations,
  createDestination,
  getDestination,
  changeDestination,
  removeDestinationOperation,
  pauseDestinationOperation,
  resumeDestinationOperation,
  rotateDestinationSecret,
  testDestinationOperation,
  replayDeliveries,
  listAdminTokens,
  createAdminTokenOperation,
  getAdminToken,
  revokeAdminTokenOperation,
  listUsers,
  createUser,
  getUser,
  removeUserOperation,
  putMembership,
  removeMembership,
  resetUser,
  listSessions,
  endSession,
  endAllSessions,
  listInvitations,
  createInvitation,
  getInvitation,
  renewInvitationOperation,
  revokeInvitationOperation,
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
  getUsage,
  listRateCards,
  createRateCard,
  getRateCard,
  removeRateCardOperation,
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
