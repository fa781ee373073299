import { quoted, type ValidationIssue } from '../../errors';
import { required } from './issue-sentences';
import { at, entries, isAbsent, lower } from '../json/json-value';
import { coordinateRanges, idOrLink } from './media-issues';
import { PARAMETERS } from './template-request';

/** Rules for templates that a schema cannot express. */
export function templateIssues(template: unknown): ValidationIssue[] {
  return entries(at(template, 'components')).flatMap((component, c) => {
    const path = `template.components[${c}]`;
    const isButton = lower(at(component, 'type')) === 'button';
    const unnamed = isButton ? ['sub_type', 'index'].filter((field) => isAbsent(at(component, field))) : [];
    return [
      ...unnamed.map((field) => required(`${path}.${field}`, 'the button of the template')),
      ...entries(at(component, 'parameters')).flatMap((parameter, p) =>
        parameterIssues(parameter, `${path}.parameters[${p}]`),
      ),
    ];
  });
}

function parameterIssues(parameter: unknown, path: string): ValidationIssue[] {
  const type = lower(at(parameter, 'type'));
  if (typeof type !== 'string' || !Object.hasOwn(PARAMETERS, type)) return [];
  const value = at(parameter, type);
  const inside = `${path}.${type}`;
  if (isAbsent(value)) return [required(inside, `the value, because "type" is ${quoted(type)}`)];
  if (type === 'location') return coordinateRanges(value, inside);
  return MEDIA_TYPES.includes(type) ? idOrLink(value, inside) : [];
}

const MEDIA_TYPES = ['image', 'video', 'document'];
