import { DAY } from '../../time';
import { type TemplateIssueValues } from '../../wording/template-issues';

/**
 * The platform's rules for templates. `source` is the page that documents the rule, below `DOCUMENTATION`. `subcode`
 * is the platform's `error_subcode`; undefined if its pages and its published answers name none.
 */

export const DOCUMENTATION = 'https://developers.facebook.com/documentation/business-messaging/whatsapp/';

export type TemplateRule = keyof TemplateIssueValues;

interface RuleRow {
  /** `likely`: the platform or its review probably refuses it. */
  level: 'refused' | 'likely';
  source: string;
  subcode?: number;
}

const MANAGEMENT = 'templates/template-management';
const COMPONENTS = 'templates/components';
const ERRORS = 'support/error-codes';
const REVIEW = 'templates/template-review';
const OVERVIEW = 'templates/overview';
const OFFER = 'templates/marketing-templates/limited-time-offer-templates';
const CAROUSEL = 'templates/marketing-templates/media-card-carousel-templates';
const AUTHENTICATION = 'templates/authentication-templates/autofill-button-authentication-templates';
const ZERO_TAP = 'templates/authentication-templates/zero-tap-authentication-templates';

const refused = (source: string, subcode?: number): RuleRow => ({
  level: 'refused',
  source,
  ...(subcode !== undefined && { subcode }),
});
const likely = (source: string, subcode?: number): RuleRow => ({
  ...refused(source, subcode),
  level: 'likely',
});

export const RULES: Record<TemplateRule, RuleRow> = {
  'field.missing': refused(COMPONENTS),
  'field.type': refused(COMPONENTS),
  'value.unknown': refused(MANAGEMENT),
  // The platform adds kinds more often than this table changes.
  'kind.unknown': likely(COMPONENTS),
  'text.long': refused(COMPONENTS, 2388040),
  'number.range': refused('templates/time-to-live'),

  'name.format': refused(MANAGEMENT, 2388046),
  'name.sample': likely(OVERVIEW, 2388155),
  'name.taken': refused(MANAGEMENT, 2388024),
  'name.deleted': refused(MANAGEMENT, 2388023),
  'language.unknown': refused('templates/supported-languages'),
  'category.other': refused('templates/template-categorization'),
  'category.unfit': refused(COMPONENTS),
  'category.promotional': likely('templates/template-categorization'),
  'account.full': refused(ERRORS, 2388019),

  'component.missing': refused(COMPONENTS),
  'component.twice': refused(COMPONENTS),
  'component.unfit': refused(COMPONENTS),
  'carousel.beside': likely(CAROUSEL),
  'carousel.cards': refused(CAROUSEL),
  'carousel.unlike': refused(CAROUSEL),
  'header.unfit': refused(CAROUSEL),
  // The platform answers with the subcode that its page gives for bodies.
  'header.format': refused(COMPONENTS, 2388072),
  'header.variables': refused(COMPONENTS, 2388047),
  'body.lines': refused(ERRORS, 2388072),
  'body.emojis': refused(ERRORS, 2388072),
  'body.variables_only': refused(ERRORS, 2388072),
  'footer.format': refused(ERRORS, 2388073),
  'footer.variables': refused(ERRORS, 2388073),

  'variable.format': refused(REVIEW),
  'variable.mixed': refused(OVERVIEW),
  'variable.gap': refused(REVIEW),
  'variable.edge': refused(ERRORS, 2388299),
  'variable.punctuation': likely(ERRORS, 2388299),
  'variable.adjacent': likely(REVIEW),
  'variable.ratio': likely(ERRORS, 2388293),
  'sample.missing': refused(COMPONENTS, 2388043),
  'sample.count': refused(CAROUSEL),
  'sample.personal': likely(REVIEW),
  'link.shortener': likely(REVIEW),

  'buttons.count': refused(COMPONENTS),
  'buttons.kind_count': refused(COMPONENTS),
  'buttons.grouping': refused(COMPONENTS),
  'button.format': refused(COMPONENTS, 2388060),
  'button.unfit': refused(CAROUSEL),
  'url.format': refused(COMPONENTS),
  'url.variable': refused(COMPONENTS),
  'offer.code_order': refused(OFFER),

  'authentication.text': refused(AUTHENTICATION, 2388042),
  'authentication.button': refused(AUTHENTICATION),
  'authentication.apps': refused(AUTHENTICATION),
  'authentication.package': refused(AUTHENTICATION),
  'authentication.hash': refused(AUTHENTICATION),
  'authentication.terms': refused(ZERO_TAP),

  'edit.state': refused(MANAGEMENT, 2388039),
  'edit.empty': refused(MANAGEMENT),
  'edit.category': refused(MANAGEMENT),
  'edit.fixed': likely(MANAGEMENT),
  'edit.daily': refused(MANAGEMENT),
  'edit.monthly': refused(MANAGEMENT),
};

/** The most characters, as code points. */
export const LENGTHS = {
  name: 512,
  header: 60,
  body: 1024,
  cardBody: 160,
  offerBody: 600,
  footer: 60,
  label: 25,
  url: 2000,
  phone: 20,
  code: 20,
  offerCode: 15,
  offer: 16,
  package: 224,
};

