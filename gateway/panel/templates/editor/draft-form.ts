import { isObject, type Json } from '../../../cloud-api/json/json-value';
import { isMissing, kindOf } from '../../../templates/rules/report';
import { samplesIn } from '../../../templates/rules/texts';
import { type DraftInput } from '../../../templates/drafts/draft';
import {
  APP,
  BODY,
  BUTTON,
  CARD_BODY,
  FILE_FORMATS,
  FOOTER,
  HEADER,
  KNOWN_EXAMPLES,
  OFFER,
  TEMPLATE,
  type Shape,
} from './draft-fields';
import { samplesOf, variablesOf } from '../../send/template-samples';

/** A draft as the values of a form. What the form has no field for is in hidden fields, as JSON. */
export interface DraftForm {
  form: Map<string, string>;
  /** The names of fields by paths of issues (`components[1].text`), for each language of the draft. */
  fields: Map<string, string>[];
}

/** Fills the form of a draft. The draft may be incomplete or have values of other types. */
export function formOf({ name, category, content }: DraftInput): DraftForm {
  const form = new Map<string, string>();
  const { parameter_format: format, languages, ...more } = content;
  form.set('name', name);
  form.set('category', kindOf(category));
  form.set('format', isNamed(format) ? 'NAMED' : 'POSITIONAL');
  const general = new Writer(form);
  general.node('', '', more, TEMPLATE);
  const fields = languages.map(({ language, components, ...rest }, index) => {
    const writer = new Writer(form);
    const prefix = `l${index}-`;
    form.set(`${prefix}language`, language);
    writer.node(prefix, '', rest, {});
    general.fields.forEach((field, path) => writer.fields.set(path, field));
    for (const path of ['name', 'category']) writer.fields.set(path, path);
    writer.fields.set('parameter_format', 'format').set('language', `${prefix}language`);
    writer.components(prefix, 'components', Array.isArray(components) ? components : [], false);
    return writer.fields;
  });
  return { form, fields };
}

export const isNamed = (format: unknown): boolean => kindOf(format) === 'NAMED';

class Writer {
  readonly fields = new Map<string, string>();

  constructor(private readonly form: Map<string, string>) {}

  /** Writes the fields of an object, and what has no field, or a value of another type, as JSON. */
  node(prefix: string, path: string, json: Json, shape: Shape): void {
    const rest: Json = { ...json };
    for (const [key, { as, kind }] of Object.entries(shape)) {
      this.fields.set(path === '' ? key : `${path}.${key}`, `${prefix}${as}`);
      const value = json[key];
      if (isMissing(value) || value === false) delete rest[key];
      else if (typeof value === 'string' && kind !== 'flag') {
        this.form.set(`${prefix}${as}`, value);
        delete rest[key];
      } else if (typeof value === 'number' && kind === 'number') {
        this.form.set(`${prefix}${as}`, String(value));
        delete rest[key];
      } else if (value === true && kind === 'flag') {
        this.form.set(`${prefix}${as}`, 'yes');
        delete rest[key];
      }
    }
    if (Object.keys(rest).length > 0) this.form.set(`${prefix}rest`, JSON.stringify(rest));
  }

  components(prefix: string, path: string, list: unknown[], isCard: boolean): void {
    // Issues of a list, such as a missing body, are shown where the first part is entered.
    this.fields.set(path, `${prefix}${isCard ? 'header' : 'body'}`);
    const seen = new Set<string>();
    let others = 0;
    list.forEach((component, index) => {
      const at = `${path}[${index}]`;
      if (isObject(component) && !seen.has(kindOf(component.type))) {
        seen.add(kindOf(component.type));
        if (this.#component(prefix, at, component, isCard)) return;
      }
      this.fields.set(at, `${prefix}x${others}`);
      this.form.set(`${prefix}x${others++}`, JSON.stringify(component));
    });
  }

  /** @returns false if the form has no fields for the component */
  #component(prefix: string, path: string, component: Json, isCard: boolean): boolean {
    const { type, ...json } = component;
    switch (kindOf(type)) {
      case 'HEADER':
        return this.#header(prefix, path, json);
      case 'BODY':
        this.#texts(`${prefix}body`, path, json, isCard ? CARD_BODY : BODY, 'body_text');
        return true;
      case 'FOOTER':
        return !isCard && this.#footer(prefix, path, json);
      case 'BUTTONS':
        return this.#buttons(prefix, path, json);
      case 'LIMITED_TIME_OFFER':
        return !isCard && this.#offer(prefix, path, json);
      case 'CAROUSEL':
        return !isCard && this.#cards(prefix, path, json);
      default:
        return false;
    }
  }

