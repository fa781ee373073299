import { type TemplateComponent } from '../cloud-api/template';

/**
 * Templates created with a new line: two that most businesses need first. They are suggestions: the platform must
 * have and approve a template with that name before it can be sent.
 */
export const STARTER_TEMPLATES: {
  name: string;
  language: string;
  category: string;
  components: TemplateComponent[];
}[] = [
  {
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY',
    components: [
      { type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' },
      { type: 'FOOTER', text: 'Thank you for your order' },
    ],
  },
  {
    name: 'appointment_reminder',
    language: 'en_US',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Your appointment' },
      { type: 'BODY', text: 'Hello {{1}}, we expect you on {{2}} at {{3}}. Will you come?' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Yes' },
          { type: 'QUICK_REPLY', text: 'No' },
        ],
      },
    ],
  },
];