export const COUNTS = {
  lines: 2,
  emojis: 10,
  cards: { least: 2, most: 10 },
  buttons: 10,
  cardButtons: 2,
  apps: 5,
  /** Fixed words that the platform wants for each variable; it publishes no number. */
  wordsPerVariable: 2,
};

/** The most buttons of a kind. */
export const KIND_COUNTS: Record<string, number> = {
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  CATALOG: 1,
  MPM: 1,
  SPM: 1,
};

export const EXPIRY_MINUTES = { least: 1, most: 90 };

/**
 * Seconds for which delivery is tried. For marketing templates, the platform documents at least 12 hours, but
 * accepts less in its own example.
 */
export const TIME_TO_LIVE: Record<string, { least: number; most: number }> = {
  AUTHENTICATION: { least: 30, most: 900 },
  UTILITY: { least: 30, most: 43_200 },
  MARKETING: { least: 30, most: 2_592_000 },
};
/** As a time to live: 30 days, for new templates of these categories. */
export const LONGEST_TIME_TO_LIVE = { value: -1, categories: ['AUTHENTICATION', 'UTILITY'] };

export const NAME_LOCKED = 30 * DAY;
export const EDITS = { statuses: ['APPROVED', 'REJECTED', 'PAUSED'], every: DAY, most: 10, within: 30 * DAY };

export const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const;
export const PARAMETER_FORMATS = ['POSITIONAL', 'NAMED'] as const;
export const OTP_TYPES = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'];

/** Kinds that the platform names in its pages and errors. */
export const KINDS: Record<'component' | 'header' | 'button', readonly string[]> = {
  component: [
    ...['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER', 'CAROUSEL'],
    'CALL_PERMISSION_REQUEST',
  ],
  header: ['TEXT', 'IMAGE', 'VIDEO', 'GIF', 'DOCUMENT', 'LOCATION', 'PRODUCT'],
  button: [
    ...['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'FLOW', 'CATALOG', 'MPM', 'SPM', 'OTP'],
    ...['VOICE_CALL', 'VIDEO_CALL', 'POSTBACK', 'ORDER_DETAILS', 'PAYMENT_REQUEST', 'BOOKING_STATUS'],
    ...['REQUEST_CONTACT_INFO', 'APP'],
  ],
};

/** Headers with a file, which needs a sample. */
export const FILE_HEADERS: readonly string[] = ['IMAGE', 'VIDEO', 'GIF', 'DOCUMENT'];
/** Headers, buttons and components that only these categories may have. */
export const CATEGORIES_OF: Record<string, readonly string[]> = {
  LOCATION: ['UTILITY', 'MARKETING'],
  GIF: ['MARKETING'],
  PRODUCT: ['MARKETING'],
  CAROUSEL: ['MARKETING'],
  LIMITED_TIME_OFFER: ['MARKETING'],
  OTP: ['AUTHENTICATION'],
};
export const CARD = {
  components: ['HEADER', 'BODY', 'BUTTONS'],
  headers: ['IMAGE', 'VIDEO', 'PRODUCT'],
  buttons: ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'SPM'],
};
export const OFFER_HEADERS = ['IMAGE', 'VIDEO'];
export const AUTHENTICATION_COMPONENTS = ['BODY', 'FOOTER', 'BUTTONS'];

/** Names of the templates that the platform creates in each account. */
export const SAMPLE_NAMES = [
  'hello_world',
  'sample_flight_confirmation',
  'sample_happy_hour_announcement',
  'sample_issue_resolution',
  'sample_movie_ticket_confirmation',
  'sample_purchase_feedback',
  'sample_shipping_confirmation',
];

export const SHORTENERS = [
  'bit.ly',
  'cutt.ly',
  'goo.gl',
  'is.gd',
  'ow.ly',
  'rebrand.ly',
  't.co',
  'tinyurl.com',
];

/** Words in utility templates that make them marketing templates in the platform's judgement. */
export const PROMOTIONAL =
  /(?<!\p{L})(?:discounts?|coupons?|promo(?:tion)?s?|special offers?|flash sale|buy now|descontos?|cupom|cupons|promoç(?:ão|ões)|ofertas?|descuentos?|cup(?:ón|ones)|promoci(?:ón|ones))(?!\p{L})/iu;

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/supported-languages */
export const LANGUAGES: readonly string[] = (
  'af ar ar_AE ar_EG ar_LB ar_MA ar_QA az be_BY bg bn bn_IN ca cs da de de_AT de_CH el en en_AE en_AU en_CA en_GB en_GH ' +
  'en_IE en_IN en_JM en_MY en_NZ en_QA en_SG en_UG en_US en_ZA es es_AR es_CL es_CO es_CR es_DO es_EC es_ES es_HN es_MX ' +
  'es_PA es_PE es_UY et fa fi fil fr fr_BE fr_CA fr_CH fr_CI fr_MA ga gu ha he hi hr hu id it ja ka kk kn ko ky_KG lo lt ' +
  'lv mk ml mr ms nb nl nl_BE pa pl prs_AF ps_AF pt_BR pt_PT ro ru rw_RW si_LK sk sl sq sr sv sw ta te th tr uk ur uz vi ' +
  'zh_CN zh_HK zh_TW zu'
).split(' ');
