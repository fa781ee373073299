import { COUNTS, LENGTHS, PROMOTIONAL, SHORTENERS } from './table';
import { isMissing, isObject, lengthOf, type TemplateNode, type Report } from './report';

const VARIABLE = /\{\{\s*([a-z0-9_]+)\s*\}\}/g;
const MARKUP = /[*_~`]/;

const variablesIn = (text: string): string[] =>
  [...text.matchAll(VARIABLE)].map(([, name]) => name as string);
const fixedText = (text: string): string => text.replace(VARIABLE, '');
const isNumber = (name: string): boolean => /^\d+$/.test(name);
// Reading this expression takes 10 ms, so a start does not.
const emojisIn = (text: string): number => text.match(/\p{RGI_Emoji}/gv)?.length ?? 0;

export function checkHeaderText(report: Report, header: TemplateNode): void {
  const text = report.bounded(header, 'text', 'header', LENGTHS.header);
  if (text === null) return;
  const path = `${header.path}.text`;
  const fixed = fixedText(text);
  if (/[\r\n]/.test(fixed) || MARKUP.test(fixed) || emojisIn(fixed) > 0)
    report.add('header.format', path, {});
  const variables = checkVariables(report, text, path);
  if (variables.length > 1) report.add('header.variables', path, {});
  else checkSamples(report, header, 'header_text', variables);
}

/** @param most null for the body of a carousel card */
export function checkBodyText(report: Report, body: TemplateNode, most: number | null): void {
  const text = report.bounded(body, 'text', 'body', most ?? LENGTHS.cardBody);
  if (text === null) return;
  const path = `${body.path}.text`;
  if (new RegExp(`(?:\\r?\\n){${COUNTS.lines + 1}}`).test(text))
    report.add('body.lines', path, { most: COUNTS.lines });
  if (emojisIn(text) > COUNTS.emojis) report.add('body.emojis', path, { most: COUNTS.emojis });
  const variables = checkVariables(report, text, path);
  if (variables.length > 0) checkSurroundings(report, text, path, most !== null);
  checkSamples(report, body, 'body_text', variables);
  const word = PROMOTIONAL.exec(text)?.[0];
  if (report.category === 'UTILITY' && word !== undefined) report.add('category.promotional', path, { word });
  checkLinks(report, text, path);
}

/** Checks the fixed text around variables. */
function checkSurroundings(report: Report, text: string, path: string, isMainBody: boolean): void {
  const words = fixedText(text)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const variables = variablesIn(text).length;
  if (fixedText(text).trim() === '') report.add('body.variables_only', path, {});
  if (/\}\}\s*\{\{/.test(text)) report.add('variable.adjacent', path, {});
  if (!isMainBody) return;
  const trimmed = text.trim();
  if (trimmed.startsWith('{{') || trimmed.endsWith('}}')) report.add('variable.edge', path, {});
  else if (/\}\}[^\p{L}\p{N}]*$/u.test(trimmed)) report.add('variable.punctuation', path, {});
  if (words <= COUNTS.wordsPerVariable * variables) {
    report.add('variable.ratio', path, { words, variables });
  }
}

export function checkFooterText(report: Report, footer: TemplateNode): void {
  const text = report.bounded(footer, 'text', 'footer', LENGTHS.footer);
  if (text === null) return;
  const path = `${footer.path}.text`;
  if (text.includes('{{')) report.add('footer.variables', path, {});
  if (/[\r\n]/.test(text) || emojisIn(text) > 0) report.add('footer.format', path, {});
}

export function checkLabel(report: Report, button: TemplateNode, field: string, isRequired: boolean): void {
  const label = report.bounded(button, field, 'label', LENGTHS.label, isRequired);
  if (label === null) return;
  if (/[\r\n*_~`]|\{\{/.test(label) || emojisIn(label) > 0) {
    report.add('button.format', `${button.path}.${field}`, {});
  }
}

