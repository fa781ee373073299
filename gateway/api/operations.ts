import { addAlertWebhook } from './alerts/add-alert-webhook';
import { listAlertWebhooks } from './alerts/list-alert-webhooks';
import { removeAlertWebhook } from './alerts/remove-alert-webhook';
import { getAutomationPause } from './automation-pauses/get-automation-pause';
import { pauseAutomation } from './automation-pauses/pause-automation';
import { resumeAutomation } from './automation-pauses/resume-automation';
import { addDestination } from './destinations/add-destination';
import { listDestinations } from './destinations/list-destinations';
import { removeDestination } from './destinations/remove-destination';
import { resumeDestination } from './destinations/resume-destination';
import { blockContacts, listBlocked, unblockContacts } from './management/blocked-contacts';
import { editBusinessProfile, getBusinessProfile } from './management/business-profile';
import { debugToken } from './management/debug-token';
import { listPhoneNumbers } from './management/phone-numbers';
import { createQrCode, deleteQrCode, editQrCode, getQrCode, listQrCodes } from './management/qr-codes';
import { deregisterNumber, registerNumber, requestCode, verifyCode } from './management/registration';
import {
  getAutomation,
  getCommerceSettings,
  getNumberSettings,
  setAutomation,
  setCommerceSettings,
} from './management/settings';
import { listSubscribedApps, subscribeApp, unsubscribeApp } from './management/subscribed-apps';
import { beginUpload, continueUpload, getUpload } from './management/uploads';
import { getLineStatus } from './line/get-line-status';
import { deleteMedia } from './media/delete-media';
import { downloadMedia } from './media/download-media';
import { getObject } from './media/get-object';
import { uploadMedia } from './media/upload-media';
import { getMessage } from './messages/get-message';
import { getWindow } from './messages/get-window';
import { listMessages } from './messages/list-messages';
import { sendBatch } from './messages/send-batch';
import { sendMessage } from './messages/send-message';
import { type Operation } from './operation';
import { addOptOut } from './opt-outs/add-opt-out';
import { listOptOuts } from './opt-outs/list-opt-outs';
import { removeOptOut } from './opt-outs/remove-opt-out';
import { askQuestion } from './questions/ask-question';
import { cancelQuestion } from './questions/cancel-question';
import { getQuestion } from './questions/get-question';
import { listMessageTemplates } from './templates/list-message-templates';
import { listTemplates } from './templates/list-templates';
import {
  createMessageTemplate,
  deleteMessageTemplate,
  editMessageTemplate,
  getMessageTemplate,
  postObject,
} from './templates/manage-templates';

/** The headings, in the order of the page at /docs. */
export const TAGS: Record<string, string> = {
  Messages: 'Send texts, templates, files, buttons and lists.',
  Templates: 'Messages that the platform approved, which can be sent at any time.',
  Files: 'Upload what you want to send; download what contacts send you.',
  'Opt-outs': 'Contacts who want no more messages from your line. Sends to them are refused.',
  'Automation pauses': 'While a person answers a contact, workflows do not. Resume them here.',
  Line: 'Whether your phone line is connected, and how it is rated.',
  Destinations:
    'The URLs that receive replies and delivery statuses. Your program or a workflow registers its URL here.',
  Questions: 'Ask a contact, and get the answer at a separate URL.',
  Management:
    'What you otherwise set at the platform: profile, number, QR codes, blocked contacts. The token needs the scope `manage`, or `manage:read` for reads.',
  Alerts: 'Webhooks that are notified when an incident on your line starts and when it ends.',
};

/**
 * Every operation of the API, in the order of the page at /docs. The server registers this list, and the OpenAPI
 * document and the page are generated from it. Tests compare every response with it: an undeclared operation, status,
 * header, field or enum value fails them.
 *
 * To add an operation, create a file in the folder of its subject that exports one `Operation` beside its handler,
 * then add it here. A new path parameter is added to `PATH_PARAMETERS`, a new `tag` to `TAGS`. Refusals are created
 * by the functions of `errors.ts`, which supply statuses, codes, messages and `Retry-After`. OpenAPI treats paths
 * that differ only in a parameter's name as one operation: `GET /{object_id}` is one operation, with `anyOf` of its
 * responses.
 */
export const OPERATIONS: Operation[] = [
  sendMessage,
  sendBatch,
  getMessage,
  getWindow,
  listMessages,
  listTemplates,
  listMessageTemplates,
  createMessageTemplate,
  deleteMessageTemplate,
  getMessageTemplate,
  editMessageTemplate,
  postObject,
  uploadMedia,
  getObject,
  deleteMedia,
  downloadMedia,
  listOptOuts,
  addOptOut,
  removeOptOut,
  pauseAutomation,
  getAutomationPause,
  resumeAutomation,
  getLineStatus,
  listDestinations,
  addDestination,
  resumeDestination,
  removeDestination,
  askQuestion,
  getQuestion,
  cancelQuestion,
  listPhoneNumbers,
  getBusinessProfile,
  editBusinessProfile,
  beginUpload,
  continueUpload,
  getUpload,
  listBlocked,
  blockContacts,
  unblockContacts,
  listQrCodes,
  createQrCode,
  getQrCode,
  editQrCode,
  deleteQrCode,
  registerNumber,
  deregisterNumber,
  requestCode,
  verifyCode,
  getAutomation,
  setAutomation,
  getNumberSettings,
  getCommerceSettings,
  setCommerceSettings,
  listSubscribedApps,
  subscribeApp,
  unsubscribeApp,
  debugToken,
  listAlertWebhooks,
  addAlertWebhook,
  removeAlertWebhook,
];