  #header(prefix: string, path: string, json: Json): boolean {
    const { format, ...more } = json;
    const kind = kindOf(format);
    if (kind === '') return false;
    this.form.set(`${prefix}header`, kind);
    this.fields.set(`${path}.format`, `${prefix}header`);
    this.#texts(`${prefix}header`, path, more, HEADER, 'header_text');
    this.fields.set(path, `${prefix}header`);
    const handle = isObject(json.example) ? json.example.header_handle : undefined;
    this.fields.set(`${path}.example.header_handle`, `${prefix}header-file`);
    if (!isMissing(handle)) this.form.set(`${prefix}header-handle`, JSON.stringify(handle));
    return true;
  }

  /** A text with variables, and their samples. */
  #texts(prefix: string, path: string, json: Json, shape: Shape, field: string): void {
    const { example, ...own } = json;
    const known: Json = isObject(example) ? example : {};
    const others = Object.entries(known).filter(([key]) => !KNOWN_EXAMPLES.includes(key));
    this.node(
      prefix,
      path,
      { ...own, ...(others.length > 0 && { example: Object.fromEntries(others) }) },
      shape,
    );
    const entry = this.fields.get(`${path}.text`) ?? prefix;
    this.fields.set(path, entry);
    const samples = [...samplesOf(json, field, textOf(own))];
    const names = samples.map(([name]) => `${prefix}-sample-${name}`);
    samples.forEach(([, sample], index) => this.form.set(names[index] as string, sample));
    const lacking = samples.findIndex(([, sample]) => sample === '');
    const place = names[Math.max(lacking, 0)] ?? entry;
    for (const key of [field, `${field}_named_params`]) this.fields.set(`${path}.example.${key}`, place);
  }

  #footer(prefix: string, path: string, json: Json): boolean {
    this.fields.set(path, `${prefix}footer`);
    this.node(`${prefix}footer`, path, json, FOOTER);
    return true;
  }

  #offer(prefix: string, path: string, json: Json): boolean {
    const { limited_time_offer: own, ...more } = json;
    if (!isMissing(own) && !isObject(own)) return false;
    this.form.set(`${prefix}has-offer`, 'yes');
    this.node(`${prefix}offer`, `${path}.limited_time_offer`, isObject(own) ? own : {}, OFFER);
    this.fields.set(path, `${prefix}offer`);
    this.node(`${prefix}offer-outer-`, path, more, {});
    return true;
  }

  #cards(prefix: string, path: string, json: Json): boolean {
    const { cards, ...more } = json;
    if (!Array.isArray(cards) || !cards.every(isCard)) return false;
    this.fields.set(path, `${prefix}cards`);
    this.node(`${prefix}cards-`, path, more, {});
    cards.forEach(({ components, ...rest }, index) => {
      const own = `${prefix}c${index}-`;
      const at = `${path}.cards[${index}]`;
      this.form.set(`${own}card`, 'yes');
      this.node(own, at, rest, {});
      this.components(own, `${at}.components`, components, true);
      this.fields.set(at, `${own}header`);
    });
    return true;
  }

  #buttons(prefix: string, path: string, json: Json): boolean {
    const { buttons, ...more } = json;
    if (!Array.isArray(buttons) || !buttons.every(isButton)) return false;
    this.fields.set(path, `${prefix}buttons`);
    this.node(`${prefix}buttons-`, path, more, {});
    buttons.forEach((button, index) =>
      this.#button(`${prefix}b${index}-`, `${path}.buttons[${index}]`, button),
    );
    return true;
  }

  #button(prefix: string, path: string, { type, ...json }: Json & { type: string }): void {
    const kind = kindOf(type);
    this.form.set(`${prefix}type`, kind);
    const sample = ['URL', 'COPY_CODE'].includes(kind) ? samplesIn(json.example)[0] : undefined;
    if (sample !== undefined) delete json.example;
    this.form.set(`${prefix}sample`, sample ?? '');
    this.fields.set(`${path}.example`, `${prefix}sample`);
    // The form has one field for both.
    if (kind === 'FLOW' && isMissing(json.flow_id) && typeof json.flow_name === 'string') {
      json.flow_id = json.flow_name;
      delete json.flow_name;
    }
    this.#apps(prefix, path, json);
    this.node(prefix, path, json, BUTTON);
    const entry = `${prefix}${kind === 'COPY_CODE' ? 'sample' : 'text'}`;
    this.fields.set(path, entry).set(`${path}.type`, entry);
  }

  /** Earlier versions of the platform have the only app in the button itself. */
  #apps(prefix: string, path: string, button: Json): void {
    const { package_name, signature_hash } = button;
    const isOld = typeof package_name === 'string' && package_name !== '';
    const apps = isOld ? [{ package_name, signature_hash }] : button.supported_apps;
    this.fields.set(`${path}.supported_apps`, `${prefix}a0-package`);
    if (!Array.isArray(apps) || !apps.every(isObject)) return;
    for (const key of isOld ? ['package_name', 'signature_hash'] : ['supported_apps']) delete button[key];
    apps.forEach((app: Json, index) => {
      this.form.set(`${prefix}a${index}-app`, 'yes');
      this.node(`${prefix}a${index}-`, `${path}.supported_apps[${index}]`, app, APP);
    });
  }
}

