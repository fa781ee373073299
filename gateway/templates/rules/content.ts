import {
  AUTHENTICATION_COMPONENTS,
  CARD,
  CATEGORIES_OF,
  COUNTS,
  EXPIRY_MINUTES,
  FILE_HEADERS,
  KIND_COUNTS,
  KINDS,
  LENGTHS,
  OFFER_HEADERS,
  OTP_TYPES,
} from './table';
import { isMissing, kindOf, type TemplateNode, type Report } from './report';
import {
  checkBodyText,
  checkCode,
  checkFooterText,
  checkHeaderText,
  checkLabel,
  checkUrl,
  samplesIn,
} from './texts';

type Kind = keyof typeof KINDS;

/** Checks the components of a template. */
export function checkComponents(report: Report, template: TemplateNode): void {
  const components = report.list(template, 'components');
  if (components === null) return;
  const parts = byType(report, components);
  if (report.category === 'AUTHENTICATION') checkAuthentication(report, parts);
  else checkOrdinary(report, parts);
}

type Parts = Map<string, TemplateNode>;

/** Returns the first component of each type. */
function byType(report: Report, components: TemplateNode[]): Parts {
  const parts: Parts = new Map();
  for (const place of components) {
    const type = readKind(report, place, 'type', 'component');
    if (type === null) continue;
    if (parts.has(type)) report.add('component.twice', place.path, { component: type });
    else parts.set(type, place);
  }
  return parts;
}

/** Reads the kind of something; null if it is missing or not known here. */
function readKind(report: Report, place: TemplateNode, field: string, of: Kind): string | null {
  const given = report.text(place, field);
  if (given === null) return null;
  const kind = kindOf(given);
  const path = `${place.path}.${field}`;
  if (!KINDS[of].includes(kind)) {
    report.add('kind.unknown', path, { of, given: given.slice(0, 64) });
    return null;
  }
  const categories = CATEGORIES_OF[kind];
  if (categories && report.category !== null && !categories.includes(report.category)) {
    report.add('category.unfit', path, { what: kind, categories });
  }
  return kind;
}

function checkOrdinary(report: Report, parts: Parts): void {
  const offer = parts.get('LIMITED_TIME_OFFER');
  const carousel = parts.get('CAROUSEL');
  const body = parts.get('BODY');
  const header = parts.get('HEADER');
  const footer = parts.get('FOOTER');
  const buttons = parts.get('BUTTONS');
  if (!body) report.add('component.missing', 'components', { component: 'BODY' });
  if (header) checkHeader(report, header, offer ? 'offer' : null);
  if (body) checkBodyText(report, body, offer ? LENGTHS.offerBody : LENGTHS.body);
  if (footer) checkFooterText(report, footer);
  if (buttons) checkButtons(report, buttons, offer ? 'offer' : null);
  if (offer) {
    if (footer) report.add('component.unfit', footer.path, { component: 'FOOTER', in: 'offer' });
    const own = report.object(offer, 'limited_time_offer');
    report.bounded(own, 'text', 'offer', LENGTHS.offer);
    report.boolean(own, 'has_expiration');
  }
  if (carousel) {
    checkCards(report, carousel);
    for (const [component, { path }] of parts) {
      if (!['BODY', 'CAROUSEL'].includes(component)) report.add('carousel.beside', path, { component });
    }
  }
}

/** What a header or buttons belong to; null for the template itself. */
type Within = 'offer' | 'card' | null;

function checkHeader(report: Report, header: TemplateNode, within: Within): void {
  const format = readKind(report, header, 'format', 'header');
  const formats = { offer: OFFER_HEADERS, card: CARD.headers };
  if (within !== null && format !== null && !formats[within].includes(format)) {
    report.add('header.unfit', `${header.path}.format`, { in: within, formats: formats[within] });
  }
  if (format === 'TEXT') checkHeaderText(report, header);
  if (format === null || !FILE_HEADERS.includes(format)) return;
  const example = report.object(header, 'example');
  if (samplesIn(example.json.header_handle).length === 0) {
    report.add('sample.missing', `${example.path}.header_handle`, { variable: null });
  }
}

function checkButtons(report: Report, component: TemplateNode, within: Within): void {
  const buttons = report.list(component, 'buttons');
  if (buttons === null) return;
  const path = `${component.path}.buttons`;
  const most = within === 'card' ? COUNTS.cardButtons : COUNTS.buttons;
  if (buttons.length > most) report.add('buttons.count', path, { most });
  const kinds = buttons.map((button) => readKind(report, button, 'type', 'button'));
  buttons.forEach((button, index) => checkButton(report, button, kinds[index] ?? null, within));
  for (const [kind, limit] of Object.entries(KIND_COUNTS)) {
    if (kinds.filter((each) => each === kind).length > limit) {
      report.add('buttons.kind_count', path, { kind, most: limit });
    }
  }
  const changes = kinds.filter(
    (kind, index) => index > 0 && (kind === 'QUICK_REPLY') !== (kinds[index - 1] === 'QUICK_REPLY'),
  );
  if (changes.length > 1) report.add('buttons.grouping', path, {});
  if (within === 'offer' && kinds.indexOf('COPY_CODE') > 0) report.add('offer.code_order', path, {});
}

