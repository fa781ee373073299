import { forwarded, NODE, SUCCESS } from './forward';

const FIELDS = { fields: 'The fields to return, separated by commas.' };
const ANSWER = { description: 'The settings.', schema: NODE };
const DONE = { description: 'The settings were changed.', schema: SUCCESS };

export const getAutomation = forwarded('get /{tid}/conversational_automation', {
  id: 'getAutomation',
  summary: 'Read welcome message, prompts and commands',
  description: 'What the phone of a contact shows of your line before anything is written.',
  query: FIELDS,
  answer: ANSWER,
  refusals: () => [],
});

export const setAutomation = forwarded('post /{tid}/conversational_automation', {
  id: 'setAutomation',
  summary: 'Set welcome message, prompts and commands',
  description:
    'Sets up to four prompts (ice breakers) and 30 commands, and whether a first visit is announced.',
  body: {
    schema: NODE,
    isOptional: true,
    examples: { prompts: { value: { enable_welcome_message: true, prompts: ['Where is my order?'] } } },
  },
  query: {
    enable_welcome_message: 'Whether a first visit is announced, if not in the body.',
    prompts: 'A JSON list, if not in the body.',
    commands: 'A JSON list, if not in the body.',
  },
  answer: DONE,
  refusals: () => [],
});

export const getNumberSettings = forwarded('get /{tid}/settings', {
  id: 'getNumberSettings',
  summary: 'Read the settings of the number',
  description: 'Settings of the number at the platform, such as where its data is stored.',
  query: FIELDS,
  answer: ANSWER,
  refusals: () => [],
});

export const getCommerceSettings = forwarded('get /{tid}/whatsapp_commerce_settings', {
  id: 'getCommerceSettings',
  summary: 'Read the shop settings',
  description: 'Whether contacts see your catalogue and a cart.',
  query: FIELDS,
  answer: ANSWER,
  refusals: () => [],
});

export const setCommerceSettings = forwarded('post /{tid}/whatsapp_commerce_settings', {
  id: 'setCommerceSettings',
  summary: 'Change the shop settings',
  description: 'Shows or hides your catalogue and the cart.',
  query: {
    is_cart_enabled: 'Whether contacts have a cart, if not in the body.',
    is_catalog_visible: 'Whether contacts see the catalogue, if not in the body.',
  },
  body: {
    schema: NODE,
    isOptional: true,
    examples: { hide: { value: { is_cart_enabled: false, is_catalog_visible: false } } },
  },
  answer: DONE,
  refusals: () => [],
});
