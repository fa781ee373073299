import { NODE_TYPES } from '../support/node-messages';
import { DEMO_CONTACT } from '../../gateway/sandbox/platform/account';
import { type WorkflowNode } from './editor-client';
import { builtIn, type Scene } from './scene';

const SEND = { resource: 'message', operation: 'send', to: '+55 11 98765-4321' };

/** As From List stores it: `order_update|en_US`, shown as "order_update (en_US)". */
const picked = (value: string) => ({
  __rl: true,
  mode: 'list',
  value,
  cachedResultName: value.replace(/\|(.*)/, ' ($1)'),
});

/** What a person may have before them in the action node's panel, by a name for it. */
const ACTIONS: Record<string, Record<string, unknown>> = {
  new: {},
  ...Object.fromEntries(NODE_TYPES.map((messageType) => [messageType, { ...SEND, messageType }])),
  text: { ...SEND, text: 'Hello!' },
  'text of a model': { ...SEND, text: '**Hello!**', options: { convertMarkdown: true, splitText: true } },
  'line of each item': {
    ...SEND,
    text: 'Hello!',
    line: { __rl: true, mode: 'id', value: '={{ $json.line }}' },
  },
  'send image': { ...SEND, operation: 'sendImage' },
  'file of n8n': { ...SEND, messageType: 'file', mediaSource: 'binary' },
  'image of n8n': { ...SEND, messageType: 'image', mediaSource: 'binary' },
  contacts: { ...SEND, messageType: 'contacts', contacts: { contact: [{ name: 'Ana Souza' }] } },
  'several products': { ...SEND, messageType: 'products', productsShown: 'several' },
  buttons: {
    ...SEND,
    messageType: 'buttons',
    body: 'When shall we deliver?',
    buttons: { button: [{ title: 'Today' }, { title: 'Tomorrow' }] },
  },
  'buttons of items': { ...SEND, messageType: 'buttons', choicesFrom: 'items' },
  list: {
    ...SEND,
    messageType: 'list',
    body: 'Which time suits you?',
    listButton: 'See times',
    sections: { section: [{ title: 'Morning', rows: { row: [{ title: '9 to 10' }] } }] },
  },
  'template not chosen': { ...SEND, messageType: 'template' },
  template: { ...SEND, messageType: 'template', template: picked('order_update|en_US') },
  'template without variables': { ...SEND, messageType: 'template', template: picked('hello_world|en_US') },
  'template with an image': { ...SEND, messageType: 'template', template: picked('new_collection|en_US') },
  'template by name': {
    ...SEND,
    messageType: 'template',
    template: { __rl: true, mode: 'name', value: 'order_update' },
  },
  fallback: {
    ...SEND,
    text: 'Hello!',
    outsideWindow: 'template',
    fallbackTemplate: picked('order_update|en_US'),
  },
  wait: { resource: 'message', operation: 'sendAndWait', to: DEMO_CONTACT, message: 'May we deliver?' },
  'wait for rows of data': {
    resource: 'message',
    operation: 'sendAndWait',
    responseType: 'list',
    choicesFrom: 'array',
  },
  'wait for free text': { resource: 'message', operation: 'sendAndWait', responseType: 'freeText' },
  'wait for a choice': {
    resource: 'message',
    operation: 'sendAndWait',
    to: DEMO_CONTACT,
    message: 'Which size?',
    responseType: 'freeText',
    answerType: 'choice',
    answerChoices: 'Small, Medium, Large',
    saying: 'Please choose one of the three.',
    options: { alsoForward: true, dateOrder: 'dayFirst', ifOpen: 'replace' },
  },
  'several questions': {
    resource: 'message',
    operation: 'sendAndWait',
    to: DEMO_CONTACT,
    responseType: 'questions',
    questions: {
      question: [
        { message: 'What is your name?', name: 'name', answerType: 'text' },
        { message: 'Which size?', name: 'size', answerType: 'choice', answerChoices: 'Small, Large' },
      ],
    },
  },
  'mark as read': { resource: 'message', operation: 'markAsRead' },
  'get message': { resource: 'message', operation: 'get' },
  'get templates': { resource: 'template', operation: 'getAll' },
  'get template': { resource: 'template', operation: 'get' },
  'get messages': { resource: 'message', operation: 'getAll', to: DEMO_CONTACT },
  'opt out': { resource: 'contact', operation: 'optOut', to: DEMO_CONTACT },
  'get opted out': { resource: 'contact', operation: 'getOptedOut' },
  window: { resource: 'contact', operation: 'getWindow', to: DEMO_CONTACT },
  'pause automation': { resource: 'contact', operation: 'pauseAutomation', to: DEMO_CONTACT, hours: 8 },
  'resume automation': { resource: 'contact', operation: 'resumeAutomation', to: DEMO_CONTACT },
  'download file': { resource: 'media', operation: 'download' },
  'upload file': { resource: 'media', operation: 'upload' },
  'delete file': { resource: 'media', operation: 'delete' },
  'line status': { resource: 'line', operation: 'getStatus' },
};

const TRIGGERS: Record<string, Record<string, unknown>> = {
  'trigger new': {},
  'trigger with filters': {
    events: ['messages', 'failed'],
    filters: {
      kinds: ['text', 'reply'],
      keywords: { keyword: { words: 'order, delivery', match: 'word' } },
      notFrom: '+1 202 555 0147',
      officeHours: {
        hours: {
          days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
          from: '09:00',
          to: '18:00',
          pass: 'within',
          timeZone: 'America/Sao_Paulo',
        },
      },
    },
    downloadFiles: true,
    options: { mediaLimit: 16, mediaField: 'data' },
  },
  'trigger with alerts': { events: ['messages', 'alerts'], options: { waitForPause: 90 } },
  'trigger by hand': { events: ['messages', 'alerts'], registration: 'manual' },
};

/** n8n's own nodes for the same, to be looked at beside ours. */
const THEIRS: Record<string, [type: string, parameters: Record<string, unknown>]> = {
  "n8n's text": ['whatsApp', { resource: 'message', operation: 'send', recipientPhoneNumber: SEND.to }],
  "n8n's template": ['whatsApp', { resource: 'message', operation: 'sendTemplate' }],
  "n8n's wait": ['whatsApp', { resource: 'message', operation: 'sendAndWait' }],
  "n8n's trigger": ['whatsAppTrigger', {}],
};

/** One node for each state of a panel, named after it. */
export const panelStates = (scene: Scene): WorkflowNode[] => [
  ...Object.entries(ACTIONS).map(([name, parameters]) => scene.action(name, parameters)),
  ...Object.entries(TRIGGERS).map(([name, parameters]) => scene.trigger(name, parameters)),
  ...Object.entries(THEIRS).map(([name, [type, parameters]]) =>
    builtIn(name, `n8n-nodes-base.${type}`, parameters),
  ),
];