/** Buttons with a text of the platform, or with another shape than the documented ones. */
const LABELED = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'FLOW'];

function checkButton(report: Report, button: TemplateNode, kind: string | null, within: Within): void {
  if (kind === null) return;
  if (within === 'card' && !CARD.buttons.includes(kind)) {
    report.add('button.unfit', `${button.path}.type`, { kind, possible: CARD.buttons });
  }
  checkLabel(report, button, 'text', LABELED.includes(kind));
  if (kind === 'URL') checkUrl(report, button);
  if (kind === 'PHONE_NUMBER') report.bounded(button, 'phone_number', 'phone', LENGTHS.phone);
  if (kind === 'COPY_CODE') checkCode(report, button, within === 'offer' ? LENGTHS.offerCode : LENGTHS.code);
  if (
    kind === 'FLOW' &&
    ['flow_id', 'flow_name', 'flow_json'].every((field) => isMissing(button.json[field]))
  ) {
    report.add('field.missing', `${button.path}.flow_id`, { field: 'flow_id' });
  }
}

/** Requires cards that are all made alike. */
function checkCards(report: Report, carousel: TemplateNode): void {
  const cards = report.list(carousel, 'cards');
  if (cards === null) return;
  const { least, most } = COUNTS.cards;
  if (cards.length < least || cards.length > most) {
    report.add('carousel.cards', `${carousel.path}.cards`, { least, most });
  }
  const shapes = cards.map((card) => checkCard(report, card));
  const other = shapes.findIndex((shape) => shape !== shapes[0]);
  if (other >= 0) report.add('carousel.unlike', (cards[other] as TemplateNode).path, {});
}

/** Returns the shape of the card, which is the same for all cards of a carousel. */
function checkCard(report: Report, card: TemplateNode): string {
  const parts = byType(report, report.list(card, 'components') ?? []);
  for (const [component, { path }] of parts) {
    if (!CARD.components.includes(component)) report.add('component.unfit', path, { component, in: 'card' });
  }
  const header = parts.get('HEADER');
  const body = parts.get('BODY');
  const buttons = parts.get('BUTTONS');
  if (header) checkHeader(report, header, 'card');
  else report.add('component.missing', `${card.path}.components`, { component: 'HEADER' });
  if (body) checkBodyText(report, body, null);
  if (buttons) checkButtons(report, buttons, 'card');
  const list: unknown = buttons?.json.buttons;
  const kinds = Array.isArray(list)
    ? list.map((each) => kindOf((each as { type?: unknown } | null)?.type))
    : [];
  return [...parts.keys()].toSorted().concat(kindOf(header?.json.format), kinds).join();
}

/** The platform writes the texts of authentication templates itself. */
function checkAuthentication(report: Report, parts: Parts): void {
  for (const [component, { json, path }] of parts) {
    if (!AUTHENTICATION_COMPONENTS.includes(component)) {
      report.add('component.unfit', path, { component, in: 'authentication' });
    } else if (!isMissing(json.text)) report.add('authentication.text', `${path}.text`, {});
  }
  const body = parts.get('BODY');
  const footer = parts.get('FOOTER');
  const buttons = parts.get('BUTTONS');
  if (body) report.boolean(body, 'add_security_recommendation');
  else report.add('component.missing', 'components', { component: 'BODY' });
  if (footer) report.range(footer, 'code_expiration_minutes', EXPIRY_MINUTES);
  if (!buttons) {
    report.add('authentication.button', 'components', {});
    return;
  }
  const list = report.list(buttons, 'buttons') ?? [];
  const kinds = list.map((button) => readKind(report, button, 'type', 'button'));
  if (kinds.length !== 1 || kinds[0] !== 'OTP')
    report.add('authentication.button', `${buttons.path}.buttons`, {});
  list.filter((_, index) => kinds[index] === 'OTP').forEach((button) => checkOtp(report, button));
}

function checkOtp(report: Report, button: TemplateNode): void {
  const type = report.word(button, 'otp_type', OTP_TYPES);
  checkLabel(report, button, 'text', false);
  checkLabel(report, button, 'autofill_text', false);
  if (type === null || type === 'COPY_CODE') return;
  if (type === 'ZERO_TAP' && !report.boolean(button, 'zero_tap_terms_accepted')) {
    report.add('authentication.terms', `${button.path}.zero_tap_terms_accepted`, {});
  }
  // Earlier versions of the platform have the only app in the button itself.
  const { json, path } = button;
  const apps = isMissing(json.package_name) ? report.list(button, 'supported_apps') : [button];
  if (apps === null) return;
  if (apps.length > COUNTS.apps)
    report.add('authentication.apps', `${path}.supported_apps`, { most: COUNTS.apps });
  for (const app of apps) {
    const name = report.text(app, 'package_name');
    if (name !== null && (name.length > LENGTHS.package || !/^[a-z]\w*(?:\.[a-z]\w*)+$/i.test(name))) {
      report.add('authentication.package', `${app.path}.package_name`, { most: LENGTHS.package });
    }
    const hash = report.text(app, 'signature_hash');
    if (hash !== null && !/^[a-zA-Z0-9+/=]{11}$/.test(hash)) {
      report.add('authentication.hash', `${app.path}.signature_hash`, { length: 11 });
    }
  }
}
