import { type Migration } from 'kysely/migration';
import { initial } from './001-initial';
import { idempotency } from './002-idempotency';
import { aliases } from './003-aliases';
import { polling } from './004-polling';
import { queues } from './005-queues';
import { processes } from './006-processes';
import { panel } from './007-panel';
import { handshake } from './008-handshake';
import { lists } from './009-lists';
import { replayed } from './010-replayed';
import { panelLists } from './011-panel-lists';
import { bodies } from './012-bodies';
import { asked } from './013-asked';
import { followed } from './014-followed';
import { nextTry } from './015-next-try';
import { qualityNode } from './016-quality-node';
import { sequence } from './017-sequence';
import { changes } from './018-changes';
import { tokens } from './018-tokens';
import { unlocked } from './019-unlocked';
import { kept } from './020-kept';
import { optOuts } from './021-opt-outs';
import { gathering } from './022-gathering';
import { alerts } from './023-alerts';
import { eventsOfLine } from './024-events-of-line';
import { sentBodies } from './025-sent-bodies';
import { aliasNames } from './026-alias-names';
import { alertWebhooksEnd } from './027-alert-webhooks-end';
import { alertFactsIndexed } from './028-alert-facts';
import { lastTried } from './029-last-tried';
import { rejectedReason } from './030-rejected-reason';
import { noClaims } from './031-no-claims';
import { gatheringOrder } from './032-gathering-order';
import { sentTemplates } from './033-sent-templates';
import { tokenAnswers } from './034-token-answers';
import { addressChanged } from './035-address-changed';
import { automationPauses } from './036-automation-pauses';
import { questions } from './037-questions';
import { facts } from './038-facts';
import { channelFailures } from './039-channel-failures';
import { failingSeconds } from './040-failing-seconds';
import { questionTokens } from './041-question-tokens';
import { customers } from './042-customers';
import { listsOfLines } from './043-lists-of-lines';
import { customerAudit } from './044-customer-audit';
import { timesOfLines } from './045-times-of-lines';
import { looks } from './046-looks';
import { templateOwners } from './047-template-owners';
import { lineChecks } from './048-line-checks';
import { templateDrafts } from './049-template-drafts';
import { templateCategories } from './051-template-categories';
import { adminTokens } from './052-admin-tokens';
import { people } from './053-people';
import { oidc } from './054-oidc';
import { adminRequests } from './056-admin-requests';
import { usage } from './057-usage';
import { platformUsage } from './058-platform-usage';
import { rateCards } from './059-rate-cards';
import { processRoles } from './061-process-roles';
import { partitions } from './062-partitions';

/** Every migration, by name and in order. Never change the statements of a migration that has landed. */
export const migrations = (dialect: 'sqlite' | 'postgres'): Record<string, Migration> => ({
  '001-initial': initial(dialect),
  '002-idempotency': idempotency,
  '003-aliases': aliases,
  '004-polling': polling,
  '005-queues': queues,
  '006-processes': processes(dialect),
  '007-panel': panel(dialect),
  '008-handshake': handshake,
  '009-lists': lists,
  '010-replayed': replayed,
  '011-panel-lists': panelLists,
  '012-bodies': bodies,
  '013-asked': asked,
  '014-followed': followed,
  '015-next-try': nextTry,
  '016-quality-node': qualityNode,
  '017-sequence': sequence(dialect),
  '018-changes': changes,
  '018-tokens': tokens,
  '019-unlocked': unlocked,
  '020-kept': kept(dialect),
  '021-opt-outs': optOuts,
  '022-gathering': gathering,
  '023-alerts': alerts(dialect),
  '024-events-of-line': eventsOfLine(dialect),
  '025-sent-bodies': sentBodies,
  '026-alias-names': aliasNames(dialect),
  '027-alert-webhooks-end': alertWebhooksEnd,
  '028-alert-facts': alertFactsIndexed(dialect),
  '029-last-tried': lastTried,
  '030-rejected-reason': rejectedReason,
  '031-no-claims': noClaims,
  '032-gathering-order': gatheringOrder(dialect),
  '033-sent-templates': sentTemplates,
  '034-token-answers': tokenAnswers,
  '035-address-changed': addressChanged,
  '036-automation-pauses': automationPauses,
  '037-questions': questions,
  '038-facts': facts,
  '039-channel-failures': channelFailures,
  '040-failing-seconds': failingSeconds,
  '041-question-tokens': questionTokens,
  '042-customers': customers(dialect),
  '043-lists-of-lines': listsOfLines(dialect),
  '044-customer-audit': customerAudit,
  '045-times-of-lines': timesOfLines(dialect),
  '046-looks': looks,
  '047-template-owners': templateOwners,
  '048-line-checks': lineChecks,
  '049-template-drafts': templateDrafts(dialect),
  '051-template-categories': templateCategories,
  '052-admin-tokens': adminTokens(dialect),
  '053-people': people(dialect),
  '054-oidc': oidc(dialect),
  '056-admin-requests': adminRequests(dialect),
  '057-usage': usage(dialect),
  '058-platform-usage': platformUsage,
  '059-rate-cards': rateCards(dialect),
  '061-process-roles': processRoles,
  '062-partitions': partitions,
});
