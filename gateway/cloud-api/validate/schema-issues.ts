import type * as AjvModule from 'ajv';
import { type ErrorObject, type ValidateFunction } from 'ajv';
import { type TSchema } from 'typebox';
import { MAX_ISSUES, type ValidationIssue } from '../../errors';
import { bad, required, sentence, wrongType } from './issue-sentences';
import { once } from '../../primitives/once';
import { at, isObject } from '../json/json-value';

/** Lists the issues of a value. @param under the path of the value in the body */
export type Validator = (value: unknown, under?: string) => ValidationIssue[];

/** Loads Ajv on first use: loading takes a tenth of the start-up, and many gateways never need some kinds. */
const compilerOf = (allErrors: boolean) =>
  once(() => {
    const { Ajv } = require('ajv') as typeof AjvModule;
    return new Ajv({ allErrors });
  });
const firstOnly = compilerOf(false);
const all = compilerOf(true);

/**
 * Compiles the schema on first use. Returns at most one issue per path and only the first entries of a list,
 * because thousands of issues would take seconds and are not shown.
 */
export function validatorOf(schema: TSchema): Validator {
  const findFirst = once((): ValidateFunction => firstOnly().compile(schema));
  const findAll = once((): ValidateFunction => all().compile(schema));
  return (value, under = '') => {
    const first = findFirst();
    if (first(value)) return [];
    const validate = findAll();
    const isFound = !validate(shortened(value));
    return issuesOf((isFound ? validate.errors : first.errors) ?? [], value, under);
  };
}

/** Shortens lists to one entry more than the issues listed. A list that is too long causes one issue. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_ISSUES + 1).map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

function issuesOf(errors: ErrorObject[], value: unknown, under: string): ValidationIssue[] {
  const byPath = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const { missingProperty, additionalProperty } = error.params;
    const path = dotted(under, error.instancePath, missingProperty ?? additionalProperty);
    const known = byPath.get(path);
    if (known) known.push(error);
    else if (byPath.size < MAX_ISSUES) byPath.set(path, [error]);
    else break;
  }
  return [...byPath].map(([path, broken]) => toIssue(path, broken, value));
}

/**
 * Converts broken rules to an issue. If a value may have several types, issues of the matching type come
 * first.
 */
function toIssue(path: string, broken: ErrorObject[], root: unknown): ValidationIssue {
  const [first] = broken as [ErrorObject];
  if (first.keyword === 'required') return required(path);
  const value = valueAt(root, first.instancePath);
  const rule = broken.find(({ keyword }) => keyword !== 'type' && keyword !== 'anyOf');
  if (rule) return bad(path, rule.keyword, `${path} ${sentence(rule, value, path)}`);
  const types = broken.filter(({ keyword }) => keyword === 'type').map(({ params }) => params.type as string);
  return bad(path, 'type', `${path} ${wrongType(value, types)}`);
}

const valueAt = (root: unknown, pointer: string): unknown =>
  steps(pointer).reduce(
    (value, step) => (Array.isArray(value) ? value[Number(step)] : at(value, step)),
    root,
  );

const steps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function dotted(under: string, pointer: string, last?: string): string {
  const inner = steps(pointer).map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`));
  return `${under}${inner.join('')}${last ? `.${last}` : ''}`.replace(/^\./, '');
}
