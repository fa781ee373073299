import { quoted, type ValidationIssue } from '../../errors';
import { bad, EMPTY, notOneOf, required } from './issue-sentences';
import { INTERACTIVE, OtherInteractive } from './interactive-request';
import { at, entries, isAbsent, isObject, lower } from '../json/json-value';
import { idOrLink } from './media-issues';
import { validatorOf, type Validator } from './schema-issues';

const validators = new Map<string, Validator>(
  Object.entries(INTERACTIVE).map(([kind, schema]) => [kind, validatorOf(schema)]),
);
const validateOther = validatorOf(OtherInteractive);

/**
 * Returns all issues of an interactive part: from the schema of its kind, and from rules that a schema cannot
 * express.
 */
export function interactiveIssues(interactive: unknown): ValidationIssue[] {
  const kind = lower(at(interactive, 'type'));
  if (typeof kind !== 'string' || !kind) return [];
  const validate = validators.get(kind) ?? validateOther;
  const rules = BEYOND_SCHEMA[kind as keyof typeof INTERACTIVE] as BeyondSchema | undefined;
  return [
    ...validate(interactive, 'interactive'),
    ...(rules?.headers ? headerIssues(interactive, rules.headers) : []),
    ...(rules?.action?.(at(interactive, 'action')) ?? []),
  ];
}

interface BeyondSchema {
  /** Kinds of header that the platform allows. */
  headers?: string[];
  action?: (action: unknown) => ValidationIssue[];
}

const ANY_HEADER = ['text', 'image', 'video', 'document'];

const BEYOND_SCHEMA: Record<keyof typeof INTERACTIVE, BeyondSchema> = {
  button: { headers: ANY_HEADER, action: buttonIssues },
  list: { headers: ['text'], action: sectionIssues },
  cta_url: { headers: ANY_HEADER },
  flow: { headers: ANY_HEADER, action: flowIssues },
  location_request_message: {},
};

function headerIssues(interactive: unknown, kinds: string[]): ValidationIssue[] {
  const header = at(interactive, 'header');
  const kind = lower(at(header, 'type'));
  const path = 'interactive.header';
  if (typeof kind !== 'string' || !kind) return [];
  if (!kinds.includes(kind)) {
    return [
      bad(`${path}.type`, 'enum', `${path}.type is ${quoted(kind)}; possible here: ${kinds.join(', ')}.`),
    ];
  }
  const content = at(header, kind);
  const inside = `${path}.${kind}`;
  if (kind === 'text') {
    if (isAbsent(content)) return [required(inside, 'the text of the header')];
    return content === '' ? [bad(inside, 'minLength', `${inside} ${EMPTY}`)] : [];
  }
  if (isAbsent(content)) return [required(inside, `the ${kind} of the header, with "id" or "link"`)];
  return idOrLink(content, inside);
}

function buttonIssues(action: unknown): ValidationIssue[] {
  const replies = entries(at(action, 'buttons')).map((button) => at(button, 'reply'));
  return ['id', 'title'].flatMap((field) =>
    repeated(
      replies.map((reply, index) => ({
        value: at(reply, field),
        path: `interactive.action.buttons[${index}].reply.${field}`,
      })),
    ),
  );
}

const MOST_ROWS = 10;

function sectionIssues(action: unknown): ValidationIssue[] {
  const path = 'interactive.action.sections';
  const sections = entries(at(action, 'sections'));
  const untitled = sections.flatMap((section, index) =>
    sections.length > 1 && isObject(section) && (isAbsent(section.title) || section.title === '')
      ? [required(`${path}[${index}].title`, 'a title, because there are several sections')]
      : [],
  );
  const rows = sections.flatMap((section, s) =>
    entries(at(section, 'rows')).map((row, r) => ({
      value: at(row, 'id'),
      path: `${path}[${s}].rows[${r}].id`,
    })),
  );
  const tooMany =
    rows.length > MOST_ROWS
      ? [bad(path, 'maxRows', `${path} has ${rows.length} rows in all; at most ${MOST_ROWS} are possible.`)]
      : [];
  return [...untitled, ...tooMany, ...repeated(rows)];
}

function flowIssues(action: unknown): ValidationIssue[] {
  const parameters = at(action, 'parameters');
  if (!isObject(parameters)) return [];
  const given = ['flow_id', 'flow_name'].filter((field) => !isAbsent(parameters[field])).length;
  if (given === 1) return [];
  return [
    notOneOf(
      'interactive.action.parameters',
      given,
      '"flow_id" and "flow_name"',
      '"flow_id" or "flow_name", which names the flow to open',
    ),
  ];
}

/** Returns an issue for each text that repeats an earlier one. */
function repeated(values: { value: unknown; path: string }[]): ValidationIssue[] {
  const first = new Map<string, string>();
  return values.flatMap(({ value, path }) => {
    if (typeof value !== 'string') return [];
    const earlier = first.get(value);
    if (earlier === undefined) {
      first.set(value, path);
      return [];
    }
    return [bad(path, 'unique', `${path} is ${quoted(value)}, as ${earlier} is already. Give each its own.`)];
  });
}
