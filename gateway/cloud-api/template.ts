/**
 * A template as upstream tells it.
 * Shape: developers.facebook.com/docs/whatsapp/business-management-api/message-templates.
 */
export interface UpstreamTemplate {
  id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  parameter_format?: string;
  quality_score?: { score?: string };
  components?: TemplateComponent[];
}

export interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  buttons?: TemplateButton[];
}

export interface TemplateButton {
  type: string;
  text?: string;
  url?: string;
  phone_number?: string;
}

export const TEMPLATE_FIELDS = [
  'id',
  'name',
  'language',
  'category',
  'status',
  'parameter_format',
  'quality_score',
  'components',
] as const;

/** The node as it is read in upstream's own shape: every field of it, and those that upstream tells unasked. */
export const TEMPLATE_NODE = {
  known: [
    ...TEMPLATE_FIELDS,
    'correct_category',
    'cta_url_link_tracking_opted_out',
    'degrees_of_freedom_spec',
    'is_primary_device_delivery_only',
    'library_template_name',
    'message_send_ttl_seconds',
    'previous_category',
    'rejected_reason',
    'specific_rejection_reasons',
    'sub_category',
  ] as readonly string[],
  usual: ['name', 'parameter_format', 'components', 'language', 'status', 'category'],
  named: 'WhatsAppMessageTemplate',
};

export type TemplateState = 'approved' | 'pending' | 'rejected' | 'disabled';
export const TEMPLATE_STATES: readonly TemplateState[] = ['approved', 'pending', 'rejected', 'disabled'];

const STATES: Record<string, TemplateState> = {
  APPROVED: 'approved',
  FLAGGED: 'approved',
  REINSTATED: 'approved',
  PENDING: 'pending',
  IN_APPEAL: 'pending',
  REJECTED: 'rejected',
  PAUSED: 'disabled',
  DISABLED: 'disabled',
  ARCHIVED: 'disabled',
  LIMIT_EXCEEDED: 'disabled',
  PENDING_DELETION: 'disabled',
  DELETED: 'disabled',
};

/** What an upstream word means for sending; null for a word that is not known (it counts as pending). */
export const templateStateOf = (upstreamStatus: string): TemplateState | null =>
  STATES[upstreamStatus.toUpperCase()] ?? null;

/** The distinct placeholders of a text, in order: `["1", "2"]` of positional ones, names of named ones. */
export const placeholdersOf = (text: string | undefined): string[] => [
  ...new Set(Array.from((text ?? '').matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g), ([, name]) => name as string)),
];

/** One button in the words of this API. `variables` is the number of values that a send has to bring for it. */
export interface ButtonRecord {
  index: number;
  type: string;
  text: string;
  url?: string;
  phone_number?: string;
  variables: number;
}

/** What a template consists of, read from its components. */
export interface TemplateParts {
  header: { type: string; text: string | null } | null;
  body: string;
  footer: string | null;
  buttons: ButtonRecord[];
  headerVariables: string[];
  bodyVariables: string[];
}

export function templateParts(components: TemplateComponent[]): TemplateParts {
  const part = (type: string) => components.find((component) => component.type.toUpperCase() === type);
  const header = part('HEADER');
  const format = header?.format?.toLowerCase() ?? 'text';
  const text = format === 'text' ? (header?.text ?? '') : null;
  const body = part('BODY')?.text ?? '';
  const buttons = part('BUTTONS')?.buttons ?? [];
  return {
    header: header ? { type: format, text } : null,
    body,
    footer: part('FOOTER')?.text ?? null,
    buttons: buttons.map((button, index) => ({
      index,
      type: button.type.toLowerCase(),
      text: button.text ?? '',
      ...(button.url !== undefined && { url: button.url }),
      ...(button.phone_number !== undefined && { phone_number: button.phone_number }),
      variables: variablesOf(button),
    })),
    headerVariables: placeholdersOf(text ?? ''),
    bodyVariables: placeholdersOf(body),
  };
}

/** A web address may end in a placeholder; a coupon code is always given with the send. */
const variablesOf = (button: TemplateButton): number =>
  button.type.toUpperCase() === 'COPY_CODE' ? 1 : placeholdersOf(button.url).length;
