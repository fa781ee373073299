/**
 * The initial templates of every simulated business account: one of each kind that a sender must handle.
 * Format:
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
 */

export type TemplateStatus =
  | 'APPROVED'
  | 'PENDING'
  | 'IN_APPEAL'
  | 'REJECTED'
  | 'PAUSED'
  | 'DISABLED'
  | 'ARCHIVED'
  | 'LIMIT_EXCEEDED'
  | 'PENDING_DELETION';
export type TemplateCategory = 'UTILITY' | 'MARKETING' | 'AUTHENTICATION';

export type TemplateButton =
  | { type: 'QUICK_REPLY'; text: string }
  | { type: 'URL'; text: string; url: string; example?: string[] }
  | { type: 'PHONE_NUMBER'; text: string; phone_number: string }
  | { type: 'COPY_CODE'; text: string; example?: string[] }
  | { type: 'FLOW'; text: string; flow_id?: string }
  | { type: 'CATALOG' | 'MPM' | 'SPM' | 'VOICE_CALL'; text: string };

type FileFormat = 'IMAGE' | 'VIDEO' | 'GIF' | 'DOCUMENT' | 'LOCATION' | 'PRODUCT';

export type ComponentDefinition =
  | { type: 'HEADER'; format: 'TEXT'; text: string; example?: object }
  | { type: 'HEADER'; format: FileFormat; example?: object }
  | { type: 'BODY'; text: string; example?: object }
  | { type: 'FOOTER'; text: string }
  | { type: 'BUTTONS'; buttons: TemplateButton[] }
  | { type: 'LIMITED_TIME_OFFER'; limited_time_offer: { text: string; has_expiration: boolean } }
  | { type: 'CAROUSEL'; cards: { components: ComponentDefinition[] }[] };

export interface Template {
  name: string;
  parameter_format: 'POSITIONAL' | 'NAMED';
  components: ComponentDefinition[];
  language: string;
  status: TemplateStatus;
  category: TemplateCategory;
  /** GREEN, YELLOW, RED or UNKNOWN; `date` in seconds since 1970. */
  quality_score: { score: string; date: number };
  rejected_reason: string;
  library_template_name?: string;
  id: string;
}

const RATED_AT = 1767603600;

/** Fields that most templates share. */
const USUAL = {
  parameter_format: 'POSITIONAL',
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  quality_score: { score: 'GREEN', date: RATED_AT },
  rejected_reason: 'NONE',
} as const;

export const STARTER_TEMPLATES: readonly Template[] = [
  {
    ...USUAL,
    name: 'hello_world',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      {
        type: 'BODY',
        text: 'Welcome! This message shows that your line can send. Reply to it and see what arrives.',
      },
      { type: 'FOOTER', text: 'Sandbox' },
    ],
    id: '1094370815520011',
  },
  {
    ...USUAL,
    name: 'order_update',
    components: [
      {
        type: 'BODY',
        text: 'Hello {{1}}, your order {{2}} is on its way.',
        example: { body_text: [['Ana', 'A-1042']] },
      },
      { type: 'FOOTER', text: 'Thank you for your order' },
    ],
    id: '1094370815520027',
  },
  {
    ...USUAL,
    name: 'order_update',
    components: [
      {
        type: 'BODY',
        text: 'Olá {{1}}, o seu pedido {{2}} está a caminho.',
        example: { body_text: [['Ana', 'A-1042']] },
      },
      { type: 'FOOTER', text: 'Obrigado pelo seu pedido' },
    ],
    language: 'pt_BR',
    quality_score: { score: 'UNKNOWN', date: RATED_AT },
    id: '1094370815520033',
  },
  {
    ...USUAL,
    name: 'appointment_reminder',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Your appointment' },
      {
        type: 'BODY',
        text: 'Hello {{1}}, we expect you on {{2}} at {{3}}. Will you come?',
        example: { body_text: [['Ana', 'Friday', '15:30']] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Yes' },
          { type: 'QUICK_REPLY', text: 'No' },
        ],
      },
    ],
    quality_score: { score: 'YELLOW', date: RATED_AT },
    id: '1094370815520049',
  },
  {
    ...USUAL,
    name: 'payment_received',
    parameter_format: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Hello {{customer_name}}, we received your payment of {{amount}}. Thank you!',
        example: {
          body_text_named_params: [
            { param_name: 'customer_name', example: 'Ana' },
            { param_name: 'amount', example: '25.00 USD' },
          ],
        },
      },
    ],
    id: '1094370815520083',
  },
  {
    ...USUAL,
    name: 'new_collection',
    components: [
      {
        type: 'HEADER',
        format: 'IMAGE',
        example: { header_handle: ['https://shop.example/collection.jpg'] },
      },
      {
        type: 'BODY',
        text: 'Hello {{1}}, our new collection is here. Look around before everybody else does.',
        example: { body_text: [['Ana']] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'See it',
            url: 'https://shop.example/collection/{{1}}',
            example: ['https://shop.example/collection/spring'],
          },
          { type: 'QUICK_REPLY', text: 'Unsubscribe' },
        ],
      },
    ],
    category: 'MARKETING',
    id: '1094370815520055',
  },
  {
    ...USUAL,
    name: 'delivery_feedback',
    components: [
      {
        type: 'BODY',
        text: 'Hi {{1}}, how did the delivery of your order go?',
        example: { body_text: [['Ana']] },
      },
    ],
    status: 'PENDING',
    quality_score: { score: 'UNKNOWN', date: RATED_AT },
    id: '1094370815520061',
  },
  {
    ...USUAL,
    name: 'flash_sale',
    components: [{ type: 'BODY', text: 'Everything must go! Reply now and win.' }],
    status: 'REJECTED',
    quality_score: { score: 'UNKNOWN', date: RATED_AT },
    rejected_reason: 'TAG_CONTENT_MISMATCH',
    id: '1094370815520077',
  },
];