const textOf = ({ text }: Json): string => (typeof text === 'string' ? text : '');
const isCard = (value: unknown): value is Json & { components: unknown[] } =>
  isObject(value) && Array.isArray(value.components);
const isButton = (value: unknown): value is Json & { type: string } =>
  isObject(value) && kindOf(value.type) !== '';

/** Reads a submitted form. Nothing that was typed is left out, also if it breaks rules. */
export function valuesOf(form: Iterable<[string, FormDataEntryValue]>): DraftInput {
  const reader = new Reader(new Map(form));
  const languages = reader.indexes('l', '-language').map((prefix) => ({
    ...reader.node(`${prefix}-`, {}),
    language: reader.text(`${prefix}-language`),
    components: reader.components(`${prefix}-`, false),
  }));
  return {
    name: reader.text('name').trim(),
    category: reader.category,
    content: {
      ...reader.node('', TEMPLATE),
      parameter_format: reader.isNamed ? 'named' : 'positional',
      languages,
    },
  };
}

class Reader {
  readonly category: string;
  readonly isNamed: boolean;

  constructor(private readonly form: Map<string, FormDataEntryValue>) {
    this.category = this.text('category');
    this.isNamed = isNamed(this.text('format'));
  }

  /** Forms send line ends as CRLF. */
  text(name: string): string {
    const value = this.form.get(name);
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
  }

  /** The prefixes of repeated parts: `l0`, `l1`, … */
  indexes(prefix: string, suffix: string): string[] {
    const found: string[] = [];
    while (this.form.has(`${prefix}${found.length}${suffix}`)) found.push(`${prefix}${found.length}`);
    return found;
  }

  json(name: string): unknown {
    try {
      return JSON.parse(this.text(name));
    } catch {
      return undefined;
    }
  }

  node(prefix: string, shape: Shape): Json {
    const rest = this.json(`${prefix}rest`);
    const json: Json = isObject(rest) ? rest : {};
    for (const [key, { as, kind }] of Object.entries(shape)) {
      const text = this.text(`${prefix}${as}`);
      if (text === '') continue;
      if (kind === 'flag') json[key] = true;
      else json[key] = kind === 'number' && NUMBER.test(text.trim()) ? Number(text) : text;
    }
    return json;
  }

