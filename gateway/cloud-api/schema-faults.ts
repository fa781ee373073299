import type * as AjvModule from 'ajv';
import { type ErrorObject, type ValidateFunction } from 'ajv';
import { type TSchema } from 'typebox';
import { MOST_FAULTS, type Fault } from '../errors';
import { bad, required, sentence, wrongType } from './fault-sentences';
import { once } from '../once';
import { at } from './json-value';

/** Finds what is wrong with a value. @param under the path at which the value stands in the body */
export type Judge = (value: unknown, under?: string) => Fault[];

/** Loaded with the first body that is judged: it takes a tenth of a start, and many gateways never see some kinds. */
const compiler = once(() => {
  const { Ajv } = require('ajv') as typeof AjvModule;
  return new Ajv({ allErrors: true });
});

/** Compiled for the first body of its kind, asked for each. Tells all faults at once, one for each path. */
export function judgeBy(schema: TSchema): Judge {
  const compiled = once((): ValidateFunction => compiler().compile(schema));
  return (value, under = '') => {
    const validate = compiled();
    return validate(value) ? [] : faultsOf(validate.errors ?? [], value, under);
  };
}

function faultsOf(errors: ErrorObject[], value: unknown, under: string): Fault[] {
  const byPath = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const { missingProperty, additionalProperty } = error.params;
    const path = dotted(under, error.instancePath, missingProperty ?? additionalProperty);
    const known = byPath.get(path);
    if (known) known.push(error);
    else if (byPath.size < MOST_FAULTS) byPath.set(path, [error]);
    else break;
  }
  return [...byPath].map(([path, broken]) => toFault(path, broken, value));
}

/** Of a value that may be of several types, each type tells what it misses: a rule of the right type comes first. */
function toFault(path: string, broken: ErrorObject[], root: unknown): Fault {
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