/** Checks the address of a button, which may end in one variable. */
export function checkUrl(report: Report, button: TemplateNode): void {
  const url = report.bounded(button, 'url', 'url', LENGTHS.url);
  if (url === null) return;
  const path = `${button.path}.url`;
  const variables = checkVariables(report, url, path);
  if (!URL.canParse(fixedText(url)) || !/^https?:\/\//i.test(url)) report.add('url.format', path, {});
  if (variables.length > 1 || (variables.length === 1 && !url.endsWith('}}')))
    report.add('url.variable', path, {});
  if (variables.length > 0 && samplesIn(button.json.example).length === 0) {
    report.add('sample.missing', `${button.path}.example`, { variable: variables[0] as string });
  }
  checkLinks(report, url, path);
}

export function checkCode(report: Report, button: TemplateNode, most: number): void {
  const [code] = samplesIn(button.json.example);
  const path = `${button.path}.example`;
  if (code === undefined) report.add('sample.missing', path, { variable: null });
  else if (lengthOf(code) > most) {
    report.add('text.long', path, { part: 'code', length: lengthOf(code), most });
  }
}

/** Checks how variables are written; returns their distinct names. */
function checkVariables(report: Report, text: string, path: string): string[] {
  if (/\{\{|\}\}/.test(fixedText(text))) report.add('variable.format', path, {});
  const names = [...new Set(variablesIn(text))];
  // The variable of a URL may be a number in a template with names.
  if (names[0] === undefined || path.endsWith('.url')) return names;
  report.format ??= isNumber(names[0]) ? 'POSITIONAL' : 'NAMED';
  const isPositional = report.format === 'POSITIONAL';
  if (names.some((name) => isNumber(name) !== isPositional)) report.add('variable.mixed', path, {});
  else if (isPositional) {
    const missing = names.findIndex((_, index) => !names.includes(String(index + 1)));
    if (missing >= 0) report.add('variable.gap', path, { missing: missing + 1 });
  }
  return names;
}

/** Requires a sample for each variable. */
function checkSamples(report: Report, place: TemplateNode, field: string, variables: string[]): void {
  if (variables.length === 0) return;
  const example = report.object(place, 'example');
  const isNamed = report.format === 'NAMED';
  const own = isNamed ? `${field}_named_params` : field;
  const path = `${example.path}.${own}`;
  const given = example.json[own];
  const samples = isNamed
    ? namedSamples(given)
    : samplesIn(given).map((sample): [string, string] => ['', sample]);
  for (const [, sample] of samples) {
    if (sample.length < 256 && /^\S+@\S+\.\S+$|^\+[\d\s().-]{8,}$/.test(sample.trim())) {
      report.add('sample.personal', path, { given: sample.trim() });
    }
  }
  const missing = isNamed
    ? variables.find((name) => samples.every(([known]) => known !== name))
    : samples.length === 0 && variables[0];
  if (typeof missing === 'string') report.add('sample.missing', path, { variable: missing });
  else if (!isNamed && samples.length !== variables.length)
    report.add('sample.count', path, { needed: variables.length, given: samples.length });
}

/** The samples in `["Ana", "7"]`, `[["Ana", "7"]]` or `"Ana"`. */
export function samplesIn(given: unknown): string[] {
  const list: unknown[] = Array.isArray(given) ? (given as unknown[]) : [given];
  const samples: unknown[] = Array.isArray(list[0]) ? (list[0] as unknown[]) : list;
  return samples
    .filter((sample) => !isMissing(sample) && ['string', 'number'].includes(typeof sample))
    .map(String);
}

const namedSamples = (given: unknown): [string, string][] =>
  (Array.isArray(given) ? (given as unknown[]) : []).flatMap((each): [string, string][] =>
    isObject(each) && typeof each.param_name === 'string' && samplesIn(each.example).length > 0
      ? [[each.param_name, samplesIn(each.example)[0] as string]]
      : [],
  );

function checkLinks(report: Report, text: string, path: string): void {
  const host = SHORTENERS.find((each) =>
    new RegExp(`(?<![\\p{L}\\p{N}.-])${each.replaceAll('.', '\\.')}(?:/|$|\\s)`, 'iu').test(text),
  );
  if (host !== undefined) report.add('link.shortener', path, { host });
}
