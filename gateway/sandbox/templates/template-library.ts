/**
 * `GET /message_template_library`, and creations with `library_template_name`: ready texts that need no review.
 * The platform's library is large; this one has an example of each kind.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/template-library
 */
import { parameterInvalid, parameterMissing } from '../platform/errors';
import { isObject, parseJson, type JsonObject } from '../platform/json';
import { lastOf, page, type QueryParameters } from '../platform/read';
import { type TemplateCategory } from './starter-templates';

type LibraryButton =
  | { type: 'URL'; text: string; url: string }
  | { type: 'PHONE_NUMBER'; text: string; phone_number: string }
  | { type: 'QUICK_REPLY'; text: string }
  | { type: 'OTP'; text: string; otp_type: 'COPY_CODE' };

/** An entry as the platform lists it. */
interface LibraryTemplate {
  name: string;
  language: string;
  category: TemplateCategory;
  topic: string;
  usecase: string;
  industry: string[];
  header?: string;
  body: string;
  body_params?: string[];
  body_param_types?: string[];
  buttons?: LibraryButton[];
  id: string;
}

const LIBRARY: readonly LibraryTemplate[] = [
  {
    name: 'parcel_on_its_way',
    language: 'en_US',
    category: 'UTILITY',
    topic: 'ORDER_MANAGEMENT',
    usecase: 'SHIPMENT_CONFIRMATION',
    industry: ['E_COMMERCE'],
    header: 'Your parcel',
    body: 'Hello {{1}}, your order {{2}} has left our warehouse and arrives on {{3}} if all goes well.',
    body_params: ['Ana', '#1042', 'May 4'],
    body_param_types: ['TEXT', 'TEXT', 'DATE'],
    buttons: [{ type: 'URL', text: 'Track it', url: 'https://www.example.com/' }],
    id: '2094370815520011',
  },
  {
    name: 'parcel_on_its_way',
    language: 'pt_BR',
    category: 'UTILITY',
    topic: 'ORDER_MANAGEMENT',
    usecase: 'SHIPMENT_CONFIRMATION',
    industry: ['E_COMMERCE'],
    header: 'Sua encomenda',
    body: 'Olá {{1}}, o seu pedido {{2}} saiu do nosso depósito e chega em {{3}} se tudo correr bem.',
    body_params: ['Ana', '#1042', '4 de maio'],
    body_param_types: ['TEXT', 'TEXT', 'DATE'],
    buttons: [{ type: 'URL', text: 'Acompanhar', url: 'https://www.example.com/' }],
    id: '2094370815520027',
  },
  {
    name: 'bill_is_due',
    language: 'en_US',
    category: 'UTILITY',
    topic: 'PAYMENTS',
    usecase: 'PAYMENT_DUE_REMINDER',
    industry: ['FINANCIAL_SERVICES'],
    body: 'Hello {{1}}, your bill of {{2}} is due on {{3}}. Please pay it in time.',
    body_params: ['Ana', '$25.00', 'May 4'],
    body_param_types: ['TEXT', 'AMOUNT', 'DATE'],
    buttons: [{ type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+12025550123' }],
    id: '2094370815520033',
  },
  {
    name: 'visit_reminder',
    language: 'en_US',
    category: 'UTILITY',
    topic: 'EVENT_REMINDER',
    usecase: 'RSVP_CONFIRMATION',
    industry: ['E_COMMERCE', 'FINANCIAL_SERVICES'],
    body: 'Hello {{1}}, we expect you on {{2}} at our place. Will you come?',
    body_params: ['Ana', 'May 4'],
    body_param_types: ['TEXT', 'DATE'],
    buttons: [
      { type: 'QUICK_REPLY', text: 'Yes' },
      { type: 'QUICK_REPLY', text: 'No' },
    ],
    id: '2094370815520049',
  },
  {
    name: 'code_to_log_in',
    language: 'en_US',
    category: 'AUTHENTICATION',
    topic: 'IDENTITY_VERIFICATION',
    usecase: 'OTP',
    industry: ['E_COMMERCE', 'FINANCIAL_SERVICES'],
    body: '{{1}} is your verification code.',
    body_params: ['123456'],
    body_param_types: ['TEXT'],
    buttons: [{ type: 'OTP', text: 'Copy code', otp_type: 'COPY_CODE' }],
    id: '2094370815520055',
  },
];

/** The platform's filters. */
const FILTERS: Record<string, (template: LibraryTemplate, wanted: string) => boolean> = {
  name: ({ name }, wanted) => name === wanted,
  language: ({ language }, wanted) => language === wanted,
  topic: ({ topic }, wanted) => topic === wanted,
  usecase: ({ usecase }, wanted) => usecase === wanted,
  industry: ({ industry }, wanted) => industry.includes(wanted),
  search: ({ name, body }, wanted) => `${name}\n${body}`.toLowerCase().includes(wanted.toLowerCase()),
};

export function listLibrary(query: QueryParameters, address: string): JsonObject {
  const found = LIBRARY.filter((template) =>
    Object.entries(FILTERS).every(([name, matches]) => {
      const wanted = lastOf(query[name]);
      return wanted === undefined || matches(template, wanted);
    }),
  );
  return page(
    found.map((template) => ({ ...template })),
    query,
    address,
  );
}

/** The components of a creation with `library_template_name`, as if the request contained them. */
export function libraryComponents(given: JsonObject): JsonObject[] {
  const { library_template_name: name, language } = given;
  const found = LIBRARY.find((each) => each.name === name && each.language === language);
  if (!found)
    throw parameterInvalid(`The template library has no template ${String(name)} in ${String(language)}.`);
  if (String(given.category).toUpperCase() !== found.category)
    throw parameterInvalid(`The library template ${found.name} has the category ${found.category}.`);
  const { header, body, body_params: samples, buttons } = found;
  return [
    ...(header === undefined ? [] : [{ type: 'HEADER', format: 'TEXT', text: header }]),
    { type: 'BODY', text: body, ...(samples && { example: { body_text: [samples] } }) },
    ...(buttons ? [{ type: 'BUTTONS', buttons: withInputs(buttons, given) }] : []),
  ];
}

/** Fills in the buttons: addresses and numbers are the business's own. */
function withInputs(buttons: LibraryButton[], given: JsonObject): JsonObject[] {
  const inputs = inputsIn(given.library_template_button_inputs);
  return buttons.map((button): JsonObject => {
    const input = inputs.find(({ type }) => String(type).toUpperCase() === button.type) ?? {};
    if (button.type === 'URL') {
      const { base_url: url, url_suffix_example: example } = isObject(input.url) ? input.url : {};
      if (typeof url !== 'string')
        throw parameterMissing("library_template_button_inputs['url']['base_url']");
      return { ...button, url, ...(typeof example === 'string' && { example: [example] }) };
    }
    if (button.type !== 'PHONE_NUMBER') return button;
    const { phone_number: number } = input;
    if (typeof number !== 'string') throw parameterMissing("library_template_button_inputs['phone_number']");
    return { ...button, phone_number: number };
  });
}

/** A list, or its JSON in a text. */
function inputsIn(given: unknown): JsonObject[] {
  const list = typeof given === 'string' ? parseJson(given) : given;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
