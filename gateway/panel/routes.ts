import { type PanelDeps } from './dependencies';
import { type PanelRoute } from './panel-route';
import { auditPages } from './account/audit';
import { logInPages } from './account/log-in';
import { oidcPages } from './account/oidc/log-in-with';
import { providerPages } from './account/oidc/providers';
import { profilePages } from './account/profile';
import { setUpPages } from './account/set-up';
import { acceptPages } from './account/people/accept-invitation';
import { invitationPages } from './account/people/invitations';
import { userPage } from './account/people/user';
import { userPages } from './account/people/users';
import { alertPages } from './alerts/alerts';
import { alertChannelPages } from './alerts/channels';
import { alertRulePages } from './alerts/rules';
import { backupPages } from './backups/backups';
import { composePages } from './compose/compose';
import { customerPages } from './customers/customers';
import { contactActionPages } from './conversations/contact-actions';
import { conversationPages } from './conversations/conversation';
import { conversationsPages } from './conversations/conversations';
import { destinationPages } from './destination/destination';
import { newDestinationPages } from './destination/new-destination';
import { testDestinationPages } from './destination/test-destination';
import { tryNowPages } from './destination/try-now';
import { eventPages } from './events/event';
import { eventsPages } from './events/events';
import { adminTokenPages } from './lines/admin-tokens';
import { editLinePages } from './lines/edit-line';
import { lineCheckActions } from './lines/checks';
import { linePages } from './lines/line';
import { linesPages } from './lines/lines';
import { newAdminTokenPages } from './lines/new-admin-token';
import { newLinePages } from './lines/new-line';
import { optOutPages } from './lines/opt-outs';
import { switchLinePages } from './lines/switch-line';
import { tokenPages } from './lines/tokens';
import { messagePages } from './messages/message';
import { messagesPages } from './messages/messages';
import { numberPages } from './number/number';
import { firstStepPages } from './overview/first-steps';
import { overviewPages } from './overview/overview';
import { phonePages, sandboxPages } from './phone/phone';
import { searchPages } from './search/search';
import { sandboxReviewPages } from './templates/sandbox-review';
import { editorPages } from './templates/editor/editor';
import { deleteTemplatePages } from './templates/delete-template';
import { boardPages } from './templates/drafts/board';
import { makeDraftPages } from './templates/drafts/make-drafts';
import { templateExportPages } from './templates/template-actions';
import { templatePages } from './templates/templates';
import { rateCardPages } from './usage/rate-cards';
import { usagePages } from './usage/usage';

/** All pages, by file. */
const PAGES: PanelRoute[] = [
  ...setUpPages,
  ...logInPages,
  ...oidcPages,
  ...firstStepPages,
  ...overviewPages,
  ...linesPages,
  ...switchLinePages,
  ...newLinePages,
  ...linePages,
  ...lineCheckActions,
  ...editLinePages,
  ...optOutPages,
  ...numberPages,
  ...composePages,
  ...newDestinationPages,
  ...destinationPages,
  ...testDestinationPages,
  ...tryNowPages,
  ...tokenPages,
  ...adminTokenPages,
  ...newAdminTokenPages,
  ...templatePages,
  ...editorPages,
  ...templateExportPages,
  ...deleteTemplatePages,
  ...makeDraftPages,
  ...boardPages,
  ...messagesPages,
  ...messagePages,
  ...eventsPages,
  ...eventPages,
  ...conversationsPages,
  ...conversationPages,
  ...contactActionPages,
  ...backupPages,
  ...searchPages,
  ...alertPages,
  ...alertChannelPages,
  ...alertRulePages,
  ...phonePages,
  ...profilePages,
  ...customerPages,
  ...userPages,
  ...providerPages,
  ...userPage,
  ...invitationPages,
  ...acceptPages,
  ...auditPages,
  ...usagePages,
  ...rateCardPages,
];

/**
 * All pages of this gateway. Some need a sandbox, and the uploads of the phone need more memory than other
 * forms.
 */
export const pagesOf = ({ sandboxUrl }: Pick<PanelDeps, 'sandboxUrl'>): PanelRoute[] =>
  sandboxUrl === null ? PAGES : [...PAGES, ...sandboxPages, ...sandboxReviewPages];