  components(prefix: string, isCard: boolean): Json[] {
    return [
      ...this.#header(prefix),
      ...this.#body(`${prefix}body`, isCard),
      ...(isCard ? [] : [...this.#offer(prefix), ...this.#footer(`${prefix}footer`), ...this.#cards(prefix)]),
      ...this.#buttons(prefix),
      ...this.indexes(`${prefix}x`, '')
        .map((name) => this.json(name))
        .filter(isObject),
    ];
  }

  #header(prefix: string): Json[] {
    const format = this.text(`${prefix}header`);
    if (format === '') return [];
    const handle = FILE_FORMATS.includes(format) ? this.json(`${prefix}header-handle`) : undefined;
    const own =
      format === 'TEXT'
        ? this.#texts(`${prefix}header`, HEADER, 'header_text')
        : this.node(`${prefix}header`, {});
    const example =
      handle === undefined ? {} : { example: { ...partOf(own.example), header_handle: handle } };
    return [{ ...own, type: 'HEADER', format, ...example }];
  }

  #body(prefix: string, isCard: boolean): Json[] {
    const own = this.#texts(prefix, isCard ? CARD_BODY : BODY, 'body_text');
    const isOfCode = this.category === 'AUTHENTICATION' && !isCard;
    if (Object.keys(own).length === 0 && !isOfCode) return [];
    const advice = isOfCode ? { add_security_recommendation: own.add_security_recommendation ?? false } : {};
    return [{ ...own, ...advice, type: 'BODY' }];
  }

  #texts(prefix: string, shape: Shape, field: string): Json {
    const own = this.node(prefix, shape);
    const variables = variablesOf(textOf(own));
    const samples = variables.map((name) => this.text(`${prefix}-sample-${name}`));
    if (samples.every((sample) => sample === '')) return own;
    const named = variables
      .map((param_name, index) => ({ param_name, example: samples[index] }))
      .filter(({ example }) => example !== '');
    const given = this.isNamed
      ? { [`${field}_named_params`]: named }
      : { [field]: field === 'body_text' ? [samples] : samples };
    return { ...own, example: { ...partOf(own.example), ...given } };
  }

  #offer(prefix: string): Json[] {
    if (!this.form.has(`${prefix}has-offer`)) return [];
    const limited_time_offer = { has_expiration: false, ...this.node(`${prefix}offer`, OFFER) };
    return [{ ...this.node(`${prefix}offer-outer-`, {}), type: 'LIMITED_TIME_OFFER', limited_time_offer }];
  }

  #footer(prefix: string): Json[] {
    const own = this.node(prefix, FOOTER);
    return Object.keys(own).length > 0 ? [{ ...own, type: 'FOOTER' }] : [];
  }

  #cards(prefix: string): Json[] {
    const cards = this.indexes(`${prefix}c`, '-card').map((card) => ({
      ...this.node(`${card}-`, {}),
      components: this.components(`${card}-`, true),
    }));
    return cards.length > 0 ? [{ ...this.node(`${prefix}cards-`, {}), type: 'CAROUSEL', cards }] : [];
  }

  #buttons(prefix: string): Json[] {
    const buttons = this.indexes(`${prefix}b`, '-type').map((button) => this.#button(`${button}-`));
    return buttons.length > 0 ? [{ ...this.node(`${prefix}buttons-`, {}), type: 'BUTTONS', buttons }] : [];
  }

  #button(prefix: string): Json {
    const type = this.text(`${prefix}type`);
    const { flow_id: flow, ...own } = this.node(prefix, BUTTON);
    const sample = this.text(`${prefix}sample`);
    const apps = this.indexes(`${prefix}a`, '-app').map((app) => this.node(`${app}-`, APP));
    // The first app can be left empty.
    const isEmpty = apps.every((app) => Object.keys(app).length === 0) && apps.length < 2;
    return {
      ...own,
      type,
      ...(flow !== undefined && { [/^\d+$/.test(String(flow)) ? 'flow_id' : 'flow_name']: flow }),
      ...(sample !== '' && { example: type === 'URL' ? [sample] : sample }),
      ...(!isEmpty && { supported_apps: apps }),
    };
  }
}

const NUMBER = /^-?\d{1,9}$/;
const partOf = (example: unknown): Json => (isObject(example) ? example : {});
