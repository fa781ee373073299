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

/** The headings, in the order of the page. */
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
  Alerts: 'Webhooks that are notified when an incident on your line starts and when it ends.',
};

/**
 * Every operation of the API, in the order of the page. The server registers this list, the OpenAPI document and the page
 * at /docs are made of it, and tests hold every answer that they see against it: an operation, a status, a header, a
 * field or a word that an operation does not name fails them.
 *
 * To add one: a file in the folder of its subject that exports one `Operation` with everything about it, beside its
 * handler; then its line here. A new word in braces in its path gets its line in `PATH_PARAMETERS`, a new `tag` its line
 * in `TAGS`. Refusals are made by the functions of `errors.ts`: their statuses, words, sentences and `Retry-After` are
 * read off them. Two operations whose paths differ only in the word in braces are one to OpenAPI: `GET /{object_id}` is
 * one operation, with `anyOf` of its answers.
 */
export const OPERATIONS: Operation[] = [
  sendMessage,
  sendBatch,
  getMessage,
  getWindow,
  listMessages,
  listTemplates,
  listMessageTemplates,
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
  listAlertWebhooks,
  addAlertWebhook,
  removeAlertWebhook,
];
